"""API replies: what identifies one in every file, and the tokens it used.

Programs record a reply in several pieces and copy it when a session is forked or resumed. All of
them have the same name here, and the piece with the most tokens counts. Formats yield the replies
of their messages (`Format.replies`); every token count uses them.
"""

from __future__ import annotations

from typing import NamedTuple

from talktree.model.message import SIDECHAIN, Message, Usage

SYNTHETIC = "<synthetic>"
"""The model of an answer that was not made by a model; it costs nothing."""
MOST_TOKENS = 1 << 53
"""A larger number of tokens is considered damaged data."""


class ReplyUsage(NamedTuple):
    """A reply as one record has it."""

    name: str
    """The same for all pieces and copies of the reply, in all files."""
    usage: Usage
    hour: int
    """The part of the cache writes that is kept for an hour."""
    time: int | None
    model: str | None
    sidechain: bool


def make_reply_usage(
    message: Message,
    own: str,
    *,
    request: str | None = None,
    written: int | None = None,
    hour: int = 0,
) -> ReplyUsage | None:
    """Return the reply that a message is a piece of; None if it has no token counts.

    `own` is the id of the message in its file, `request` the API request it answers, and `written`
    the tokens written to the cache if the format counts them separately.
    """
    used = message.usage
    if used is None or message.model == SYNTHETIC:
        return None
    cached = used.cache_write if written is None else written
    counts = tuple(map(to_valid_count, (used.input, used.output, used.cache_read, cached)))
    name = reply_name(message.api_message, request) or make_reply_name(
        own, message.session, message.time_ns, message.model, (*counts, hour)
    )
    side = SIDECHAIN in message.flags
    return ReplyUsage(name, Usage(*counts), hour, message.time_ns, message.model, side)


def reply_name(api_message: str | None, request: str | None) -> str:
    """Return the name of a reply: the id of the API message, else of the request; may be empty."""
    return api_message or request or ""


def make_reply_name(
    own: str,
    session: str | None,
    time: int | None,
    model: str | None,
    counts: tuple[int, ...],
) -> str:
    """Return the name of a reply that has no id of its own."""
    return f"{own}|{session}|{time}|{model}|{' '.join(map(str, counts))}"


def sum_tokens(usage: Usage) -> int:
    """Return the sum of all tokens."""
    return usage.input + usage.output + usage.cache_read + usage.cache_write


def to_valid_count(number: int) -> int:
    """Return a valid number of tokens; 0 if it is impossible."""
    return number if 0 <= number < MOST_TOKENS else 0
