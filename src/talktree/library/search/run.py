"""Searching: the pieces a query finds, best or newest first, each with an excerpt.

Hits are made on demand, a page at a time. What the index cannot decide is checked for each piece on
the way (`match.matches`), reading only as much of it as that needs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from talktree.errors import UsageError
from talktree.library.fulltext.tokenizer import normalize_letters, split_words_with_gaps
from talktree.library.search.backend import (
    HitConversation,
    RecordState,
    SearchableLibrary,
    SearchBackend,
    get_backend,
)
from talktree.library.search.engine import find_matches
from talktree.library.search.excerpt import WIDTH, make_excerpt
from talktree.library.search.match import Needle, collect_needles, matches
from talktree.library.search.parse import parse
from talktree.library.search.query import Query
from talktree.text.times import SECOND, to_datetime

if TYPE_CHECKING:
    from datetime import datetime

    from talktree.library.extract.facts import SearchPiece
    from talktree.library.fulltext.index import PieceAddress


class Candidate:
    """A piece that the index has found; its parts are read on demand."""

    def __init__(self, shelf: SearchBackend, place: PieceAddress, score: float = 0.0) -> None:
        self._shelf = shelf
        self.place = place
        self.score = score

    @cached_property
    def is_there(self) -> bool:
        """Whether the archive still has it; its file may have changed since the index was made."""
        return self.about is not None

    @cached_property
    def about(self) -> HitConversation | None:
        """The facts of its conversation."""
        return self._shelf.about(self.place.source, self.place.at)

    @cached_property
    def piece(self) -> SearchPiece:
        """The piece itself; an empty one if its record has changed."""
        found = self._shelf.pieces(self.place.source, self.place.at)
        if self.place.part < len(found):
            return found[self.place.part]
        from talktree.library.extract.facts import SearchPiece

        return SearchPiece(self.place.at, "other", "", "", None, "", "")

    @cached_property
    def where(self) -> RecordState:
        """The id and the state of its record."""
        return self._shelf.where(self.place.source, self.place.at)

    @property
    def state(self) -> str:
        """The state of its record relative to the current leaf."""
        return self.where.state

    @property
    def conversation(self) -> str:
        """The id of its conversation."""
        return self.about.conversation if self.about else ""

    @cached_property
    def row(self) -> list[str]:
        """Its words in order."""
        return split_words_with_gaps(self.piece.text)

    @cached_property
    def letters(self) -> str:
        """Its text without case and accents."""
        return normalize_letters(self.piece.text)


SORTS = ("best", "new", "old")
_PAGE = 20
_AHEAD = 12
"""Hits per fetch: a screen of ten, and those that show that the last has no copy."""
_LARGEST_PAGE = 1_000


class Hit(NamedTuple):
    """A piece that was found."""

    source: int
    conversation: str
    raw_path: bytes
    format: str
    title: str | None
    project: str | None
    message: str | None
    """The id of its message, if it has one."""
    at: int
    part: int
    role: str
    kind: str
    seconds: int | None
    """When its message was written, in seconds since 1970."""
    state: str
    """Whether the conversation continues from it: current, abandoned or compacted."""
    sidechain: bool
    """Whether it is from a sub-agent."""
    deleted: bool
    """Whether its message is deleted."""
    here: bool
    """Whether its file still exists."""
    score: float
    """Its relevance, without a unit; 0 if hits are sorted by time."""
    excerpt: str
    marks: tuple[tuple[int, int], ...]
    """The spans of the excerpt that match."""

    @property
    def path(self) -> Path:
        """Where the file of its conversation is, or was."""
        return Path(os.fsdecode(self.raw_path))

    @property
    def time(self) -> datetime | None:
        """When its message was written, in UTC."""
        return to_datetime(self.time_ns)

    @property
    def time_ns(self) -> int | None:
        """The same in nanoseconds since 1970; the index has whole seconds."""
        return None if self.seconds is None else self.seconds * SECOND


class Results:
    """The results of a query; iterating yields hits."""

    def __init__(
        self,
        shelf: SearchBackend,
        query: Query,
        *,
        limit: int | None,
        offset: int,
        sort: str,
        width: int,
    ) -> None:
        self.query = query
        self._shelf = shelf
        self._limit = limit
        self._offset = offset
        self._width = width
        self._matches = find_matches(shelf.fulltext, query, shelf.sessions)
        self.sort = sort if self._matches.ranked or sort != "best" else "new"
        """Results of conditions alone are sorted by time, newest first."""

    @property
    def hits(self) -> Iterator[Hit]:
        """The hits from the offset on, up to the limit."""
        return iter(self)

    def __iter__(self) -> Iterator[Hit]:
        needles = collect_needles(self.query)
        for candidate in islice(self._find_candidates(), self._limit):
            yield _make_hit(candidate, needles, self._width)

    @property
    def exact(self) -> bool:
        """Whether the index alone decides, so that counting is cheap."""
        return self._matches.rest is None

    @cached_property
    def total(self) -> int:
        """How many there are in all; this reads every piece that the index cannot decide."""
        if self.exact:
            return self._matches.count()
        # In the order of the archive, so that each of its chunks is read once.
        places = sorted(self._matches.places())
        return sum(self._fits(Candidate(self._shelf, place)) for place in places)

    def _find_candidates(self) -> Iterator[Candidate]:
        """Yield the matches, without those before the offset."""
        if self.exact:
            return (each for each in self._read_pages(self._offset) if each.is_there)
        fitting = (each for each in self._read_pages(0) if self._fits(each))
        return islice(fitting, self._offset, None)

    def _fits(self, candidate: Candidate) -> bool:
        rest = self._matches.rest
        return candidate.is_there and (rest is None or matches(rest, candidate))

    def _read_pages(self, offset: int) -> Iterator[Candidate]:
        """Yield the results of the index, from an offset on."""
        whole = self._limit is not None and self.exact
        size = self._limit if self._limit and self.exact else _PAGE
        while True:
            page = self._matches.page(self.sort, size, offset, is_last=whole)
            places = [place for _, place in page]
            for number, (score, place) in enumerate(page):
                if self.exact and not number % _AHEAD:
                    self._shelf.ahead(places[number : number + _AHEAD])
                yield Candidate(self._shelf, place, score if self.sort == "best" else 0.0)
            offset += len(page)
            if len(page) < size:
                return
            size = min(size * 4, _LARGEST_PAGE)


def search(
    library: SearchableLibrary,
    text: str,
    *,
    limit: int | None = 10,
    offset: int = 0,
    sort: str = "best",
) -> Results:
    """Search a library."""
    return search_backend(get_backend(library), text, limit=limit, offset=offset, sort=sort)


def search_backend(
    shelf: SearchBackend,
    text: str,
    *,
    limit: int | None = 10,
    offset: int = 0,
    sort: str = "best",
    width: int = WIDTH,
    now: datetime | None = None,
) -> Results:
    """Search from `offset` on, for at most `limit` hits; all if that is None."""
    if sort not in SORTS:
        raise UsageError(f"hits cannot be sorted by “{sort}”", hint=f"one of {', '.join(SORTS)}")
    if offset < 0 or (limit is not None and limit < 0):
        raise UsageError("a limit or an offset cannot be negative")
    query = parse(text, now)
    return Results(shelf, query, limit=limit, offset=offset, sort=sort, width=width)


def _make_hit(candidate: Candidate, needles: list[Needle], width: int) -> Hit:
    piece, about = candidate.piece, candidate.about
    assert about is not None
    shown = make_excerpt(piece.text, needles, width)
    return Hit(
        source=candidate.place.source,
        conversation=about.conversation,
        raw_path=about.path,
        format=about.format,
        title=about.title,
        project=about.project,
        message=candidate.where.message,
        at=candidate.place.at,
        part=candidate.place.part,
        role=piece.role,
        kind=piece.kind,
        seconds=piece.time,
        state=candidate.where.state,
        sidechain="is=sidechain" in piece.tags.split(),
        deleted="is=deleted" in piece.tags.split(),
        here=about.here and os.path.lexists(about.path),
        score=candidate.score,
        excerpt=shown.text,
        marks=shown.marks,
    )
