"""Ranges of a branch: its rows, the place of a message, and the rows that contain a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from talktree.errors import UsageError
from talktree.web.documents.find import find_rows
from talktree.web.documents.row_body import MOST_ROWS, RowMaker
from talktree.web.documents.row_filter import find_matching_rows
from talktree.web.documents.row_place import find_place
from talktree.web.documents.tail import read_tail
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.transcript import BranchTail, FoundRows, MessagePlace, RowRange

if TYPE_CHECKING:
    from talktree.web.studio import StudioContext


class RowsQuery(Struct, frozen=True, kw_only=True):
    """Which range of which branch."""

    leaf: str | None = None
    start: int = field(default=0, name="from")
    limit: int = 50
    show: str = ""
    """Only rows that match all of this: `role:user,tool:Bash`; the same name twice means `or`."""


class TailQuery(Struct, frozen=True, kw_only=True):
    """How many rows."""

    limit: int = 50


class PlaceQuery(Struct, frozen=True, kw_only=True):
    """Which message, and on which branch to look for it first."""

    id: str = ""
    leaf: str | None = None


class FindQuery(Struct, frozen=True, kw_only=True):
    """What to look for, and from which row on."""

    leaf: str | None = None
    text: str = ""
    start: int = field(default=0, name="from")


def _rows(studio: StudioContext, call: RouteCall) -> RowRange:
    query: RowsQuery = call.query
    opened = studio.cache.open(call.path["cid"])
    rows = opened.get_rows(query.leaf)
    start, limit = clamp_range(query.start, query.limit)
    maker = RowMaker(opened, rows)
    if not query.show:
        total, found = len(rows), maker.make_page(start, limit)
    else:
        numbers = find_matching_rows(opened, rows, query.show)
        total, found = len(numbers), maker.make_rows(list(numbers[start : start + limit]))
    return RowRange(stamp=opened.stamp, leaf=rows.leaf, total=total, start=start, rows=found)


def _tail(studio: StudioContext, call: RouteCall) -> BranchTail:
    _, limit = clamp_range(0, call.query.limit)
    return read_tail(studio.cache, call.path["cid"], limit)


def _place(studio: StudioContext, call: RouteCall) -> MessagePlace:
    query: PlaceQuery = call.query
    return find_place(studio.cache.open(call.path["cid"]), query.id, query.leaf)


def _find(studio: StudioContext, call: RouteCall) -> FoundRows:
    query: FindQuery = call.query
    if not query.text:
        raise UsageError("there is nothing to look for", hint="name a text")
    opened = studio.cache.open(call.path["cid"])
    return find_rows(
        opened.conversation, opened.get_rows(query.leaf), query.text, max(0, query.start)
    )


def clamp_range(start: int, limit: int, most: int = MOST_ROWS) -> tuple[int, int]:
    """Return a valid start and length; never more than is sent in one response."""
    if start < 0 or limit < 0:
        raise UsageError("a beginning or a limit cannot be negative", hint="count from 0")
    return start, min(limit, most)


ROUTES = (
    Route(
        "GET", "/c/{cid}/rows", _rows, "A stretch of a branch.", query=RowsQuery, gives=RowRange
    ),
    Route(
        "GET", "/c/{cid}/tail", _tail, "The end of the current branch, before all else is known.",
        query=TailQuery, gives=BranchTail,
    ),
    Route(
        "GET", "/c/{cid}/place", _place, "On which branch and in which row a message is.",
        query=PlaceQuery, gives=MessagePlace,
    ),
    Route(
        "GET", "/c/{cid}/find", _find, "The rows of a branch in which a text is said.",
        query=FindQuery, gives=FoundRows,
    ),
)  # fmt: skip
