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
    """The entry with this id, replaced; its id stays its own unless the new entry has another."""
    number = conversation.members[conversation.find_position(id)]
    return conversation.with_entries(conversation.members, {**conversation.changed, number: entry})


def set_text(conversation: Conversation, id: str, text: str) -> Conversation:
    """The words of a message changed: its first text part takes the new text, others go."""
    return replace(conversation, id, with_text(conversation[id], text))


def with_text(message: Message, text: str) -> Message:
    """A message with other words: its first text part takes the new text, others go."""
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
    """A new entry at the end; a message with a parent becomes that message's newest reply."""
    number = min(-1, min(conversation.changed, default=0) - 1)
    members = array("q", [*conversation.members, number])
    return conversation.with_entries(members, {**conversation.changed, number: entry})


def insert(conversation: Conversation, entry: Entry, *, after: str | None) -> Conversation:
    """A new entry behind another one, or before all."""
    number = min(-1, min(conversation.changed, default=0) - 1)
    place = 0 if after is None else conversation.find_position(after) + 1
    members = array("q", conversation.members)
    members.insert(place, number)
    return conversation.with_entries(members, {**conversation.changed, number: entry})


def remove(conversation: Conversation, ids: Sequence[str]) -> Conversation:
    """Entries taken out; what hung on them hangs on their parents."""
    gone = {conversation.find_position(id) for id in ids}
    skeleton = conversation.skeleton
    changed = dict(conversation.changed)
    for position in range(len(skeleton)):
        # What only follows in the file's order goes on from whatever is before it then.
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
    """A message and all below it, hung on another message or made a root."""
    message = conversation[id]
    if to is not None:
        below = conversation.find_position(to)
        while below >= 0:
            if conversation.skeleton.ids[below] == message.id:
                raise UsageError(f"{to} is below {id}; a message cannot follow itself")
            below = conversation.skeleton.parents[below]
        to = conversation.skeleton.ids[conversation.find_position(to)]
    return replace(conversation, id, with_fields(message, parent=to))
