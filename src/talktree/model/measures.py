"""Measures that a format records about a message: its classification and ratings.

Formats fill in a `MessageMeasures` (`Format.measures`); statistics, search, tables and the studio
read it from there. Tokens that are summed come from replies (`model/replies.py`), which formats
make from these counts if they have no others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

from talktree.model.message import Message, Usage

MOST_SECONDS = 1e9
"""A longer time is considered damaged data."""


class MessageMeasures(Struct, frozen=True, kw_only=True):
    """The measures of one message; None or empty if not recorded."""

    tags: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    language: str | None = None
    safe: bool | None = None
    topics: tuple[str, ...] = ()
    sentiment: str | None = None
    plugins: tuple[str, ...] = ()
    external_knowledge: str | None = None
    preferred: bool | None = None
    opt_status: str | None = None
    beta: bool | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    """The recorded total; it is never added to its parts."""
    uncounted_tokens: str | None = None
    """Token counts in an unknown shape, as JSON; they are shown and not counted."""
    seconds_until_streaming: float | None = None
    seconds_until_finished: float | None = None


NO_MEASURES = MessageMeasures()


class MeasureField(NamedTuple):
    """A member of `MessageMeasures`, and its name where each value counts separately."""

    member: str
    name: str


WORDS = (
    MeasureField("tags", "tag"),
    MeasureField("authors", "author"),
    MeasureField("language", "language"),
    MeasureField("safe", "safe"),
    MeasureField("topics", "topic"),
    MeasureField("sentiment", "sentiment"),
    MeasureField("plugins", "plugin"),
    MeasureField("external_knowledge", "external_knowledge"),
    MeasureField("preferred", "preferred"),
    MeasureField("opt_status", "opt_status"),
    MeasureField("beta", "beta"),
    MeasureField("uncounted_tokens", "uncounted_tokens"),
)
"""Measures whose values are words: the occurrences of each are counted."""
NUMBERS = (
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "seconds_until_streaming",
    "seconds_until_finished",
)
"""Measures whose values are numbers."""
SEARCHED = frozenset({"tag", "author", "language", "safe", "topic", "sentiment"})
"""Names of measures that are fields of queries."""


def get_common_measures(message: Message) -> MessageMeasures:
    """Return the measures that messages of every format may have: tags and authors."""
    if not message.tags and not message.authors:
        return NO_MEASURES
    return MessageMeasures(
        tags=message.tags, authors=tuple(each.name for each in message.authors if each.name)
    )


def iterate_word_measures(measures: MessageMeasures) -> Iterator[tuple[str, str]]:
    """Yield the names and values of all word measures; booleans are `true` and `false`."""
    if measures is NO_MEASURES:
        return
    for member, name in WORDS:
        value = getattr(measures, member)
        if isinstance(value, bool):
            yield name, "true" if value else "false"
        elif isinstance(value, str):
            yield name, value
        elif value is not None:
            for word in value:
                yield name, word


def iterate_number_measures(measures: MessageMeasures) -> Iterator[tuple[str, float]]:
    """Yield the names and values of all number measures."""
    if measures is NO_MEASURES:
        return
    for name in NUMBERS:
        value = getattr(measures, name)
        if value is not None:
            yield name, float(value)


def list_search_words(measures: MessageMeasures) -> tuple[tuple[str, str], ...]:
    """Return the words by which fields of queries find a message."""
    return tuple(each for each in iterate_word_measures(measures) if each[0] in SEARCHED)


def get_recorded_usage(measures: MessageMeasures) -> Usage | None:
    """Return the tokens that the format recorded beside a message."""
    if measures.input_tokens is None and measures.output_tokens is None:
        return None
    return Usage(input=measures.input_tokens or 0, output=measures.output_tokens or 0)


def get_recorded_seconds(measures: MessageMeasures) -> float | None:
    """Return the recorded duration of a reply, which overrides the times of messages."""
    finished = measures.seconds_until_finished
    return measures.seconds_until_streaming if finished is None else finished
