"""What a query says, as values. `match.py` says what each of them finds."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct


class Phrase(Struct, frozen=True):
    """These words in a row; often just one."""

    words: tuple[str, ...]


class Prefix(Struct, frozen=True):
    """These words in a row, where the last may go on."""

    words: tuple[str, ...]


class Substring(Struct, frozen=True):
    """This text anywhere, also inside of words: as `words.letters` has it."""

    text: str


class Field(Struct, frozen=True):
    """All these words in that field."""

    name: str
    words: tuple[str, ...]


class TimeWindow(Struct, frozen=True):
    """From a second on, and before another; None is no bound."""

    start: int | None
    end: int | None


class HasState(Struct, frozen=True):
    """What a piece is: error, sidechain, abandoned, compacted, deleted."""

    what: str


class SessionIs(Struct, frozen=True):
    """A conversation whose id begins so."""

    id: str


class AllOf(Struct, frozen=True):
    """All of these hold."""

    parts: tuple[Query, ...]


class AnyOf(Struct, frozen=True):
    """At least one of these holds."""

    parts: tuple[Query, ...]


class Negation(Struct, frozen=True):
    """This does not hold."""

    part: Query


Query: TypeAlias = (
    Phrase
    | Prefix
    | Substring
    | Field
    | TimeWindow
    | HasState
    | SessionIs
    | AllOf
    | AnyOf
    | Negation
)
