"""What a search needs of a library: where pieces are, and what is told of their sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from talktree.library.extract.told import Piece
    from talktree.library.fulltext.either_index import AnyFullText
    from talktree.library.fulltext.index import Place
    from talktree.library.search.compile import Stretch


class About(NamedTuple):
    """What is told of the conversation a piece is in."""

    conversation: str
    """Its id in its own format, or else its number in the library."""
    path: bytes
    format: str
    title: str | None
    project: str | None
    here: bool = True
    """Whether its file is still there."""


class Where(NamedTuple):
    """What is told of one record: its id, and whether the current leaf reaches it."""

    message: str | None
    state: str


class Shelf(Protocol):
    """A library as a search sees it."""

    @property
    def fulltext(self) -> AnyFullText:
        """The index."""

    def ahead(self, places: Sequence[Place]) -> None:
        """Tell that the pieces of these places will be asked for."""

    def pieces(self, source: int, at: int) -> Sequence[Piece]:
        """The pieces of one record, made again; none if it is no longer there."""

    def about(self, source: int, at: int) -> About | None:
        """What is told of the conversation of a record; None if it was forgotten meanwhile."""

    def where(self, source: int, at: int) -> Where:
        """The id of a record, and its state: current, abandoned or compacted."""

    def sessions(self, beginning: str) -> Sequence[Stretch]:
        """The conversations whose ids begin so."""
