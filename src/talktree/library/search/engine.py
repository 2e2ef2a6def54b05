"""Running a query on the index of a library, of either kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from tantivy import Order

from talktree.library.fulltext.index import FullText, PieceAddress, translate_failures
from talktree.library.search.compile import RecordRange, compile_query
from talktree.library.search.query import Query

if TYPE_CHECKING:
    from talktree.library.fulltext.either_index import AnyFullText

Sessions = Callable[[str], Sequence[RecordRange]]


class Matches(Protocol):
    """The documents that a query finds, as of the last commit when it began."""

    rest: Query | None
    """The conditions that remain to be checked for its results; None if all of them match."""
    ranked: bool
    """Whether the scores are meaningful."""

    def count(self) -> int:
        """Return how many there are."""

    def places(self) -> list[PieceAddress]:
        """Return all of them, in no order."""

    def page(
        self, sort: str, size: int, offset: int, *, is_last: bool
    ) -> list[tuple[float, PieceAddress]]:
        """Return some of them in order, with their scores; `is_last` means the last page."""


def find_matches(index: AnyFullText, query: Query, sessions: Sessions) -> Matches:
    """Run a query; `sessions` finds conversations by prefixes of their ids."""
    if isinstance(index, FullText):
        return _TantivyMatches(index, query, sessions)
    from talktree.library.search.encrypted_search import EncryptedMatches  # few libraries need it

    return EncryptedMatches(index, query, sessions)


class _TantivyMatches:
    """The results of tantivy."""

    def __init__(self, index: FullText, query: Query, sessions: Sessions) -> None:
        self._index = index
        self._searcher = index.searcher()
        self._compiled = compile_query(query, sessions)
        self.rest = self._compiled.rest
        self.ranked = self._compiled.ranked

    def count(self) -> int:
        """Return how many there are."""
        with translate_failures():
            counted: Any = self._searcher.search(self._compiled.query, 1, count=True)
        return int(counted.count)

    def places(self) -> list[PieceAddress]:
        """Return all of them, in no order."""
        with translate_failures():
            found = self._searcher.search(self._compiled.query, max(1, self.count()), count=False)
        return self._index.read_places(self._searcher, [where for _, where in found.hits])

    def page(
        self, sort: str, size: int, offset: int, *, is_last: bool
    ) -> list[tuple[float, PieceAddress]]:
        """Return some of them in order, with their scores."""
        query = self._compiled.query
        with translate_failures():
            if sort == "best":
                hits = self._searcher.search(query, size, False, offset=offset).hits
            else:
                order = Order.Desc if sort == "new" else Order.Asc
                hits = self._searcher.search(
                    query, size, False, order_by_field="time", offset=offset, order=order
                ).hits
        places = self._index.read_places(self._searcher, [where for _, where in hits])
        return [(score, place) for (score, _), place in zip(hits, places, strict=True)]
