"""The conversations of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from talktree.formats import resolve_alias
from talktree.web.documents.cards import CardFilter, list_cards, list_failed_sources
from talktree.web.routes.route import Route, RouteCall
from talktree.web.routes.rows import clamp_range
from talktree.web.schemas.library import CardList, Failures

if TYPE_CHECKING:
    from talktree.web.studio import StudioContext

MOST_CARDS = 200
MOST_FAILURES = 500


class ListQuery(Struct, frozen=True, kw_only=True):
    """Which conversations, in which order, which range."""

    format: str = ""
    project: str = ""
    text: str = ""
    sort: str = "new"
    start: int = field(default=0, name="from")
    limit: int = 50


def _conversations(studio: StudioContext, call: RouteCall) -> CardList:
    query: ListQuery = call.query
    start, limit = clamp_range(query.start, query.limit, MOST_CARDS)
    wanted = CardFilter(query.format and resolve_alias(query.format), query.project, query.text)
    return list_cards(studio.cache, wanted, query.sort, start, limit)


def _failures(studio: StudioContext, call: RouteCall) -> Failures:
    return list_failed_sources(studio.cache, MOST_FAILURES)


ROUTES = (
    Route(
        "GET", "/conversations", _conversations, "The conversations of the library.",
        query=ListQuery, gives=CardList,
    ),
    Route(
        "GET", "/failures", _failures, "Files that were not imported, or only in part, and why.",
        gives=Failures,
    ),
)  # fmt: skip
