"""The branches of a conversation, the current one first."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from talktree.model.conversation import Conversation
from talktree.model.skeleton import ROOT
from talktree.model.tree import Branch
from talktree.web.documents.labels import label
from talktree.web.documents.open_conversation import Opened
from talktree.web.documents.times import milliseconds
from talktree.web.schemas.transcript import BranchInfo

MOST = 500


def branch_list(opened: Opened, names: Mapping[str, str]) -> tuple[BranchInfo, ...]:
    """The branches with how each begins; those with names are always among them."""
    found = opened.memory.get("branches", lambda: _told(opened))
    assert isinstance(found, tuple)
    told: tuple[BranchInfo, ...] = found
    if not names:
        return told
    return tuple(_named(each, names.get(each.leaf)) for each in told)


def _named(branch: BranchInfo, name: str | None) -> BranchInfo:
    return branch if name is None else replace(branch, name=name)


def _told(opened: Opened) -> tuple[BranchInfo, ...]:
    conversation = opened.conversation
    branches = conversation.branches()[:MOST]
    starts = [start_of(conversation, branch) for branch in branches]
    entries = conversation.entries_at(starts)
    return tuple(
        _info(conversation, branch, label(entry))
        for branch, entry in zip(branches, entries, strict=True)
    )


def _info(conversation: Conversation, branch: Branch, begins: str) -> BranchInfo:
    bones = conversation.skeleton
    return BranchInfo(
        leaf=branch.leaf,
        fork=branch.fork,
        kind=branch.kind,
        messages=branch.messages,
        label=begins,
        last=milliseconds(bones.times[bones.by_id[branch.leaf]]),
    )


def start_of(conversation: Conversation, branch: Branch) -> int:
    """The first message that belongs to a branch and no other."""
    bones = conversation.skeleton
    above = ROOT if branch.fork is None else conversation.position(branch.fork)
    here = conversation.position(branch.leaf)
    while bones.parents[here] not in (above, ROOT):
        here = bones.parents[here]
    return here
