"""The links of a packed tree with the missing ones inferred, as the model infers them.

`model/skeleton.py` does the same for conversations that are read whole; both must agree.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

from talktree.library.extract.facts import FOLLOWS, LOOSE, SIDECHAIN, TRAIT
from talktree.library.extract.packed_tree_state import Records
from talktree.model.habits import WriterHabits
from talktree.model.inferred_links import (
    LinkNodes,
    follow_order,
    is_mostly_unlinked,
    join_turns,
    link_compactions,
    link_main_line,
)
from talktree.model.skeleton import ROOT
from talktree.model.vendor_walk import WrittenLinks

_SIDE = bytes(bool(byte & SIDECHAIN) for byte in range(256))
_TRAIT = bytes((byte >> TRAIT) + 1 for byte in range(256))


class _Some:
    """Records without those that are copies."""

    def __init__(self, records: Records, numbers: Sequence[int]) -> None:
        self.bits = bytearray(records.bits[number] for number in numbers)
        self.groups = array("i", (records.groups[number] for number in numbers))
        self.stamps = array("q", (records.stamps[number] for number in numbers))


def join_requests(replies: array[int], requests: array[int]) -> array[int]:
    """Return the turn of each record, one API reply or one API request, as the skeleton does.

    A turn has the hash of its first reply, or else of its request.
    """
    if LOOSE in requests:
        requests = array("i", (max(0, each) for each in requests))
    if not any(requests):
        return replies
    turns: dict[int, int] = {}
    asked: dict[int, int] = {}
    names: dict[int, int] = {}
    found = array("i")
    for reply, request in zip(replies, requests, strict=True):
        if not reply and not request:
            found.append(0)
            continue
        number = turns.get(reply, 0) or asked.get(request, 0) or len(turns) + len(asked) + 1
        if request:
            asked.setdefault(request, number)
        if reply:
            turns.setdefault(reply, number)
        found.append(number)
    for hash, number in (*turns.items(), *asked.items()):
        names.setdefault(number, hash)
    return array("i", (names[number] if number else 0 for number in found))


class ResolvedTree(NamedTuple):
    """Records that are nodes of the tree, and the parent of each."""

    parents: array[int]
    records: Records
    numbers: list[int] | None = None
    """The numbers of the records in the packed tree, if it also has copies."""
    copies: Mapping[int, int] = MappingProxyType({})
    """The copies, with the original of each."""
    inferred: bool = False
    """Whether any link is inferred."""
    written: WrittenLinks = WrittenLinks((), b"")
    """The written links, and what the records mean to the program's own reader."""

    def spread_states(self, states: bytes) -> bytes:
        """Return the states of all records, including copies."""
        if self.numbers is None:
            return states
        place = {number: at for at, number in enumerate(self.numbers)}
        count = len(self.numbers) + len(self.copies)
        return bytes(states[place[self.copies.get(number, number)]] for number in range(count))


class LinkedTree(Records, Protocol):
    """A packed tree."""

    habits: Sequence[WriterHabits]
    copies: dict[int, int]
    forward: list[tuple[int, int]]
    kept: list[tuple[int, int]]

    @property
    def ids(self) -> array[int]:
        """The hashes of the ids."""

    def places(self) -> dict[int, int]:
        """Return the place of each id; for a duplicate one, the last."""

    @property
    def replies(self) -> array[int]:
        """The hashes of the API replies they are parts of."""

    @property
    def requests(self) -> array[int]:
        """The hashes of the API requests they answer."""

    @property
    def listings(self) -> bytearray:
        """What the records mean to the program's own reader."""

    def whole_parents(self) -> tuple[array[int], set[int], dict[int, int]]:
        """Return the parents of all records with copies folded, and special cases.

        These are the records whose parent was a copy, and the links of loops that were cut.
        """


def resolve_tree(shape: LinkedTree) -> ResolvedTree:
    """Return the nodes of a packed tree."""
    parents, on_copies, looped = shape.whole_parents()
    listings = shape.listings
    if not any(each.sequential for each in shape.habits):
        # It was read through the model, which has inferred its links.
        return ResolvedTree(parents, shape, written=WrittenLinks((), listings))
    copies = shape.copies
    records: Records = shape
    numbers: list[int] | None = None
    place: dict[int, int] = {}
    if copies:
        numbers = [number for number in range(len(parents)) if number not in copies]
        place = {number: at for at, number in enumerate(numbers)}
        place |= {number: place[original] for number, original in copies.items()}
        above = [parents[number] for number in numbers]
        on_copies = {place[number] for number in on_copies}
        parents = array("i", (ROOT if each == ROOT else place[each] for each in above))
        records = _Some(shape, numbers)
        listings = bytearray(listings[number] for number in numbers)
        looped = {place[at]: place[above] for at, above in looped.items() if at not in copies}
    written = array("i", parents)
    for number, byte in enumerate(records.bits):
        if byte & FOLLOWS:
            written[number] = ROOT
    for number, parent in looped.items():
        written[number] = parent
    forward = bool(shape.forward) and any(up > at for at, up in enumerate(parents))
    nodes = _build_nodes(parents, records, forward=forward)
    moved = link_compactions(nodes, _find_kept_messages(shape, copies, place), on_copies)
    broken = {place.get(at, at) for at, _ in shape.forward if at not in copies}
    loose = _find_loose_groups(shape) if LOOSE in shape.requests else set()
    broken = {at for at in broken if parents[at] == ROOT}
    inferred = _infer_links(nodes, records, broken, loose) or bool(moved)
    replies = shape.replies
    if loose:
        replies = array("i", (0 if each in loose else each for each in replies))
    if numbers is not None:
        replies = array("i", (replies[number] for number in numbers))
    links = WrittenLinks(written, listings, nodes.traits, replies, records.stamps)
    return ResolvedTree(parents, records, numbers, copies, inferred or bool(copies), links)


def _find_loose_groups(shape: LinkedTree) -> set[int]:
    """Return the groups of calls that do not name a reply."""
    return {shape.replies[at] for at, each in enumerate(shape.requests) if each == LOOSE}


def _build_nodes(parents: array[int], records: Records, *, forward: bool) -> LinkNodes:
    bits = bytes(records.bits)
    traits, sides = bits.translate(_TRAIT), bits.translate(_SIDE)
    return LinkNodes(parents, traits, sides, records.groups, records.stamps, forward)


def _infer_links(nodes: LinkNodes, records: Records, broken: set[int], loose: set[int]) -> bool:
    """Infer the missing links; return whether there are any."""
    follows = {number for number, byte in enumerate(records.bits) if byte & FOLLOWS}
    lacking = is_mostly_unlinked(nodes, follows, broken)
    made = follow_order(nodes, follows | broken) if lacking else {}
    return any((made, link_main_line(nodes), join_turns(nodes, loose)))


def _find_kept_messages(
    shape: LinkedTree, copies: dict[int, int], place: dict[int, int]
) -> dict[int, int]:
    """Return the compactions that are nodes, with the first message that each keeps."""
    if not shape.kept:
        return {}
    known = shape.places()
    found = {
        number: known[name] for number, name in shape.kept if name in known and number not in copies
    }
    if not place:
        return found
    return {place[number]: place[first] for number, first in found.items()}
