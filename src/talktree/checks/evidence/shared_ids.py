"""Messages that several conversations of a source have, and whether their copies agree.

Resumed sessions write their history again, so most shared messages are copies. Contents are read
only of shared ones, and of each pair of conversations only so many.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from talktree.formats.engine.duplicates import digest
from talktree.formats.engine.write_item import native_entry
from talktree.formats.talk import Setting, Talk
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.skeleton import Skeleton

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
