"""Growth as it happens."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from talktree.web.live_stream import event_stream
from talktree.web.route import Call, Route
from talktree.web.shapes.conversation import Changed

if TYPE_CHECKING:
    from starlette.responses import Response

    from talktree.web.desk.desk import Desk
    from talktree.web.studio import Studio

EVERY = 1.0
"""Seconds between two looks."""
REST = 5
"""After reading, so many times as long nothing is read."""


class Watch:
    """Looks at the state of one conversation, and tells when it is another."""

    def __init__(self, desk: Desk, cid: str) -> None:
        self._desk = desk
        self._cid = cid
        self._stamp = desk.stamp(cid)
        self._rest = 0.0

    def look(self) -> Changed | None:
        """What is new since the last look; a long source is not read again all the time."""
        began = time.monotonic()
        if began < self._rest or self._desk.stamp(self._cid) == self._stamp:
            return None
        opened = self._desk.open(self._cid)
        self._stamp = opened.stamp
        self._rest = began + REST * (time.monotonic() - began)
        return Changed(
            stamp=opened.stamp,
            leaf=opened.leaf,
            rows=len(opened.rows()),
            messages=len(opened.conversation.tree),
            size=opened.kept.size,
            last=None if opened.kept.last is None else opened.kept.last // 1_000_000,
        )


def _live(studio: Studio, call: Call) -> Response:
    cid = call.path["cid"]
    studio.desk.kept(cid)
    return event_stream(call.request, "changed", Watch(studio.desk, cid).look, every=EVERY)


ROUTES = (
    Route(
        "GET", "/c/{cid}/live", _live, "Events `changed` as the conversation grows or is edited.",
        gives=Changed, media="text/event-stream",
    ),
)  # fmt: skip
