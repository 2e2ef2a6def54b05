"""Compaction: a summary replaces earlier messages in the context; the messages stay recorded.

Four `system` lines record it: compacting and compacted, restoring and restored. From `compacted`
on, the context of the model is the summary and what follows; from `restored` on, it is all messages
again. The lines themselves are for people and belong to no context.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from talktree.formats.sage.detect_kinds import OPERATIONS
from talktree.model.compaction import find_context_start
from talktree.model.message import Message
from talktree.model.parts import Event
from talktree.session.index.index import SessionIndex
from talktree.session.index.node import IndexedMessage

COMPACTING = "conversation_compacting"
COMPACTED = "conversation_compacted"
RESTORING = "conversation_restoring"
RESTORED = "conversation_restored"
MARKS = frozenset(OPERATIONS.values())


class CompactionStatistics(NamedTuple):
    """The statistics of a compaction."""

    messages_before: int
    messages_after: int
    tokens_before: int | None = None
    tokens_after: int | None = None

    @property
    def ratio(self) -> float:
        """The remaining fraction: of the tokens if they are known, else of the messages."""
        if self.tokens_before and self.tokens_after is not None:
            return round(self.tokens_after / self.tokens_before, 4)
        return round(self.messages_after / self.messages_before, 4) if self.messages_before else 1.0

    def to_json(self) -> dict[str, Any]:
        """Return the statistics as JSON for a line."""
        counts = {
            "messagesBefore": self.messages_before,
            "messagesAfter": self.messages_after,
            "tokensBefore": self.tokens_before,
            "tokensAfter": self.tokens_after,
        }
        details = {name: count for name, count in counts.items() if count is not None}
        return {**details, "ratio": self.ratio}


def make_mark(subtype: str, text: str, metadata: Mapping[str, Any]) -> Message:
    """Return one of the four lines."""
    event = Event(OPERATIONS[subtype], text, dict(metadata))
    return Message(role="system", parts=(event,))


def make_compaction_messages(
    summary: str, statistics: CompactionStatistics
) -> tuple[Message, Message]:
    """Return the line that records it, and the summary from which the model continues."""
    text = (
        f"Conversation compacted: {statistics.messages_before} messages into "
        f"{statistics.messages_after}"
    )
    line = make_mark(COMPACTED, text, statistics.to_json())
    return line, Message(role="system", parts=(Event("summary", text=summary),))


def is_mark(message: Message) -> bool:
    """Whether a message is one of the four lines."""
    return any(isinstance(part, Event) and part.kind in MARKS for part in message.parts)


def read_full_messages(index: SessionIndex, leaf: str) -> list[Message]:
    """Return all messages up to one of them, without the four lines."""
    found = (index.message(node) for node in index.chain(leaf))
    return [message for message in found if not is_mark(message)]


def read_context_messages(index: SessionIndex, leaf: str) -> list[Message]:
    """Return what the model is sent at a message: from the last valid summary on."""
    chain = index.chain(leaf)
    start = find_context_start(len(chain), lambda place: _find_kind(index, chain[place]))
    found = (index.message(node) for node in chain[start:])
    return [message for message in found if not is_mark(message)]


def _find_kind(index: SessionIndex, node: IndexedMessage) -> str:
    """Return what a message does to the context; only system lines are read for that."""
    subtype = index.value(node).get("subtype") if node.type == "system" else None
    return OPERATIONS.get(subtype, "") if isinstance(subtype, str) else ""
