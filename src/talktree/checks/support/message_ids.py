"""Messages that several conversations of a source have, and whether their copies agree.

Resumed sessions write their history again, so most shared messages are copies. Contents are read
only of shared ones, and of each pair of conversations only so many.

Where else the messages are that a conversation names and does not have.

First in the other conversations of its source, then in files beside it on disk.

New ids for messages that have none, or one that is taken: the same each time.

Messages that survived a compaction: they hang below it and are older than it.

The doubled ids of a conversation that is being checked, found once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple
from uuid import UUID as Uuid

from msgspec.structs import replace

from talktree.checks.support.tree_links import siblings_of
from talktree.formats.engine import Origin
from talktree.formats.engine.duplicates import Doubles, digest, find_doubles
from talktree.formats.engine.write_item import native_entry
from talktree.formats.rule_context import Elsewhere, Setting, Talk
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.skeleton import ROOT, Skeleton

NOTE = "shared-ids"
MOST_COMPARED = 100
"""How many messages are compared for each pair of conversations."""
UUID = 36
"""How long an id is that means the same message everywhere."""
BARE = Message()


class Shared(NamedTuple):
    """A message that two conversations have."""

    id: str
    path: str
    line: int | None
    other: str
    """The file that has it too."""


class SharedIds:
    """The first message of each pair of conversations that differs."""

    def __init__(self) -> None:
        self.conflicting: list[Shared] = []
        self.differing: list[Shared] = []


def shared_by(setting: Setting) -> SharedIds:
    """What the conversations of a source share, looked at once."""
    if len(setting.talks) < 2:
        return SharedIds()
    notes = setting.talks[0].notes
    found: SharedIds | None = notes.get(NOTE)
    if found is None:
        found = notes[NOTE] = _shared(setting)
    return found


def _shared(setting: Setting) -> SharedIds:
    found = SharedIds()
    for (one, other), places in _pairs(setting).items():
        first, second = setting.talks[one], setting.talks[other]
        conflict = difference = None
        for here, there in places:
            kind = _difference(first, here, second, there)
            if kind == "said":
                conflict = there
                break
            if kind == "rest" and difference is None:
                difference = there
        if conflict is not None:
            found.conflicting.append(_told(first, second, conflict))
        elif difference is not None:
            found.differing.append(_told(first, second, difference))
    return found


def _told(first: Talk, second: Talk, position: int) -> Shared:
    name = second.bones.own_id(position)
    where = first.conversation.main_file
    return Shared(name, second.path(position), second.line(position), where)


def _pairs(setting: Setting) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """For each pair of conversations where the messages stand that both have."""
    files = {talk.conversation.main_file for talk in setting.talks}
    if len(files) < 2 or setting.talks[0].format.can.ids != "uuid":
        # Other ids are given anew in every file, and the same one means nothing.
        return {}
    owner: dict[str, int] = {}
    pairs: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for number, talk in enumerate(setting.talks):
        for position, name in _own_names(talk):
            first = owner.setdefault(name, number)
            if first != number:
                places = pairs.setdefault((first, number), [])
                if len(places) < MOST_COMPARED:
                    places.append((_place(setting.talks[first].bones, name), position))
    return pairs


def _place(bones: Skeleton, name: str) -> int:
    found = bones.by_id[name]
    return found if bones.ids[found] == name else bones.ids.index(name)


def _own_names(talk: Talk) -> Iterator[tuple[int, str]]:
    """Ids as the file has them, each once."""
    native = talk.bones.native
    for position, name in enumerate(talk.bones.ids):
        if len(name) == UUID and position not in native:
            yield position, name


def _difference(first: Talk, here: int, second: Talk, there: int) -> str:
    one, other = _entry(first, here), _entry(second, there)
    if digest(one, -1) == digest(other, -2):
        return ""
    return "rest" if digest(_said(one), -1) == digest(_said(other), -2) else "said"


def _entry(talk: Talk, position: int) -> Entry:
    return native_entry(talk.conversation, talk.seen(position).entry)


def _said(entry: Entry) -> Entry:
    """Only what was said, by whom and when."""
    if not isinstance(entry, Message):
        return entry
    return replace(BARE, role=entry.role, parts=entry.parts, time_ns=entry.time_ns)


MISSING_MESSAGES = "elsewhere"


def know_each_other(talks: Sequence[Talk], origin: Origin) -> None:
    """Let each conversation ask for messages that others have."""
    siblings = siblings_of(origin.source, origin.format)
    for talk in talks:
        talk.elsewhere = _asking(talk, talks, siblings.find if siblings else None)


def _asking(talk: Talk, talks: Sequence[Talk], beside: Elsewhere | None) -> Elsewhere:
    def _find(ids: Collection[str]) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for other in talks:
            if other is not talk:
                known = other.bones.by_id
                found |= {id: other.id for id in ids if id in known and id not in found}
        left = [id for id in ids if id not in found]
        return {**beside(left), **found} if beside and left else found

    return _find


def missing_elsewhere(talk: Talk) -> Mapping[str, str]:
    """The parents that are missing here and stand elsewhere, with the place."""
    found: Mapping[str, str] | None = talk.notes.get(MISSING_MESSAGES)
    if found is None:
        wanted = set(talk.bones.dangling.values())
        found = talk.notes[MISSING_MESSAGES] = talk.elsewhere(wanted) if wanted else {}
    return found


NEW_IDS = "minted"


def is_wanted(talk: Talk) -> bool:
    """Whether the format's own programs want an id on every message."""
    can = talk.format.can
    return can.ids == "uuid" or can.everything


def minted(talk: Talk, position: int) -> str:
    """An id nobody has, made from the name the skeleton gave it and the conversation's."""
    bones = talk.bones
    if talk.format.can.ids == "uuid":
        seed = f"{talk.id}\0{bones.ids[position]}".encode("utf-8", "surrogatepass")
        return str(Uuid(bytes=blake2b(seed, digest_size=16).digest(), version=4))
    # `m#3` becomes `m-3`, and `@5` becomes `message-5`.
    number = bones.ids[position].rpartition("#")[2].lstrip("@").rstrip("'")
    found = f"{bones.own_id(position) or 'message'}-{number}"
    given: set[str] = talk.notes.setdefault(NEW_IDS, set())
    while found in bones.by_id or found in given:
        found += "'"
    given.add(found)
    return found


def carried_over(bones: Skeleton) -> set[int]:
    """Those from below each compaction down to the message that it says it follows."""
    carried: set[int] = set()
    for position, origin in bones.astray.items():
        if bones.astray_because(position) is not None:
            continue
        at = bones.by_id[origin]
        while at not in (ROOT, position) and at not in carried:
            carried.add(at)
            at = bones.parents[at]
    return carried


DUPLICATE_IDS = "doubles"


def doubles_of(talk: Talk) -> Doubles:
    """The doubled ids of a conversation, looked at once."""
    found: Doubles | None = talk.notes.get(DUPLICATE_IDS)
    if found is None:
        found = talk.notes[DUPLICATE_IDS] = find_doubles(talk.conversation, talk.origin)
    return found
