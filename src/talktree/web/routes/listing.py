"""The conversations of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from talktree.formats import resolve_alias
from talktree.web.documents.cards import Wanted, failed_sources, listed
from talktree.web.routes.route import Call, Route
from talktree.web.routes.rows import stretch
from talktree.web.schemas.library import Failures, Listed

if TYPE_CHECKING:
    from talktree.web.studio import Studio

MOST_CARDS = 200
MOST_FAILURES = 500


class ListQuery(Struct, frozen=True, kw_only=True):
    """Which conversations, in which order, which stretch."""

    format: str = ""
    project: str = ""
    text: str = ""
    sort: str = "new"
    start: int = field(default=0, name="from")
    limit: int = 50


def _conversations(studio: Studio, call: Call) -> Listed:
    query: ListQuery = call.query
    start, limit = stretch(query.start, query.limit, MOST_CARDS)
    wanted = Wanted(query.format and resolve_alias(query.format), query.project, query.text)
    return listed(studio.desk, wanted, query.sort, start, limit)


def _failures(studio: Studio, call: Call) -> Failures:
    return failed_sources(studio.desk, MOST_FAILURES)


ROUTES = (
    Route(
        "GET", "/conversations", _conversations, "The conversations of the library.",
        query=ListQuery, gives=Listed,
    ),
    Route(
        "GET", "/failures", _failures, "Files that were not imported, or only in part, and why.",
        gives=Failures,
    ),
)  # fmt: skip
