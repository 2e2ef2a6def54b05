"""New native files: lines of entries, each with what only the tree knows of its place.

Entries are written as the model has them: ids and parents are the names the tree uses. Where the
tree knows more than an entry's fields say (a sub-agent hung on its call, a note that takes part
in the chain), the line says it in `tree`, so that reading gives the same tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from talktree.formats.format import About, Record
from talktree.formats.jsonl_format import line_of
from talktree.formats.lens import Object
from talktree.formats.native.lens import TREE, get
from talktree.formats.native.lens_fields import TIME, encode_line
from talktree.formats.native.parse import VERSION, tree_rules
from talktree.formats.record_file import Item
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.outline import Listing, Trait, outline
from talktree.model.skeleton import NO_TIME, Skeleton

_MARKS = (Listing.ACTIVE, Listing.NEWEST)


def composed(about: About, items: Iterable[Item], *, first: bool) -> Iterator[bytes]:
    """The lines of a conversation."""
    if first:
        yield from line_of(encode_line({"talktree": {"version": VERSION}}))
    told: Object = {"id": about.id, "format": about.format}
    if about.title is not None:
        told["title"] = about.title
    if rules := tree_rules(about.habits):
        told[TREE] = rules
    yield from line_of(encode_line({"conversation": told}))
    for item in items:
        assert isinstance(item.value, dict)
        yield from line_of(encode_line(item.value))


def with_place(line: Object, bones: Skeleton, position: int) -> Object:
    """A line with what the tree knows of its place beyond what its fields say."""
    place = _places(bones).told(position, get(Record(line)))
    return {**line, TREE: place} if place else line


@lru_cache(maxsize=4)
def _places(bones: Skeleton) -> _Places:
    return _Places(bones)


class _Places:
    """What a tree knows of the places of its entries."""

    def __init__(self, bones: Skeleton) -> None:
        self._bones = bones
        self._times = bones.times
        self._groups = bones.groups()

    def told(self, position: int, entry: Entry) -> Object:
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
        listing = bones.listings[position]
        if listing != said.listing and (bones.habits.walk or listing in _MARKS):
            place["listing"] = Listing(listing).name.lower()
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
