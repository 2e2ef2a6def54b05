"""The server itself: a loop that ends when it is asked to, and leaves nothing behind."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from talktree.errors import UsageError
from talktree.web.answers import JSON, failed
from talktree.web.security.headers import fixed_headers

PATIENCE = 3
"""Seconds that answers on their way are given at the end."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Protocol(H11Protocol):
    """HTTP whose refusal of what is no HTTP looks like all others."""

    def send_400_response(self, msg: str) -> None:
        response = failed(UsageError("this is no HTTP"))
        headers = [*fixed_headers(), (b"content-type", JSON.encode()), (b"connection", b"close")]
        said = h11.Response(status_code=response.status_code, headers=headers)
        for event in (said, h11.Data(data=bytes(response.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


class Server(uvicorn.Server):
    """A server that tells its streams to end, and whose caller cleans up after any signal."""

    def __init__(self, app: ASGIApp, ending: threading.Event) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=Protocol,
                log_config=None,
                log_level="critical",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                lifespan="off",
                ws="none",
                timeout_graceful_shutdown=PATIENCE,
            )
        )
        self.ending = ending
        self.signal: int | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.signal = sig
        self.ending.set()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Hear signals while it serves; they are not sent again afterwards."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in SIGNALS}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def end(self) -> None:
        """End as soon as the answers on their way are given."""
        self.ending.set()
        self.should_exit = True
