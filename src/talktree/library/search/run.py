"""Searching: the pieces a query finds, best or newest first, each with an excerpt.

Hits are made as they are asked for, a page at a time. Where the index cannot tell all by itself,
what it finds is read and judged by `meaning.matches` on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from tantivy import DocAddress, Order, Searcher

from talktree.errors import UsageError
from talktree.library.fulltext.index import Place, failures
from talktree.library.reading.told import Piece
from talktree.library.search.compile import Compiled, compiled
from talktree.library.search.excerpt import WIDTH, excerpt
from talktree.library.search.kept import Library, shelf_of
from talktree.library.search.meaning import Seen, matches
from talktree.library.search.needles import Needle, needles_of
from talktree.library.search.query import Query
from talktree.library.search.shelf import About, Shelf, Where
from talktree.library.search.syntax import parse

SORTS = ("best", "new", "old")
_PAGE = 20
_LARGEST_PAGE = 1_000


class Hit(NamedTuple):
    """A piece that was found."""

    source: int
    conversation: str
    path: bytes
    format: str
    title: str | None
    project: str | None
    message: str | None
    """The id of its message, where it has one."""
    at: int
    part: int
    role: str
    kind: str
    time: int | None
    """Seconds since 1970."""
    state: str
    """Whether the conversation goes on from it: current, abandoned or compacted."""
    score: float
    excerpt: str
    marks: tuple[tuple[int, int], ...]
    """The stretches of the excerpt that match."""


class Results:
    """What a query finds; iterating makes the hits."""

    def __init__(
        self, shelf: Shelf, query: Query, *, limit: int | None, offset: int, sort: str, width: int
    ) -> None:
        self.query = query
        self._shelf = shelf
        self._limit = limit
        self._offset = offset
        self._width = width
        self._compiled = compiled(query, shelf.sessions)
        self._searcher = shelf.fulltext.searcher()
        self.sort = sort if self._compiled.ranked or sort != "best" else "new"
        """What is ranked by nothing but conditions is told newest first."""

    @property
    def hits(self) -> Iterator[Hit]:
        """The hits from the offset on, up to the limit."""
        return iter(self)

    def __iter__(self) -> Iterator[Hit]:
        needles = needles_of(self.query)
        found = self._candidates(self._offset)
        for candidate in islice(found, self._limit):
            yield candidate.hit(needles, self._width)

    @property
    def exact(self) -> bool:
        """Whether the index alone can tell, so that counting costs nothing."""
        return self._compiled.exact

    @cached_property
    def total(self) -> int:
        """How many there are in all; where hits have to be read to be judged, all are read."""
        if not self.exact:
            return sum(1 for _ in self._candidates(0))
        with failures():
            counted: Any = self._searcher.search(self._compiled.query, 1, count=True)
            return int(counted.count)

    def _candidates(self, offset: int) -> Iterator[_Candidate]:
        """What matches, without as many as are to be passed over."""
        if self.exact:
            return self._pages(offset)
        judged = (each for each in self._pages(0) if each.matches(self.query))
        return islice(judged, offset, None)

    def _pages(self, offset: int) -> Iterator[_Candidate]:
        """What the index finds, from an offset on."""
        size = max(1, self._limit) if self._limit and self.exact else _PAGE
        while True:
            page = _page(self._searcher, self._compiled, self.sort, size, offset)
            places = self._shelf.fulltext.places(self._searcher, [where for _, where in page])
            for (score, _), place in zip(page, places, strict=True):
                candidate = _candidate(self._shelf, place, score)
                if candidate:
                    yield candidate
            offset += len(page)
            if len(page) < size:
                return
            size = min(size * 4, _LARGEST_PAGE)


class _Candidate(NamedTuple):
    """A piece the index found, read again."""

    place: Place
    score: float
    piece: Piece
    about: About
    where: Where

    def matches(self, query: Query) -> bool:
        seen = Seen(self.piece, state=self.where.state, sessions=(self.about.conversation,))
        return matches(query, seen)

    def hit(self, needles: list[Needle], width: int) -> Hit:
        piece, about = self.piece, self.about
        shown = excerpt(piece.text, needles, width)
        return Hit(
            source=self.place.source,
            conversation=about.conversation,
            path=about.path,
            format=about.format,
            title=about.title,
            project=about.project,
            message=self.where.message,
            at=self.place.at,
            part=self.place.part,
            role=piece.role,
            kind=piece.kind,
            time=piece.time,
            state=self.where.state,
            score=self.score,
            excerpt=shown.text,
            marks=shown.marks,
        )


def results(
    shelf: Shelf,
    text: str,
    *,
    limit: int | None = 20,
    offset: int = 0,
    sort: str = "best",
    width: int = WIDTH,
    now: datetime | None = None,
) -> Results:
    """What a query finds, from `offset` on and at most `limit`; all if that is None."""
    if sort not in SORTS:
        raise UsageError(f"hits cannot be sorted by “{sort}”", hint=f"one of {', '.join(SORTS)}")
    if offset < 0 or (limit is not None and limit < 0):
        raise UsageError("a limit or an offset cannot be negative")
    query = parse(text, now)
    return Results(shelf, query, limit=limit, offset=offset, sort=sort, width=width)


def _page(
    searcher: Searcher, query: Compiled, sort: str, size: int, offset: int
) -> list[tuple[float, DocAddress]]:
    """Some of what the index finds, in order."""
    with failures():
        if sort == "best":
            found = searcher.search(query.query, size, False, offset=offset)
        else:
            order = Order.Desc if sort == "new" else Order.Asc
            found = searcher.search(
                query.query, size, False, order_by_field="time", offset=offset, order=order
            )
    return found.hits


def _candidate(shelf: Shelf, place: Place, score: float) -> _Candidate | None:
    """What is at a place; None if the archive has gone on since the index was made."""
    about = shelf.about(place.source, place.at)
    pieces = shelf.pieces(place.source, place.at)
    if about is None or place.part >= len(pieces):
        return None
    return _Candidate(
        place, score or 0.0, pieces[place.part], about, shelf.where(place.source, place.at)
    )


def search(
    library: Library, text: str, *, limit: int | None = 20, offset: int = 0, sort: str = "best"
) -> Results:
    """What a query finds in a library."""
    return results(shelf_of(library), text, limit=limit, offset=offset, sort=sort)
