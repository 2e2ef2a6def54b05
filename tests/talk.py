"""Conversations made of given messages, without any format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from talktree.model.conversation import Conversation, Reading, make_member_numbers
from talktree.model.entries import Entry
from talktree.model.measures import MessageMeasures, get_common_measures
from talktree.model.message import Message
from talktree.model.outline import outline_entry
from talktree.model.parts import Part, Text, ToolCall, ToolResult
from talktree.model.replies import ReplyUsage, make_reply_usage
from talktree.model.skeleton import Skeleton
from talktree.text.times import SECOND


class Shelf:
    """A store that holds its messages."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages

    def entry(self, number: int, id: str, parent: str | None) -> Entry:
        return replace(self._messages[number], id=id, parent=parent)

    def entries(
        self, numbers: Sequence[int], names: Iterator[tuple[str, str | None]]
    ) -> Iterator[Entry]:
        return (self.entry(number, *next(names)) for number in numbers)

    def link(self, skeleton: Skeleton, read: Reading) -> None:
        """Return nothing: contents reveal no links here."""

    def replies(self, message: Message, own: str) -> Iterator[ReplyUsage]:
        found = make_reply_usage(message, own)
        return iter(() if found is None else (found,))

    def measures(self, message: Message) -> MessageMeasures:
        return get_common_measures(message)


def talk(messages: Iterable[Message], *, format: str = "claude-messages") -> Conversation:
    """Return a conversation of these messages, in this order."""
    listed = list(messages)
    skeleton = Skeleton()
    for message in listed:
        skeleton.add_outline(outline_entry(message))
    skeleton.finish()
    return Conversation(
        id="talk",
        format=format,
        store=Shelf(listed),
        members=make_member_numbers(len(listed)),
        skeleton=skeleton,
    )


def said(id: str, parent: str | None = None, text: str = "", **fields: object) -> Message:
    """Return a message; by default the user's words."""
    parts: tuple[Part, ...] = (Text(text or id),)
    return Message(**{"id": id, "parent": parent, "role": "user", "parts": parts, **fields})  # type: ignore[arg-type]


def reply(id: str, parent: str | None = None, text: str = "", **fields: object) -> Message:
    """Return a reply of the assistant."""
    return said(id, parent, text, **{"role": "assistant", **fields})


def call(id: str, parent: str | None, *calls: ToolCall, **fields: object) -> Message:
    """Return a message of the assistant with tool calls."""
    return reply(id, parent, "", **{"parts": calls, **fields})


def result(id: str, parent: str | None, *results: ToolResult, **fields: object) -> Message:
    """Return a message with tool results."""
    return said(id, parent, "", **{"role": "tool", "parts": results, **fields})


def at(seconds: float) -> int:
    """Return a time: a number of seconds after the start of 1 March 2026."""
    return 1_772_323_200 * SECOND + int(seconds * SECOND)
