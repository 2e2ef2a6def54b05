"""Edits: each takes a conversation and returns a new one. Nothing is written here."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from msgspec.structs import replace as with_fields

from talktree.errors import UsageError
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.parts import Part, Text


def replace(conversation: Conversation, id: str, entry: Entry) -> Conversation:
    """Replace the entry with this id; it keeps its id unless the new entry has another one."""
    number = conversation.members[conversation.find_position(id)]
    return conversation.with_entries(conversation.members, {**conversation.changed, number: entry})


def set_text(conversation: Conversation, id: str, text: str) -> Conversation:
    """Set the text of a message: its first text part gets the new text, other text parts are
    removed."""
    return replace(conversation, id, with_text(conversation[id], text))


def with_text(message: Message, text: str) -> Message:
    """Return a message with another text: its first text part gets it, others are removed."""
    parts: list[Part] = []
    placed = False
    for part in message.parts:
        if not isinstance(part, Text):
            parts.append(part)
        elif not placed:
            parts.append(with_fields(part, text=text))
            placed = True
    if not placed:
        parts.insert(0, Text(text))
    return with_fields(message, parts=tuple(parts))


def append(conversation: Conversation, entry: Entry) -> Conversation:
    """Append a new entry; a message with a parent becomes that message's newest reply."""
    number = min(-1, min(conversation.changed, default=0) - 1)
    members = array("q", [*conversation.members, number])
    return conversation.with_entries(members, {**conversation.changed, number: entry})


def insert(conversation: Conversation, entry: Entry, *, after: str | None) -> Conversation:
    """Insert a new entry after another one, or before all."""
    number = min(-1, min(conversation.changed, default=0) - 1)
    place = 0 if after is None else conversation.find_position(after) + 1
    members = array("q", conversation.members)
    members.insert(place, number)
    return conversation.with_entries(members, {**conversation.changed, number: entry})


def remove(conversation: Conversation, ids: Sequence[str]) -> Conversation:
    """Remove entries; their children become children of their parents."""
    gone = {conversation.find_position(id) for id in ids}
    skeleton = conversation.skeleton
    changed = dict(conversation.changed)
    for position in range(len(skeleton)):
        # A message that only follows in file order then continues the message before it.
        parent = skeleton.find_named_parent(position)
        if parent in gone and position not in gone and skeleton.traits[position]:
            entry = conversation.entry(position)
            if isinstance(entry, Message):
                heir = _find_surviving_parent(conversation, parent, gone)
                changed[conversation.members[position]] = with_fields(entry, parent=heir)
    members = array(
        "q", [number for place, number in enumerate(conversation.members) if place not in gone]
    )
    left = set(members)
    changed = {number: entry for number, entry in changed.items() if number in left}
    return conversation.with_entries(members, changed)


def _find_surviving_parent(conversation: Conversation, position: int, gone: set[int]) -> str | None:
    while position >= 0 and position in gone:
        position = conversation.skeleton.parents[position]
    return conversation.skeleton.ids[position] if position >= 0 else None


def move(conversation: Conversation, id: str, *, to: str | None) -> Conversation:
    """Move a message with all its descendants to another parent, or make it a root."""
    message = conversation[id]
    if to is not None:
        below = conversation.find_position(to)
        while below >= 0:
            if conversation.skeleton.ids[below] == message.id:
                raise UsageError(f"{to} is below {id}; a message cannot follow itself")
            below = conversation.skeleton.parents[below]
        to = conversation.skeleton.ids[conversation.find_position(to)]
    return replace(conversation, id, with_fields(message, parent=to))
