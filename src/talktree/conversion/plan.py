"""Which entries of a conversation get a record of their own in a format, in which order and where.

Everything else is embedded in the record before it: entries that are not messages and have no
place, messages on other branches of a format without branches, and deleted messages in a format
that would show them again.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from talktree.conversion.fit import choose_role
from talktree.errors import UsageError
from talktree.formats.format import ConversationInfo, Format, Links
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry
from talktree.model.link_repair import with_inferred_links
from talktree.model.message import DELETED, Message
from talktree.model.outline import Trait
from talktree.model.skeleton import ROOT

Why = Literal["branch", "deleted", "message", "other"]
"""Why an entry has no record of its own: its branch, its deletion mark, or its kind."""


class RecordPlan(Struct):
    """The records that a conversation becomes."""

    order: array[int]
    """Positions in the order of the records."""
    parents: dict[int, int]
    """The position of each message's parent among the written ones, if it is not its own parent."""
    others: dict[int, Entry]
    """Entries that are not messages and that the format accepts: an empty one of each kind."""
    left: dict[int, Why]
    """Positions that get no record."""


def links_of(format: Format) -> Links:
    """Return how the records of a new file of a format are linked."""
    if not format.can.branches:
        return "chain"
    return "nested" if format.nests else "own"


def infer_links_for(target: Format, conversation: Conversation) -> Conversation:
    """Return the conversation as every view shows it, with broken links inferred.

    A format that holds everything holds the broken links too, and its readers infer them again.
    """
    return conversation if target.can.everything else with_inferred_links(conversation)


def plan_records(
    conversation: Conversation,
    source: Format,
    target: Format,
    about: ConversationInfo,
    branch: str | None,
) -> RecordPlan:
    """Return the plan for one conversation; a branch names the leaf to which it is written."""
    left: dict[int, Why] = {}
    others: dict[int, Entry] = {}
    for position, entry in _read_undecided(conversation, source, target):
        if position in conversation.skeleton.copies:
            left[position] = "other"
        elif isinstance(entry, Message):
            why = _find_refusal(entry, target)
            if why is not None:
                left[position] = why
        else:
            taken = target.adopt_other(entry, about)
            if taken is None:
                left[position] = "other"
            else:
                others[position] = type(taken)()
    chosen = _select_positions(conversation, branch, always=not target.can.branches)
    if chosen is not None:
        for position, trait in enumerate(conversation.skeleton.traits):
            if trait and position not in chosen:
                left.setdefault(position, "branch")
    return _build_plan(conversation, target, others, left)


def _read_undecided(
    conversation: Conversation, source: Format, target: Format
) -> Iterator[tuple[int, Entry]]:
    """Yield the entries whose contents decide whether they get a record."""
    skeleton = conversation.skeleton
    deletes = DELETED in source.can.flags and DELETED not in target.can.flags
    roles = target.can.roles
    positions = [
        position
        for position, trait in enumerate(skeleton.traits)
        if not trait
        or deletes
        # There an entry that is not a message may be part of the tree.
        or source.can.everything
        or (trait == Trait.NOTE and roles is not None and skeleton.roles[position] not in roles)
    ]
    return zip(positions, conversation.entries_at(positions), strict=True)


def _find_refusal(message: Message, target: Format) -> Why | None:
    if DELETED in message.flags and DELETED not in target.can.flags:
        return "deleted"
    odd = choose_role(message.role, target.can) != message.role
    return "message" if odd and not message.parts else None


def _select_positions(
    conversation: Conversation, branch: str | None, *, always: bool
) -> set[int] | None:
    """Return the positions on a branch, or None for the whole tree."""
    if branch is None and not always:
        return None
    tree = conversation.tree
    if branch in (None, "active"):
        leaf = tree.active_leaf()
    else:
        assert branch is not None
        leaf = conversation.find_position(branch)
        if not conversation.skeleton.traits[leaf]:
            raise UsageError(f"{branch} is no message", hint="`talktree tree` lists the branches")
    return set() if leaf is None else set(tree.path(leaf))


def _build_plan(
    conversation: Conversation, target: Format, others: dict[int, Entry], left: dict[int, Why]
) -> RecordPlan:
    skeleton = conversation.tree.skeleton
    links = links_of(target)
    places: Iterable[int] = range(len(skeleton))
    if links == "nested":
        places = (*(each for each in others if not skeleton.traits[each]), *conversation.tree.order)
    order = array("q", (place for place in places if place not in left))
    parents: dict[int, int] = {}
    if links == "chain":
        last = ROOT
        for place in order:
            if skeleton.traits[place]:
                parents[place] = last
                last = place
    elif left:
        for place in order:
            above = skeleton.parents[place]
            if above in left:
                while above in left:
                    above = skeleton.parents[above]
                parents[place] = above
    return RecordPlan(order, parents, others, left)
