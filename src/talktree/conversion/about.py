"""What a format is told of a conversation it takes in."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.conversion.ids import id_for, is_uuid4, uuid_for
from talktree.formats.base import About, Can
from talktree.model.conversation import Conversation
from talktree.model.message import Context, Message
from talktree.model.skeleton import NO_TIME

LOOKED_AT = 20


def about(conversation: Conversation, can: Can, *, leaf: int | None = None) -> About:
    """The facts of a conversation, from its skeleton and its first messages.

    `leaf` is where its active branch ends, if that is known already.
    """
    bones = conversation.skeleton
    nodes = [position for position, trait in enumerate(bones.traits) if trait]
    times = [bones.times[position] for position in nodes if bones.times[position] != NO_TIME]
    first = [
        entry for entry in conversation.entries_at(nodes[:LOOKED_AT]) if isinstance(entry, Message)
    ]
    leaf = conversation.tree.active_leaf() if leaf is None else leaf
    return About(
        id=conversation.id,
        format=conversation.format,
        session=_session(conversation, first),
        title=conversation.title,
        started=min(times, default=None),
        updated=max(times, default=None),
        leaf=None if leaf is None else id_for(bones.ids[leaf], conversation.id, can),
        count=len(nodes),
        context=_context(first),
        model=next((each.model for each in first if each.model), None),
    )


def _session(conversation: Conversation, first: Sequence[Message]) -> str:
    named = next((each.session for each in first if each.session), None)
    stem = conversation.id.rpartition("/")[2]
    if named is None or not is_uuid4(named):
        named = stem if is_uuid4(stem) else named or stem
    return uuid_for(named, "")


def _context(first: Sequence[Message]) -> Context | None:
    return next((each.context for each in first if each.context is not None), None)
