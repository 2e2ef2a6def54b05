"""Search all conversations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct, field

from talktree.library.listing import find_number_at
from talktree.web.documents.ids import ConversationName
from talktree.web.routes.route import Route, RouteCall
from talktree.web.routes.rows import clamp_range
from talktree.web.schemas.library import MarkedText, SearchHit, SearchResults

if TYPE_CHECKING:
    from talktree.library.database.connection import Database
    from talktree.library.search.run import Hit
    from talktree.web.studio import StudioContext

MOST_HITS = 100
SECOND = 1000


class SearchQuery(Struct, frozen=True, kw_only=True):
    """The query, in the language of `talktree search`."""

    query: str = ""
    sort: str = "best"
    start: int = field(default=0, name="from")
    limit: int = 20


def _search(studio: StudioContext, call: RouteCall) -> SearchResults:
    query: SearchQuery = call.query
    start, limit = clamp_range(query.start, query.limit, MOST_HITS)
    library = studio.cache.get_library()
    if not query.query.strip() or not library.has_fulltext():
        return SearchResults(total=0, exact=True, hits=())
    results = library.search(query.query, limit=limit + 1, offset=start, sort=query.sort)
    hits = list(results)
    # Where documents must be read to decide, counting all of them could take minutes.
    total = results.total if results.exact else start + len(hits)
    shown = tuple(_to_search_hit(library.db, each) for each in hits[:limit])
    return SearchResults(total=total, exact=results.exact or len(hits) <= limit, hits=shown)


def _to_search_hit(db: Database, hit: Hit) -> SearchHit:
    return SearchHit(
        cid=str(ConversationName(hit.source, find_number_at(db, hit.source, hit.at))),
        message=hit.message or None,
        title=hit.title or hit.conversation,
        format=hit.format,
        project=hit.project,
        role=hit.role,
        kind=hit.kind,
        time=None if hit.seconds is None else hit.seconds * SECOND,
        state="deleted" if hit.deleted else hit.state,
        excerpt=tuple(split_spans(hit.excerpt, hit.marks)),
    )


def split_spans(text: str, marks: tuple[tuple[int, int], ...]) -> Iterator[MarkedText]:
    """Split a text into spans, marked and unmarked."""
    at = 0
    for start, end in marks:
        if at < start:
            yield MarkedText(text[at:start])
        if max(at, start) < end:
            yield MarkedText(text[max(at, start) : end], mark=True)
        at = max(at, end)
    if at < len(text):
        yield MarkedText(text[at:])


ROUTES = (
    Route(
        "GET", "/search", _search, "What was said anywhere, best or newest first.",
        query=SearchQuery, gives=SearchResults,
    ),
)  # fmt: skip
