"""Any document as a native file, entry by entry, in bounded memory.

Entries are written as the model has them: ids and parents are the names the tree uses. Where the
tree knows more than an entry's fields say (a sub-agent hung on its call, a note that takes part
in the chain), the line says it in `tree`, so that reading gives the same tree.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from talktree.formats.lens import Object
from talktree.formats.native.fields import TIME
from talktree.formats.native.halves import encode_line
from talktree.formats.native.lens import TREE, native
from talktree.formats.native.sheet import VERSION
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.outline import Trait, outline
from talktree.model.skeleton import NO_TIME, Skeleton

SLUG = "native"


def dump(document: Document) -> Iterator[bytes]:
    """The lines of a native file with everything the document holds."""
    yield _line({"talktree": {"version": VERSION}})
    for conversation in document.conversations:
        yield _line({"conversation": _about(conversation)})
        # Links that only contents tell are looked for when the tree is asked for.
        places = _Places(conversation.tree.bones)
        for position, entry in enumerate(conversation.entries):
            yield _line(places.line(position, entry))


def _line(value: Object) -> bytes:
    return encode_line(value) + b"\n"


def _about(conversation: Conversation) -> Object:
    about: Object = {
        "id": conversation.id,
        "format": None if conversation.format == SLUG else conversation.format,
    }
    if conversation.title is not None:
        about["title"] = conversation.title
    return about


class _Places:
    """What a tree knows of the places of its entries."""

    def __init__(self, bones: Skeleton) -> None:
        self._bones = bones
        self._times = bones.times
        self._groups = bones.groups()

    def line(self, position: int, entry: Entry) -> Object:
        """The line of an entry, under the name it has in the tree."""
        if self._bones.traits[position] and self._bones.ids[position] != entry.id:
            # New entries may have no name of their own yet, or one that is taken.
            entry = replace(entry, id=self._bones.ids[position])
        line = native(entry)
        place = self._place(position, entry)
        if place:
            line[TREE] = place
        return line

    def _place(self, position: int, entry: Entry) -> Object:
        """What the tree knows of an entry's place beyond what its fields say."""
        bones = self._bones
        said = outline(entry)
        trait = bones.traits[position]
        place: Object = {}
        if trait != said.trait:
            place["trait"] = Trait(trait).name.lower()
        if not trait:
            return place
        place |= self._links(position, entry)
        time = self._times[position]
        if time != (NO_TIME if said.time is None else said.time):
            place["time"] = None if time == NO_TIME else TIME.write(time)
        if bones.roles[position] != said.role:
            place["role"] = bones.roles[position]
        if bool(bones.sidechain[position]) != said.sidechain:
            place["sidechain"] = bool(bones.sidechain[position])
        if self._groups[position] != said.group:
            place["reply"] = self._groups[position]
        return place

    def _links(self, position: int, entry: Entry) -> Object:
        bones = self._bones
        link = bones.linked.get(position)
        above = bones.parents[position]
        if above < 0 or link == "cut":
            # A parent that is not here, or a circle: reading finds that again.
            return {}
        name = bones.ids[above]
        parent = entry.parent if isinstance(entry, Message) else None
        if link is None:
            return {} if parent == name else {"parent": name}
        follows = entry.follows if isinstance(entry, Message) else None
        call = bones.spawned.get(position)
        if link == "logical" and parent is None and follows == name and call is None:
            return {}
        place: Object = {"parent": name, "link": link}
        return place if call is None else {**place, "call": call}
