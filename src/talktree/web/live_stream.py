"""Server-sent events: poll a value, and send it when it changes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import StreamingResponse

from talktree.errors import TalktreeError
from talktree.web.response import encode_json

EVERY = 0.5
"""Seconds between two checks."""
SILENCE = 15.0
"""Seconds after which a comment is sent, so that dead connections are noticed."""

Look = Callable[[], Struct | None]


def stream_events(
    request: Request, name: str, look: Look, *, every: float = EVERY
) -> StreamingResponse:
    """Yield the results of `look` as events of that name; None means nothing is new.

    `look` is called in a thread, never concurrently, until the page disconnects or the studio ends.
    No thread is held between two calls.
    """
    return StreamingResponse(
        _generate_events(request, name, look, every), media_type="text/event-stream; charset=utf-8"
    )


async def _generate_events(
    request: Request, name: str, look: Look, every: float
) -> AsyncIterator[bytes]:
    ending = getattr(request.app.state, "ending", None)
    yield b": here\n\n"
    details = time.monotonic()
    while not (await request.is_disconnected() or (ending is not None and ending.is_set())):
        try:
            news = await run_in_threadpool(look)
        except TalktreeError:
            return  # the library was locked; the page finds that out with its next request
        if news is not None:
            yield b"event: " + name.encode() + b"\ndata: " + encode_json(news) + b"\n\n"
            details = time.monotonic()
        elif time.monotonic() - details > SILENCE:
            yield b": still here\n\n"
            details = time.monotonic()
        await asyncio.sleep(every)
