"""What a source of any format tells, through the model, one record at a time."""

from __future__ import annotations

import os
from collections import Counter

from talktree.files import Content, Source
from talktree.formats import by_slug
from talktree.formats.engine import Origin, read
from talktree.formats.format import Format
from talktree.library.extract.collector import Telling
from talktree.library.extract.entries import tell_entry
from talktree.library.extract.keys import group_of, stamp_of
from talktree.library.extract.loose import LooseCalls
from talktree.library.extract.told import (
    COMPACT,
    ERROR,
    FOLLOWS,
    NODE,
    SIDECHAIN,
    TRAIT,
    ConversationFacts,
    Link,
    Told,
    key_of,
)
from talktree.model.compaction import RESTORED, compaction_of
from talktree.model.conversation import Conversation
from talktree.model.counts import ConversationCounts
from talktree.model.document import Document
from talktree.model.habits import Habits
from talktree.model.identity import find_native_id
from talktree.model.message import Message
from talktree.model.outline import Listing
from talktree.model.skeleton import ROOT, Skeleton
from talktree.model.vendor_walk import find_resume_point, walk_back, written_links


def told(source: Source, format: Format) -> Told:
    """What a source tells; the place of a piece is the number of its record."""
    document = read(source, format)
    telling = Telling(format.info.slug)
    found: list[ConversationFacts] = []
    at = 0
    ids: dict[int, str] = {}
    habits: list[Habits] = []
    roles: Counter[str] = Counter()
    for number, conversation in enumerate(document.conversations):
        telling.title, telling.rank = None, 0
        links = len(telling.links)
        _tell(telling, conversation, number, at, loose=format.can.calls == "loose")
        if len(telling.links) > links:
            # Links are those of the model, which has inferred what is missing.
            habits.append(conversation.skeleton.habits._replace(sequential=False, walk=False))
        roles.update(conversation.counts.roles)
        errors = sum(bool(link.bits & ERROR) for link in telling.links[links:])
        found.append(_facts(conversation, at, telling.title, errors))
        ids.update(enumerate(conversation.skeleton.ids, at))
        at += conversation.record_count
    telling.title = next((each.title for each in found if each.title), None)
    telling.native = found[0].native if found else None
    told = telling.told(sum(content.size for content in source.files.values()))
    told.ids = ids
    told.conversations = found
    told.damage = _damage(document)
    told.habits = habits
    told.roles = dict(roles)
    return told


def _damage(document: Document) -> str | None:
    origin = document.origin
    assert isinstance(origin, Origin)
    folder = origin.source.folder
    found = [f"{path}: {why}" if folder else why for path, why in origin.damaged.items()]
    return "; ".join(found) or None


def read_lines(name: bytes, content: Content, format: str) -> tuple[ConversationCounts, str | None]:
    """The numbers of the conversation in a file of lines, and its id, as the model has them."""
    text = os.fsdecode(name)
    document = read(Source(text, {text: content}, folder=False), by_slug(format))
    return document.conversation.counts, find_native_id(document.conversation)


def _facts(
    conversation: Conversation, at: int, title: str | None, errors: int
) -> ConversationFacts:
    counts = conversation.counts
    return ConversationFacts(
        start=at,
        key=conversation.id,
        native=conversation.native_id,
        title=title,
        first=counts.first_ns,
        last=counts.last_ns,
        messages=counts.messages,
        threads=counts.threads,
        branches=counts.branches,
        sidechains=counts.sidechains,
        errors=errors,
    )


def _tell(
    telling: Telling, conversation: Conversation, number: int, first: int, *, loose: bool
) -> None:
    """Tell of one conversation, whose first record has a number."""
    bones = conversation.skeleton
    groups = bones.groups()
    listings = _listings(bones)
    calls = LooseCalls(telling, conversation.id) if loose else None
    marks: dict[int, str] = {}
    links = len(telling.links)
    for position, entry in enumerate(conversation.entries):
        at = first + position
        counts = position not in bones.copies
        bits = tell_entry(telling, entry, at, bones.own_id(position), counts=counts)
        if isinstance(entry, Message) and calls is not None:
            calls.take(entry, at)
        if isinstance(entry, Message) and (mark := compaction_of(entry)) is not None:
            marks[at] = mark.kind
        trait = bones.traits[position]
        if not trait:
            continue
        above = bones.parents[position]
        bits &= ~SIDECHAIN
        bits |= NODE | (trait - 1) << TRAIT | bool(bones.sidechain[position]) * SIDECHAIN
        bits |= (position in bones.linked and above != ROOT) * FOLLOWS
        telling.links.append(
            Link(
                _name(bones.ids[position], number),
                0 if above == ROOT else _name(bones.ids[above], number),
                at,
                bits,
                group_of(groups[position]),
                stamp_of(bones.times[position], bones.roles[position]),
                number,
                listing=listings.get(position, int(Listing.LISTED)),
            )
        )
        telling.leaf = bones.own_id(position) or telling.leaf
    if calls is not None:
        calls.close()
    if RESTORED in marks.values():
        _take_back(telling, links, _restored(conversation, marks, first))


def _restored(conversation: Conversation, marks: dict[int, str], first: int) -> set[int]:
    """The compactions on the active branch that were taken back, by the places of their records."""
    leaf = conversation.tree.active_leaf()
    path = [] if leaf is None else [first + place for place in conversation.tree.path(leaf)]
    back = max((at for at, place in enumerate(path) if marks.get(place) == RESTORED), default=0)
    return set(path[:back])


def _take_back(telling: Telling, start: int, places: set[int]) -> None:
    """Let compactions at some places count for nothing: all of it is in the context again."""
    for number in range(start, len(telling.links)):
        link = telling.links[number]
        if link.at in places and link.bits & COMPACT:
            telling.links[number] = link._replace(bits=link.bits & ~COMPACT)


_MARKS = (int(Listing.ACTIVE), int(Listing.NEWEST))


def _listings(bones: Skeleton) -> dict[int, int]:
    """What the program's own reader returns, and from where the conversation continues."""
    if not bones.habits.walk:
        return {at: each for at, each in enumerate(bones.listings) if each in _MARKS}
    found = dict.fromkeys(walk_back(written_links(bones)), int(Listing.RETURNED))
    return found | {find_resume_point(bones): int(Listing.CURRENT)}


def _name(id: str, number: int) -> int:
    """The hash of an id; the same id in another conversation is another one."""
    return key_of(f"{number}:{id}" if number else id)
