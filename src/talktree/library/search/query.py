"""What a query says, as values. `meaning.py` says what each of them finds."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class Row(NamedTuple):
    """These words in a row; often just one."""

    words: tuple[str, ...]


class Prefix(NamedTuple):
    """These words in a row, where the last may go on."""

    words: tuple[str, ...]


class Part(NamedTuple):
    """This text anywhere, also inside of words: as `words.letters` has it."""

    text: str


class Field(NamedTuple):
    """All these words in that field."""

    name: str
    words: tuple[str, ...]


class Time(NamedTuple):
    """From a second on, and before another; None is no bound."""

    start: int | None
    end: int | None


class Is(NamedTuple):
    """What a piece is: error, sidechain, abandoned, compacted."""

    what: str


class Session(NamedTuple):
    """A conversation whose id begins so."""

    id: str


class All(NamedTuple):
    """All of these hold."""

    parts: tuple[Query, ...]


class Any(NamedTuple):
    """At least one of these holds."""

    parts: tuple[Query, ...]


class Not(NamedTuple):
    """This does not hold."""

    part: Query


Query: TypeAlias = Row | Prefix | Part | Field | Time | Is | Session | All | Any | Not
