"""What a source of any format tells, through the model, one record at a time."""

from __future__ import annotations

from talktree.files import Source
from talktree.formats.base import Format
from talktree.formats.engine import read
from talktree.library.reading.entries import tell_entry
from talktree.library.reading.keys import group_of, stamp_of
from talktree.library.reading.loose import LooseCalls
from talktree.library.reading.telling import Telling
from talktree.library.reading.told import (
    FOLLOWS,
    NODE,
    SIDECHAIN,
    TRAIT,
    Link,
    Talk,
    Told,
    key_of,
)
from talktree.model.conversation import Conversation
from talktree.model.entries import Head
from talktree.model.message import Message
from talktree.model.skeleton import NO_TIME, ROOT


def told(source: Source, format: Format) -> Told:
    """What a source tells; the place of a piece is the number of its record."""
    document = read(source, format)
    telling = Telling(format.info.slug)
    several = len(document.conversations) > 1
    at = 0
    ids: dict[int, str] = {}
    for number, conversation in enumerate(document.conversations):
        if several:
            telling.title, telling.rank = None, 0
        _tell(telling, conversation, number, at, loose=format.can.calls == "loose")
        if several:
            telling.talks.append(_talk(conversation, at, telling.title))
        ids.update(enumerate(conversation.skeleton.ids, at))
        at += len(conversation)
    if several:
        telling.title = next((talk.title for talk in telling.talks if talk.title), None)
    if telling.native is None and document.conversations:
        telling.native = document.conversations[0].id
    told = telling.told(sum(content.size for content in source.files.values()))
    told.ids = ids
    return told


def _talk(conversation: Conversation, at: int, title: str | None) -> Talk:
    bones = conversation.skeleton
    times = [time for time in bones.times if time != NO_TIME]
    return Talk(
        at,
        conversation.id,
        title,
        min(times, default=None),
        max(times, default=None),
        len(bones.traits) - bones.traits.count(0),
        sum(branch.kind != "sidechain" for branch in conversation.branches()),
    )


def _tell(
    telling: Telling, conversation: Conversation, number: int, first: int, *, loose: bool
) -> None:
    """Tell of one conversation, whose first record has a number."""
    bones = conversation.skeleton
    groups = bones.groups()
    calls = LooseCalls(telling, conversation.id) if loose else None
    for position, entry in enumerate(conversation.entries):
        at = first + position
        bits = tell_entry(telling, entry, at, bones.own_id(position))
        if isinstance(entry, Head) and entry.id and telling.native is None:
            telling.native = entry.id
        if isinstance(entry, Message) and calls is not None:
            calls.take(entry, at)
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
            )
        )
        telling.leaf = bones.own_id(position) or telling.leaf
    if calls is not None:
        calls.close()


def _name(id: str, number: int) -> int:
    """The hash of an id; the same id in another conversation is another one."""
    return key_of(f"{number}:{id}" if number else id)
