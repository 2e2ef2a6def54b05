"""Growth as it happens."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

from talktree.library.archive.source_versions import files_of
from talktree.library.listing import by_source
from talktree.web.documents.cache import edits_of
from talktree.web.documents.ids import named
from talktree.web.live_stream import event_stream
from talktree.web.routes.route import Call, Route
from talktree.web.schemas.transcript import Changed

if TYPE_CHECKING:
    from starlette.responses import Response

    from talktree.web.documents.cache import Desk
    from talktree.web.documents.open_conversation import Opened
    from talktree.web.studio import Studio

EVERY = 1.0
"""Seconds between two looks."""
REST = 5
"""After reading, so many times as long nothing is read."""


FORGOTTEN = Changed(
    stamp="", cause="forgotten", edited=False, leaf=None, rows=0, messages=0, size=0, last=None
)


class Watch:
    """Looks at the state of one conversation, and tells when it is another."""

    def __init__(self, desk: Desk, cid: str, seen: str | None = None) -> None:
        self._desk = desk
        self._cid = cid
        # What changed between the answer that a page has and this is new to it, too.
        self._stamp = desk.stamp(cid) if seen is None else seen
        self._before = self._state()
        self._leaf: str | None = None
        """The current branch as of the last look; None before the first."""
        self._rest = 0.0
        self._is_gone = False

    def look(self) -> Changed | None:
        """What is new since the last look; a long source is not read again all the time."""
        began = time.monotonic()
        if began < self._rest or self._is_gone:
            return None
        if by_source(self._desk.library().db, named(self._cid).source) is None:
            self._is_gone = True
            return FORGOTTEN
        if not self._has_changed():
            if self._leaf is None:
                self._leaf = self._desk.open(self._cid).leaf
            return None
        opened = self._desk.open(self._cid)
        self._stamp = opened.stamp
        forked, self._leaf = has_forked(opened, self._leaf), opened.leaf
        before, self._before = self._before, self._state()
        self._rest = began + REST * (time.monotonic() - began)
        return Changed(
            stamp=opened.stamp,
            cause=cause_of(before, self._before),
            edited=opened.edited,
            log=self._before.last or 0,
            leaf=opened.leaf,
            forked=forked,
            rows=len(opened.rows()),
            messages=len(opened.conversation.tree),
            size=opened.kept.size,
            last=None if opened.kept.last_ns is None else opened.kept.last_ns // 1_000_000,
        )

    def _has_changed(self) -> bool:
        # An undo and a redo lead back to the same stamp; a window may have seen what lay between.
        return self._desk.stamp(self._cid) != self._stamp or self._state().last != self._before.last

    def _state(self) -> State:
        db, source = self._desk.library().db, named(self._cid).source
        files = [(each.path, each.generation, each.length) for each in files_of(db, source)]
        history = edits_of(db, source)
        return State(files, history.saved, list(history.standing), history.last)


class LiveQuery(Struct, frozen=True, kw_only=True):
    """What a page knows."""

    stamp: str | None = None
    """The state that it shows; None for the present one."""


def has_forked(opened: Opened, before: str | None) -> bool:
    """Whether the branch that ended with a message is still there, and is not the current one."""
    if before is None or before not in opened.conversation.skeleton.by_id:
        return False
    return opened.rows().number_of(before) is None


class State(NamedTuple):
    """What a conversation's state consists of, to find out what changed it."""

    files: list[tuple[bytes, int, int]]
    saved: object
    edits: list[int]
    last: int | None
    """The last entry of the log of edits."""


def cause_of(before: State, after: State) -> Literal["file", "edit", "save"]:
    """What led from one state to another; a save changes the file, too.

    If they are equal, it changed before it was watched: an edit, as then a page asks for all again.
    """
    if after.saved is not None and after.saved != before.saved:
        return "save"
    return "edit" if after.files == before.files else "file"


def _live(studio: Studio, call: Call) -> Response:
    cid = call.path["cid"]
    studio.desk.kept(cid)
    return event_stream(
        call.request, "changed", Watch(studio.desk, cid, call.query.stamp).look, every=EVERY
    )


ROUTES = (
    Route(
        "GET", "/c/{cid}/live", _live, "Events `changed` as the conversation grows or is edited.",
        query=LiveQuery, gives=Changed, media="text/event-stream",
    ),
)  # fmt: skip
