"""The time of the last update, kept no older than the newest message."""

from __future__ import annotations

from msgspec.structs import replace

from talktree.model.conversation import Conversation
from talktree.model.entries import Entry, Head
from talktree.model.message import Message


def settled(conversation: Conversation) -> Conversation:
    """The conversation with `updated` raised to its newest message, if times came or changed.

    A conversation that has no such time gets none, and other edits leave it as it is.
    """
    if not any(_brings_time(conversation, *each) for each in conversation.changed.items()):
        return conversation
    bones = conversation.skeleton
    newest = max(time for time, trait in zip(bones.times, bones.traits, strict=True) if trait)
    for position, number in enumerate(conversation.members):
        if bones.traits[position]:
            continue
        head = conversation.entry(position)
        if isinstance(head, Head) and head.updated_ns is not None and head.updated_ns < newest:
            changed = {**conversation.changed, number: replace(head, updated_ns=newest)}
            return conversation.with_entries(conversation.members, changed)
    return conversation


def _brings_time(conversation: Conversation, number: int, entry: Entry) -> bool:
    """Whether a changed entry is a new message or one that has another time now."""
    if not isinstance(entry, Message):
        return False
    if number < 0:
        return True
    before = conversation.store.entry(number, entry.id, entry.parent)
    return not isinstance(before, Message) or before.time_ns != entry.time_ns
