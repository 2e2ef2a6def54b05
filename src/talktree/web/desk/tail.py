"""The end of the current branch, before anybody has looked at the rest."""

from __future__ import annotations

from msgspec.structs import replace

from talktree.web.desk.desk import Desk, Opened
from talktree.web.desk.row_shape import RowMaker
from talktree.web.shapes.conversation import Tail


def tail(desk: Desk, cid: str, limit: int) -> Tail:
    """The last rows; their numbers count from the end."""
    return tail_of(desk.open(cid), limit)


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
