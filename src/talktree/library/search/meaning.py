"""What a query finds, said of one piece at a time.

This is the definition: the index must find exactly the pieces that match here. It also decides
where the index can only tell which pieces might match.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from talktree.library.fulltext.words import letters, row, tag_words, words
from talktree.library.reading.told import Piece
from talktree.library.search.pattern import Pattern, pattern_of
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


class Seen:
    """A piece as queries look at it; what they ask for is made once."""

    def __init__(
        self, piece: Piece, *, state: str = "current", sessions: Sequence[str] = ()
    ) -> None:
        self.piece = piece
        self.state = state
        self.sessions = sessions
        """The ids of the conversation it is in."""

    @cached_property
    def row(self) -> list[str]:
        """Its words in their order, with empty places for those that are too long."""
        return row(self.piece.text)

    @cached_property
    def letters(self) -> str:
        """Its text without regard to case and accents."""
        return letters(self.piece.text)

    @cached_property
    def tags(self) -> frozenset[str]:
        """The words of its fields."""
        return frozenset(self.piece.tags.split())

    @cached_property
    def files(self) -> frozenset[str]:
        """The words of the names of its files."""
        return frozenset(words(self.piece.files))


def matches(query: Query, seen: Seen) -> bool:
    """Whether a piece is what the query looks for."""
    match query:
        case Row(words=found):
            return in_a_row(seen.row, Pattern(found, whole_first=True, whole_last=True))
        case Prefix(words=found):
            return in_a_row(seen.row, Pattern(found, whole_first=True, whole_last=False))
        case Part(text=text):
            return text in seen.letters and in_a_row(seen.row, pattern_of(text))
        case Field(name=name, words=found):
            return _has_words(seen, name, found)
        case Time(start=start, end=end):
            return _is_between(seen.piece.time, start, end)
        case Is(what=what):
            return seen.state == what or f"is={what}" in seen.tags
        case Session(id=id):
            return any(native.startswith(id) for native in seen.sessions)
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


def _has_words(seen: Seen, name: str, found: tuple[str, ...]) -> bool:
    if name == "file":
        return seen.files.issuperset(found)
    return seen.tags.issuperset(tag for word in found for tag in tag_words(name, word))


def _is_between(time: int | None, start: int | None, end: int | None) -> bool:
    if time is None:
        return False
    return (start is None or start <= time) and (end is None or time < end)
