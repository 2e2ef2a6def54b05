"""A piece the index has found, of which only that is read what is asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from talktree.library.fulltext.tokenizer import letters, row
from talktree.library.search.shelf import About, Shelf, Where

if TYPE_CHECKING:
    from talktree.library.extract.told import Piece
    from talktree.library.fulltext.index import Place


class Candidate:
    """What is at a place of a shelf."""

    def __init__(self, shelf: Shelf, place: Place, score: float = 0.0) -> None:
        self._shelf = shelf
        self.place = place
        self.score = score

    @cached_property
    def is_there(self) -> bool:
        """Whether the archive still has it; it may have gone on since the index was made."""
        return self.about is not None

    @cached_property
    def about(self) -> About | None:
        """What is told of its conversation."""
        return self._shelf.about(self.place.source, self.place.at)

    @cached_property
    def piece(self) -> Piece:
        """The piece itself; an empty one if its record is not what it was."""
        found = self._shelf.pieces(self.place.source, self.place.at)
        if self.place.part < len(found):
            return found[self.place.part]
        from talktree.library.extract.told import Piece

        return Piece(self.place.at, "other", "", "", None, "", "")

    @cached_property
    def where(self) -> Where:
        """The id and the state of its record."""
        return self._shelf.where(self.place.source, self.place.at)

    @property
    def state(self) -> str:
        """What the current leaf makes of its record."""
        return self.where.state

    @property
    def conversation(self) -> str:
        """The id of its conversation."""
        return self.about.conversation if self.about else ""

    @cached_property
    def row(self) -> list[str]:
        """Its words in their order."""
        return row(self.piece.text)

    @cached_property
    def letters(self) -> str:
        """Its text without regard to case and accents."""
        return letters(self.piece.text)
