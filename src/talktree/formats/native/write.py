"""New native files: lines of entries, each with what only the tree knows about its place.

Entries are written as the model has them: ids and parents are the names used in the tree. If the
tree knows more than an entry's fields (a sub-agent attached to its call, a note that takes part in
the chain), the line records it in `tree`, so that reading gives the same tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from talktree.formats.format import ConversationInfo, Record
from talktree.formats.jsonl_format import encode_record_line
from talktree.formats.lens import Object
from talktree.formats.native.lens import TREE, get
from talktree.formats.native.lens_fields import TIME, encode_line
from talktree.formats.native.parse import VERSION, list_tree_rules
from talktree.formats.record_file import Item
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.outline import Listing, Trait, outline_entry
from talktree.model.skeleton import NO_TIME, Skeleton

_MARKS = (Listing.ACTIVE, Listing.NEWEST)


def write_lines(about: ConversationInfo, items: Iterable[Item], *, first: bool) -> Iterator[bytes]:
    """Yield the lines of a conversation."""
    if first:
        yield from encode_record_line(encode_line({"talktree": {"version": VERSION}}))
    diagnostic: Object = {"id": about.id, "format": about.format}
    if about.title is not None:
        diagnostic["title"] = about.title
    if rules := list_tree_rules(about.habits):
        diagnostic[TREE] = rules
    yield from encode_record_line(encode_line({"conversation": diagnostic}))
    for item in items:
        assert isinstance(item.value, dict)
        yield from encode_record_line(encode_line(item.value))


def with_place(line: Object, skeleton: Skeleton, position: int) -> Object:
    """Return a line with what the tree knows about its place beyond its fields."""
    place = _get_places(skeleton).place_members(position, get(Record(line)))
    return {**line, TREE: place} if place else line


@lru_cache(maxsize=4)
def _get_places(skeleton: Skeleton) -> _Places:
    return _Places(skeleton)


class _Places:
    """What a tree knows about the places of its entries."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._skeleton = skeleton
        self._times = skeleton.times
        self._groups = skeleton.groups()

    def place_members(self, position: int, entry: Entry) -> Object:
        """Return what the tree knows about an entry's place beyond its fields."""
        skeleton = self._skeleton
        said = outline_entry(entry)
        trait = skeleton.traits[position]
        place: Object = {}
        if trait != said.trait:
            place["trait"] = Trait(trait).name.lower()
        if not trait:
            return place
        place |= self._link_members(position, entry)
        time = self._times[position]
        if time != (NO_TIME if said.time is None else said.time):
            place["time"] = None if time == NO_TIME else TIME.write(time)
        if skeleton.roles[position] != said.role:
            place["role"] = skeleton.roles[position]
        if bool(skeleton.sidechain[position]) != said.sidechain:
            place["sidechain"] = bool(skeleton.sidechain[position])
        if self._groups[position] != said.group:
            place["reply"] = self._groups[position]
        listing = skeleton.listings[position]
        if listing != said.listing and (skeleton.habits.walk or listing in _MARKS):
            place["listing"] = Listing(listing).name.lower()
        return place

    def _link_members(self, position: int, entry: Entry) -> Object:
        skeleton = self._skeleton
        link = skeleton.linked.get(position)
        above = skeleton.parents[position]
        if above < 0 or link == "cut":
            # The parent is missing, or there is a cycle: reading finds that again.
            return {}
        name = skeleton.ids[above]
        parent = entry.parent if isinstance(entry, Message) else None
        if link is None:
            return {} if parent == name else {"parent": name}
        follows = entry.follows if isinstance(entry, Message) else None
        call = skeleton.spawned.get(position)
        if link == "logical" and parent is None and follows == name and call is None:
            return {}
        place: Object = {"parent": name, "link": link}
        return place if call is None else {**place, "call": call}
