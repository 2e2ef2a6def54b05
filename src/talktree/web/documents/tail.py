"""The end of the current branch, before anybody has looked at the rest."""

from __future__ import annotations

from msgspec.structs import replace

from talktree.web.documents.desk import Desk, Opened
from talktree.web.documents.row_body import RowMaker
from talktree.web.documents.stamp import companions_stamp, edits_of, stamp_of
from talktree.web.documents.suffix import end_of
from talktree.web.schemas.transcript import Tail


def tail(desk: Desk, cid: str, limit: int) -> Tail:
    """The last rows; their numbers count from the end."""
    if not desk.is_at_hand(cid):
        found = _end(desk, cid, limit)
        if found is not None:
            told = tail_of(found, limit)
            desk.prepare(cid)
            return told
    return tail_of(desk.open(cid), limit)


def _end(desk: Desk, cid: str, limit: int) -> Opened | None:
    """The end of the source, if it can be told without the rest and nothing in it was edited."""
    library = desk.library()
    with library.db.snapshot():
        kept, name = desk.kept(cid)
        history = edits_of(library.db, name.source)
        if name.number or history.standing or not history.is_saved:
            return None
        if companions_stamp(library.db, name.source):
            return None  # sub-agents may begin at any of the last messages
        stamp = stamp_of(library.db, name.source, history)
        return end_of(library.db, library.archive, kept, stamp, limit)


def tail_of(opened: Opened, limit: int) -> Tail:
    """The last rows of a conversation that is open."""
    rows = opened.rows()
    first = max(0, len(rows) - limit)
    found = RowMaker(opened, rows).page(first, limit)
    return Tail(
        title=opened.title,
        format=opened.kept.format,
        rows=tuple(replace(row, number=row.number - len(rows)) for row in found),
        stamp=opened.stamp,
    )
