"""The syntax tree of a query, as values. `match.py` defines what each of them finds."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct


class Phrase(Struct, frozen=True):
    """Consecutive words; often just one."""

    words: tuple[str, ...]


class Prefix(Struct, frozen=True):
    """Consecutive words, the last of which is a prefix."""

    words: tuple[str, ...]


class Substring(Struct, frozen=True):
    """A text anywhere, also inside words, in the form of `tokenizer.normalize_letters`."""

    text: str


class Field(Struct, frozen=True):
    """Words that a field must all have."""

    name: str
    words: tuple[str, ...]


class TimeWindow(Struct, frozen=True):
    """From a second on, and before another; None means unbounded."""

    start: int | None
    end: int | None


class HasState(Struct, frozen=True):
    """The state of a piece: error, sidechain, abandoned, compacted, deleted."""

    what: str


class SessionIs(Struct, frozen=True):
    """A conversation whose id has this prefix."""

    id: str


class AllOf(Struct, frozen=True):
    """All of these match."""

    parts: tuple[Query, ...]


class AnyOf(Struct, frozen=True):
    """At least one of these matches."""

    parts: tuple[Query, ...]


class Negation(Struct, frozen=True):
    """This does not match."""

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
