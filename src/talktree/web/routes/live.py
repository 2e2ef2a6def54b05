"""Updates of a conversation while it changes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

from talktree.library.archive.source_versions import files_of
from talktree.library.listing import find_by_source
from talktree.web.documents.cache import read_edit_history
from talktree.web.documents.ids import parse_cid
from talktree.web.live_stream import stream_events
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.transcript import ConversationChanged

if TYPE_CHECKING:
    from starlette.responses import Response

    from talktree.web.documents.cache import DocumentCache
    from talktree.web.documents.open_conversation import OpenConversation
    from talktree.web.studio import StudioContext

EVERY = 1.0
"""Seconds between two checks."""
REST = 5
"""After a read, pause for this many times its duration."""


FORGOTTEN = ConversationChanged(
    stamp="", cause="forgotten", edited=False, leaf=None, rows=0, messages=0, size=0, last=None
)


class Watch:
    """Watches the state of one conversation and reports changes."""

    def __init__(self, cache: DocumentCache, cid: str, seen: str | None = None) -> None:
        self._cache = cache
        self._cid = cid
        # What changed between the page's last answer and now is new to the page as well.
        self._stamp = cache.compute_stamp(cid) if seen is None else seen
        self._before = self._read_state()
        self._leaf: str | None = None
        """The current branch at the last check; None before the first."""
        self._rest = 0.0
        self._is_gone = False

    def find_change(self) -> ConversationChanged | None:
        """Return what is new since the last check; a long source is not read every time."""
        began = time.monotonic()
        if began < self._rest or self._is_gone:
            return None
        if find_by_source(self._cache.get_library().db, parse_cid(self._cid).source) is None:
            self._is_gone = True
            return FORGOTTEN
        if not self._has_changed():
            if self._leaf is None:
                self._leaf = self._cache.open(self._cid).leaf
            return None
        opened = self._cache.open(self._cid)
        self._stamp = opened.stamp
        forked, self._leaf = has_forked(opened, self._leaf), opened.leaf
        before, self._before = self._before, self._read_state()
        self._rest = began + REST * (time.monotonic() - began)
        return ConversationChanged(
            stamp=opened.stamp,
            cause=find_cause(before, self._before),
            edited=opened.edited,
            log=self._before.last or 0,
            leaf=opened.leaf,
            forked=forked,
            rows=len(opened.get_rows()),
            messages=len(opened.conversation.tree),
            size=opened.kept.size,
            last=None if opened.kept.last_ns is None else opened.kept.last_ns // 1_000_000,
        )

    def _has_changed(self) -> bool:
        # An undo and a redo return to the same stamp; another window may have seen the states
        # between.
        return (
            self._cache.compute_stamp(self._cid) != self._stamp
            or self._read_state().last != self._before.last
        )

    def _read_state(self) -> LiveState:
        db, source = self._cache.get_library().db, parse_cid(self._cid).source
        files = [(each.path, each.generation, each.length) for each in files_of(db, source)]
        history = read_edit_history(db, source)
        return LiveState(files, history.saved, list(history.standing), history.last)


class LiveQuery(Struct, frozen=True, kw_only=True):
    """What a page already has."""

    stamp: str | None = None
    """The state that it shows; None for the current one."""


def has_forked(opened: OpenConversation, before: str | None) -> bool:
    """Whether the branch that ended with a message still exists but is no longer the current
    one."""
    if before is None or before not in opened.conversation.skeleton.by_id:
        return False
    return opened.get_rows().find_number(before) is None


class LiveState(NamedTuple):
    """The parts of a conversation's state, to find out which of them changed."""

    files: list[tuple[bytes, int, int]]
    saved: object
    edits: list[int]
    last: int | None
    """The last entry of the edit log."""


def find_cause(before: LiveState, after: LiveState) -> Literal["file", "edit", "save"]:
    """Return what led from one state to another; a save changes the file, too.

    Equal states changed before watching began. That is an edit, as the page then loads everything
    again.
    """
    if after.saved is not None and after.saved != before.saved:
        return "save"
    return "edit" if after.files == before.files else "file"


def _live(studio: StudioContext, call: RouteCall) -> Response:
    cid = call.path["cid"]
    studio.cache.find_library_entry(cid)
    return stream_events(
        call.request, "changed", Watch(studio.cache, cid, call.query.stamp).find_change, every=EVERY
    )


ROUTES = (
    Route(
        "GET", "/c/{cid}/live", _live, "Events `changed` as the conversation grows or is edited.",
        query=LiveQuery, gives=ConversationChanged, media="text/event-stream",
    ),
)  # fmt: skip
