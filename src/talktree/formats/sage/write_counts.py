"""The facts about messages in metadata.json, updated after an edit."""

from __future__ import annotations

from msgspec.structs import replace

from talktree.model.conversation import Conversation
from talktree.model.entries import Head
from talktree.model.skeleton import NO_TIME

COUNT = "messageCount"


def update_counts(conversation: Conversation, before: Conversation | None) -> Conversation:
    """Return a conversation whose metadata have the number and the times of its messages.

    They stay unchanged if no message was added or removed.
    """
    if before is not None and _message_numbers(conversation) == _message_numbers(before):
        return conversation
    traits = conversation.skeleton.traits
    for position, number in enumerate(conversation.members):
        head = None if traits[position] else conversation.entry(position)
        if isinstance(head, Head) and type(head.extra.get(COUNT)) is int:
            after = _update_head(head, conversation)
            if after == head:
                return conversation
            changed = {**conversation.changed, number: after}
            return conversation.with_entries(conversation.members, changed)
    return conversation


def _message_numbers(conversation: Conversation) -> set[int]:
    traits = conversation.skeleton.traits
    return {number for at, number in enumerate(conversation.members) if traits[at]}


def _update_head(head: Head, conversation: Conversation) -> Head:
    skeleton = conversation.skeleton
    nodes = [position for position, trait in enumerate(skeleton.traits) if trait]
    times = [time for position in nodes if (time := skeleton.times[position]) != NO_TIME]
    extra = dict(head.extra)
    # A count of 0 beside messages that were read stays: programs that never count write it.
    if extra[COUNT] or all(conversation.members[position] < 0 for position in nodes):
        extra[COUNT] = len(nodes)
    started, updated = head.time_ns, head.updated_ns
    if times and started is not None:
        started = min(started, *times)
    if times and updated is not None:
        updated = max(updated, *times)
    return replace(head, time_ns=started, updated_ns=updated, extra=extra)
