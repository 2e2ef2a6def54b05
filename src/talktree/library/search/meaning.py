"""What a query finds, said of one piece at a time.

This is the definition: the index must find exactly the pieces that match here. It also decides
where the index can only tell which pieces might match.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from talktree.library.fulltext.tokenizer import tag_words, words
from talktree.library.search.phrase_pattern import Pattern, pattern_of
from talktree.library.search.query import (
    All,
    Any,
    Field,
    Is,
    Not,
    Part,
    Prefix,
    Query,
    Row,
    Session,
    Time,
)

if TYPE_CHECKING:
    from talktree.library.extract.told import Piece

IN_TAGS = frozenset({"error", "sidechain", "deleted"})
"""What a piece is by itself; the rest is told by the shape of its conversation."""


class Seen(Protocol):
    """A piece as queries look at it, each of its sides only if it is asked for."""

    @property
    def piece(self) -> Piece:
        """The piece."""

    @property
    def state(self) -> str:
        """What the current leaf makes of its record."""

    @property
    def conversation(self) -> str:
        """The id of the conversation it is in."""

    @property
    def row(self) -> list[str]:
        """Its words in their order, with empty places for those that are too long."""

    @property
    def letters(self) -> str:
        """Its text without regard to case and accents."""


def matches(query: Query, seen: Seen) -> bool:
    """Whether a piece is what the query looks for."""
    match query:
        case Row(words=found):
            return in_a_row(seen.row, Pattern(found, whole_first=True, whole_last=True))
        case Prefix(words=found):
            return in_a_row(seen.row, Pattern(found, whole_first=True, whole_last=False))
        case Part(text=text):
            return text in seen.letters and _has_words(text, seen)
        case Field(name=name, words=found):
            return has_in_field(seen.piece, name, found)
        case Time(start=start, end=end):
            return _is_between(seen.piece.time, start, end)
        case Is(what=what):
            return _is(what, seen)
        case Session(id=id):
            return seen.conversation.startswith(id)
        case All(parts=parts):
            return all(matches(part, seen) for part in parts)
        case Any(parts=parts):
            return any(matches(part, seen) for part in parts)
        case Not(part=part):
            return not matches(part, seen)


def in_a_row(found: list[str], pattern: Pattern) -> bool:
    """Whether somewhere these words follow each other."""
    count = len(pattern.words)
    return not count or any(
        pattern.fits(found[start : start + count]) for start in range(len(found) - count + 1)
    )


def _has_words(text: str, seen: Seen) -> bool:
    """Whether the text is not just inside of a word that is too long to be found."""
    pattern = pattern_of(text)
    return not pattern.words or in_a_row(seen.row, pattern)


def _is(what: str, seen: Seen) -> bool:
    if what in IN_TAGS:
        return f"is={what}" in seen.piece.tags.split()
    return seen.state == what


def has_in_field(piece: Piece, name: str, found: tuple[str, ...]) -> bool:
    """Whether a piece has all these words in a field."""
    if name == "file":
        return set(words(piece.files)).issuperset(found)
    tags = piece.tags.split()
    return all(tag in tags for word in found for tag in tag_words(name, word))


def _is_between(time: int | None, start: int | None, end: int | None) -> bool:
    if time is None:
        return False
    return (start is None or start <= time) and (end is None or time < end)
