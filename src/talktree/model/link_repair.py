"""A conversation whose broken links are hung together again, in memory; its file stays as it is.

The same inference mends files: whoever looks at a conversation sees the tree that a repair would
write. Only the skeleton is held, and few records are read.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from copy import copy

from talktree.model.conversation import Conversation
from talktree.model.detached_messages import Lane, LaneOf, orphans, stranded
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.skeleton import INFERRED, ROOT, Skeleton

MOST_STEPS = 12
"""Mending a link may show that another is wrong too; real files take one step or two."""


def relinked(conversation: Conversation, lane_of: LaneOf | None = None) -> dict[int, int]:
    """Every message that hangs on nothing or wrongly, and what it continues; -1 for nothing."""
    bones = conversation.skeleton
    return {**stranded(bones), **orphans(bones, lane_of or lanes(conversation))}


def lanes(conversation: Conversation) -> LaneOf:
    """The session and the sub-agent of messages, read when they are asked for."""
    known: dict[int, Lane] = {}

    def _lane_of(position: int) -> Lane:
        if position not in known:
            known[position] = _lane(conversation.entry(position))
        return known[position]

    return _lane_of


def _lane(entry: Entry) -> Lane:
    if not isinstance(entry, Message):
        return None, None
    return None if entry.session is None else (entry.session,), entry.agent


def mended(conversation: Conversation) -> Conversation:
    """The same conversation with its broken links inferred; itself if there are none."""
    found, lane_of = conversation, lanes(conversation)
    for _ in range(MOST_STEPS):
        links = relinked(found, lane_of)
        inferred = {position: above for position, above in links.items() if above != ROOT}
        if not inferred:
            break
        found = _with_links(found, inferred)
    return found


def _with_links(conversation: Conversation, links: Mapping[int, int]) -> Conversation:
    return Conversation(
        id=conversation.id,
        format=conversation.format,
        store=conversation.store,
        members=conversation.members,
        skeleton=_relinked_bones(conversation.skeleton, links),
        changed=conversation.changed,
        main_file=conversation.main_file,
        index=conversation.index,
    )


def _relinked_bones(bones: Skeleton, links: Mapping[int, int]) -> Skeleton:
    fresh = copy(bones)
    fresh.unrepaired = bones.unrepaired or bones
    fresh.parents = array("q", bones.parents)
    fresh.linked, fresh.spawned = dict(bones.linked), dict(bones.spawned)
    fresh.dangling, fresh.looped, fresh.astray = (
        {position: name for position, name in broken.items() if position not in links}
        for broken in (bones.dangling, bones.looped, bones.astray)
    )
    for position, above in links.items():
        fresh.parents[position] = above
        fresh.linked[position] = INFERRED
        fresh.spawned.pop(position, None)
    return fresh


def inferred_links(conversation: Conversation) -> dict[int, int]:
    """Which messages of a mended conversation hang on what by inference."""
    bones = conversation.skeleton
    return {
        position: bones.parents[position]
        for position, how in bones.linked.items()
        if how == INFERRED
    }
