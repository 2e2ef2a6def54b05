"""Repair the broken links of a conversation in memory; its file is unchanged.

Repairing files uses the same inference: views show the tree that a repair would write. Only the
skeleton is held in memory, and few records are read.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from copy import copy

from talktree.model.conversation import Conversation
from talktree.model.detached_messages import SidechainKey, SidechainOf, find_detached, find_orphans
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.skeleton import INFERRED, ROOT, Skeleton

MOST_STEPS = 12
"""Repairing a link may show that another is wrong too; real files need one or two steps."""


def infer_parents(
    conversation: Conversation, sidechain_of: SidechainOf | None = None
) -> dict[int, int]:
    """Return every message with no or a wrong parent, and the one it continues; -1 for none."""
    skeleton = conversation.skeleton
    return {
        **find_detached(skeleton),
        **find_orphans(skeleton, sidechain_of or read_sidechains(conversation)),
    }


def read_sidechains(conversation: Conversation) -> SidechainOf:
    """Return the session and the sub-agent of messages, read on demand."""
    known: dict[int, SidechainKey] = {}

    def _lane_of(position: int) -> SidechainKey:
        if position not in known:
            known[position] = _sidechain_key(conversation.entry(position))
        return known[position]

    return _lane_of


def _sidechain_key(entry: Entry) -> SidechainKey:
    if not isinstance(entry, Message):
        return None, None
    return None if entry.session is None else (entry.session,), entry.agent


def with_inferred_links(conversation: Conversation) -> Conversation:
    """Return the same conversation with its broken links inferred; itself if none are broken."""
    found, sidechain_of = conversation, read_sidechains(conversation)
    for _ in range(MOST_STEPS):
        links = infer_parents(found, sidechain_of)
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
        skeleton=_relink_skeleton(conversation.skeleton, links),
        changed=conversation.changed,
        main_file=conversation.main_file,
        index=conversation.index,
    )


def _relink_skeleton(skeleton: Skeleton, links: Mapping[int, int]) -> Skeleton:
    fresh = copy(skeleton)
    fresh.unrepaired = skeleton.unrepaired or skeleton
    fresh.parents = array("q", skeleton.parents)
    fresh.linked, fresh.spawned = dict(skeleton.linked), dict(skeleton.spawned)
    fresh.dangling, fresh.looped, fresh.astray = (
        {position: name for position, name in broken.items() if position not in links}
        for broken in (skeleton.dangling, skeleton.looped, skeleton.astray)
    )
    for position, above in links.items():
        fresh.parents[position] = above
        fresh.linked[position] = INFERRED
        fresh.spawned.pop(position, None)
    return fresh


def find_inferred_links(conversation: Conversation) -> dict[int, int]:
    """Return the messages of a repaired conversation whose parent was inferred, with that
    parent."""
    skeleton = conversation.skeleton
    return {
        position: skeleton.parents[position]
        for position, how in skeleton.linked.items()
        if how == INFERRED
    }
