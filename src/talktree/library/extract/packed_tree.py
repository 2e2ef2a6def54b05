"""The packed tree of a source: the parent of each record, and what the current leaf reaches.

A few bytes per record are stored. Forks, artefacts that look like forks, and the current leaf come
from the model's tree (`model/tree.py`); `packed_tree_state.py` queries it in a short way.

Arrays of numbers are stored as bytes that compress well: all first bytes, then all second ones.
"""

from __future__ import annotations

import sys
import threading
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise, repeat

import msgspec

from talktree.library.extract.facts import AS_LINES, ERROR, FOLLOWS, SIDECHAIN, TRAIT, TreeRecord
from talktree.library.extract.packed_tree_state import ABANDONED, TreeSummary, summarize_tree
from talktree.library.extract.record import Read
from talktree.library.extract.resolved_links import ResolvedTree, join_requests, resolve_tree
from talktree.model.habits import WriterHabits
from talktree.model.inferred_links import fold_copies
from talktree.model.outline import Listing, Trait


def pack_array(numbers: array[int]) -> bytes:
    """Return the bytes of an array: the first bytes of all its numbers, then the second ones."""
    size, raw = numbers.itemsize, _to_little_endian(numbers).tobytes()
    return b"".join(raw[place::size] for place in range(size))


def unpack_array(kind: str, data: bytes | memoryview, first: int = 0) -> array[int]:
    """Return the packed array, from a number on."""
    numbers = array(kind)
    size, count = numbers.itemsize, len(data) // numbers.itemsize
    raw = bytearray(size * (count - first))
    for place in range(size):
        raw[place::size] = data[place * count + first : (place + 1) * count]
    numbers.frombytes(raw)
    return _to_little_endian(numbers)


def unpack_low_halves(data: bytes | memoryview) -> array[int]:
    """Return the lower 32 bits of packed 64-bit numbers."""
    return unpack_array("I", data[: len(data) // 2])


def _to_little_endian(numbers: array[int]) -> array[int]:
    """Return the array with the same byte order on every machine."""
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers


class _Compressors(threading.local):
    """The compressor and decompressor of a thread; creating them takes longer than most trees."""

    @cached_property
    def compress(self) -> Callable[[bytes], bytes]:
        import zstandard

        return zstandard.ZstdCompressor(level=1).compress

    @cached_property
    def decompress(self) -> Callable[[bytes], bytes]:
        import zstandard

        return zstandard.ZstdDecompressor().decompress


_compressors = _Compressors()


def compress_bytes(data: bytes) -> bytes:
    """Return the compressed bytes of a packed tree."""
    return _compressors.compress(data)


def decompress_bytes(data: bytes) -> bytes:
    """Return the decompressed bytes."""
    return _compressors.decompress(data)


NOWHERE = -1
_LOWER = (1 << 32) - 1
_FEW = 4096
"""Number of records at the end that are unpacked first."""
STATES = ("current", "abandoned", "compacted")
"""The state of a record relative to the current leaf, by its number in `states`."""


def _decode_listing(bits: int) -> int:
    if (bits >> TRAIT) + 1 == Trait.NOTE:
        return int(Listing.PASSED)
    return int(Listing.HIDDEN if bits & SIDECHAIN else Listing.LISTED)


_PLANES = 8
_LISTINGS = bytes(_decode_listing(byte) for byte in range(256))
"""What records mean to the program's own reader, as far as older packed trees have it."""
_FAILED = bytes(bool(byte & ERROR) for byte in range(256))


class _Packed(msgspec.Struct, array_like=True):
    """The arrays as they are stored."""

    count: int
    arrays: list[bytes]
    forward: list[tuple[int, int]]
    starts: list[int]
    doubled: bool = True
    kept: list[tuple[int, int]] = []
    habits: WriterHabits = AS_LINES
    inferred: bool = False
    further: list[WriterHabits] = []
    """The habits of all conversations but the first."""
    copies: dict[int, int] = {}


class PackedTree:
    """Ids, parents, places and bits of all records in the tree."""

    def __init__(self, planes: Sequence[bytes] = (b"",) * 8) -> None:
        self._planes = planes
        """The arrays as they are stored: a search needs only a few of most of them."""
        self.bits = bytearray(planes[5])
        self.forward: list[tuple[int, int]] = []
        """Records whose parent was not before them, with the hash of its id."""
        self.starts: list[int] = []
        """The first record of each conversation."""
        self.doubled = False
        """Whether an id may occur twice."""
        self.kept: list[tuple[int, int]] = []
        """Compactions, each with the hash of the id of the first message it keeps."""
        self.copies: dict[int, int] = {}
        """Exact copies of earlier records, with their originals; set by `with_links`."""
        self.habits: Sequence[WriterHabits] = (AS_LINES,)
        """The habits of each conversation."""

    def __len__(self) -> int:
        return len(self.bits)

    @cached_property
    def ids(self) -> array[int]:
        """The hashes of the records' ids."""
        return unpack_array("q", self._planes[0])

    @cached_property
    def parents(self) -> array[int]:
        """The number of each record's parent, if it is before the record."""
        return unpack_array("i", self._planes[1])

    @cached_property
    def at(self) -> array[int]:
        """The places of the records."""
        return unpack_array("q", self._planes[2])

    @cached_property
    def replies(self) -> array[int]:
        """The hashes of the API replies they are parts of."""
        return unpack_array("i", self._planes[3])

    @cached_property
    def requests(self) -> array[int]:
        """The hashes of the API requests they answer."""
        if len(self._planes) < _PLANES:
            return array("i", bytes(4 * len(self)))
        return unpack_array("i", self._planes[6])

    @cached_property
    def listings(self) -> bytearray:
        """What the records mean to the program's own reader."""
        if len(self._planes) < _PLANES:
            return self.bits.translate(_LISTINGS)
        return bytearray(self._planes[7])

    @cached_property
    def groups(self) -> array[int]:
        """Which records are one turn."""
        return join_requests(self.replies, self.requests)

    @cached_property
    def stamps(self) -> array[int]:
        """When the records were written, and by whom."""
        return unpack_array("q", self._planes[4])

    # growing

    def with_links(self, links: Sequence[TreeRecord], read: Read | None = None) -> PackedTree:
        """Return the packed tree with more records at the end.

        `read` reads the source, for records whose id occurs twice: exact copies are one node.
        """
        if not links:
            return self
        made = PackedTree()
        made.ids, made.parents = self.ids[:], self.parents[:]
        made.at, made.bits = self.at[:], self.bits[:]
        made.replies, made.stamps = self.replies[:], self.stamps[:]
        made.requests, made.listings = self.requests[:], self.listings[:]
        made.forward, made.starts = self.forward[:], self.starts[:]
        made.doubled, made.kept, made.habits = self.doubled, self.kept[:], self.habits
        made._extend(links)
        made.copies = self.copies.copy()
        if made.doubled and read is not None:
            from talktree.library.extract.duplicate_records import (
                find_copies,  # few sources need it
            )

            made.copies |= find_copies(made.ids, made.at, len(self), read)
        return made

    def _extend(self, links: Sequence[TreeRecord]) -> None:
        ids, parents, at, bits, replies, stamps, talks, kept, listings, requests = zip(
            *links, strict=True
        )
        first = len(self)
        if any(kept):
            self.kept += [(place, name) for place, name in enumerate(kept, first) if name]
        if not first or talks[0] != talks[-1] or talks[0]:
            self._note_conversations(talks)
        known = self.places()
        before = len(known)
        fresh = dict(zip(ids, range(first, first + len(ids)), strict=True))
        fresh.pop(0, None)
        known.update(fresh)
        if len(known) - before == len(ids):
            # No id occurs twice, so a lookup gives the same result at any point of the file.
            known[0] = NOWHERE
            found = [known.get(parent, first + place) for place, parent in enumerate(parents)]
        else:
            self.doubled = True
            found = self._find_parents_one_by_one(ids, parents)
        for place, above in enumerate(found):
            if above >= first + place:
                self.forward.append((first + place, parents[place]))
                found[place] = NOWHERE
        self.ids.extend(ids)
        self.parents.extend(found)
        self.at.extend(at)
        self.bits.extend(bits)
        self.replies.extend(replies)
        self.stamps.extend(stamps)
        self.listings.extend(listings)
        self.requests.extend(requests)

    def places(self) -> dict[int, int]:
        """Return the place of each id; for a duplicate one, the last."""
        known = dict(zip(self.ids, range(len(self.ids)), strict=True))
        known.pop(0, None)
        return known

    def _find_parents_one_by_one(self, ids: Iterable[int], parents: Sequence[int]) -> list[int]:
        """Find parents record by record: for a duplicate id, the nearest one before the child."""
        known = self.places()
        known[0] = NOWHERE
        found = []
        for number, id in enumerate(ids, len(self)):
            # Links that are not found yet point at themselves, and are looked up again at the end.
            found.append(known.get(parents[number - len(self)], number))
            if id:
                known[id] = number
        return found

    def _note_conversations(self, talks: Sequence[int]) -> None:
        first = len(self)
        if not self.starts:
            self.starts.append(0)
        if talks[0] != talks[-1]:
            last = talks[0]
            for place, talk in enumerate(talks):
                if talk != last:
                    self.starts.append(first + place)
                    last = talk

    # storing

    def pack(self) -> bytes:
        """Return the packed tree as bytes."""
        arrays = [self.ids, self.parents, self.at, self.replies, self.stamps]
        planes = [pack_array(each) for each in arrays]
        planes += [bytes(self.bits), pack_array(self.requests), bytes(self.listings)]
        kept = _Packed(
            len(self),
            planes,
            self.forward,
            self.starts,
            self.doubled,
            self.kept,
            self.habits[0] if self.habits else AS_LINES,
            self.resolved.inferred,
            list(self.habits[1:]),
            self.copies,
        )
        return compress_bytes(msgspec.msgpack.encode(kept))

    @classmethod
    def unpack(cls, data: bytes) -> PackedTree:
        """Return the packed tree from its bytes."""
        kept = _decode(decompress_bytes(data))
        made = cls(kept.arrays)
        made.forward, made.starts, made.doubled = kept.forward, kept.starts, kept.doubled
        made.kept, made.copies = kept.kept, kept.copies
        made.habits = (kept.habits, *kept.further)
        return made

    # queries

    def number_at(self, at: int) -> int | None:
        """Return the number of the record at a place; None if it is not in the tree."""
        found = bisect_left(self.at, at)
        return found if found < len(self.at) and self.at[found] == at else None

    def state_at(self, at: int) -> str:
        """Return whether the record at a place is current, abandoned, or before a compaction."""
        number = self.number_at(at)
        return STATES[0 if number is None else self.states[number]]

    @cached_property
    def states(self) -> bytes:
        """A number in `STATES` for each record."""
        states = b"".join(each.states for each in self._summaries)
        return self.resolved.spread_states(states)

    def find_active(self) -> bytearray:
        """Return 1 for each record that the current leaf reaches, whether it is sent or not."""
        return bytearray(state != ABANDONED for state in self.states)

    @property
    def messages(self) -> int:
        """How many messages there are: all records in the tree."""
        return len(self.resolved.records.bits)

    @property
    def errors(self) -> int:
        """How many records report a failure."""
        return self.resolved.records.bits.translate(_FAILED).count(1)

    @property
    def branches(self) -> int:
        """How many branches the conversations have, without sub-agents."""
        return sum(each.branches for each in self._summaries)

    @property
    def sidechains(self) -> int:
        """How many conversations of sub-agents there are."""
        return sum(each.sidechains for each in self._summaries)

    @property
    def threads(self) -> int:
        """How many records have no parent; those of sub-agents only if there are no others."""
        parents, bits = self.resolved.parents, self.resolved.records.bits
        roots = [here for here, above in enumerate(parents) if above == NOWHERE]
        return sum(not bits[root] & SIDECHAIN for root in roots) or len(roots)

    @property
    def leaves(self) -> list[int]:
        """The current record of each conversation."""
        numbers = self.resolved.numbers
        leaves = [each.leaf for each in self._summaries if each.leaf != NOWHERE]
        return leaves if numbers is None else [numbers[leaf] for leaf in leaves]

    @cached_property
    def _summaries(self) -> list[TreeSummary]:
        resolved = self.resolved
        starts = self.starts if resolved.numbers is None else [0]
        spans = pairwise([*starts, len(resolved.parents)])
        return [
            summarize_tree(
                resolved.parents, resolved.records, start, stop, habits, resolved.written
            )
            for habits, (start, stop) in zip(self._all_habits(), spans, strict=False)
        ]

    def _all_habits(self) -> Iterator[WriterHabits]:
        """Yield the habits of each conversation; those of the last one for all that may follow."""
        return chain(self.habits, repeat(self.habits[-1] if self.habits else AS_LINES))

    @cached_property
    def resolved(self) -> ResolvedTree:
        """The nodes of the tree, with missing links inferred."""
        return resolve_tree(self)

    def whole_parents(self) -> tuple[array[int], set[int], dict[int, int]]:
        """Return the parents of all records, records whose parent was a copy, and links of loops.

        Parents after their children are resolved, originals replace copies, and loops are cut.
        Copies have no parents.
        """
        parents, changed = self.parents[:], False
        looped: dict[int, int] = {}
        known = self.places() if self.forward else {}
        for place, name in self.forward:
            above = known.get(name, NOWHERE)
            own = above == place or name == self.ids[place]
            if own and not self.bits[place] & FOLLOWS:
                looped[place] = place
            if above != NOWHERE and not own:
                parents[place] = above
                changed = True
        on_copies = fold_copies(parents, self.copies)[0] if self.copies else set()
        if changed:
            looped |= self._cut_loops(parents)
        return parents, on_copies, looped

    def _cut_loops(self, parents: array[int]) -> dict[int, int]:
        """Cut in each loop the link that only follows, or else the one that points forward.

        Returns the links of the second kind.
        """
        cut: dict[int, int] = {}
        seen = bytearray(len(parents))  # 1: on the current path, 2: known to end
        for start in range(len(parents)):
            way: list[int] = []
            here = start
            while here != NOWHERE and not seen[here]:
                seen[here] = 1
                way.append(here)
                here = parents[here]
            if here != NOWHERE and seen[here] == 1:
                loop = way[way.index(here) :]
                follows = [each for each in loop if self.bits[each] & FOLLOWS]
                if not follows:
                    cut[min(loop)] = parents[min(loop)]
                parents[min(follows or loop)] = NOWHERE
            for each in way:
                seen[each] = 2
        return cut


class _Seen(msgspec.Struct, array_like=True):
    """The stored arrays, read without copying."""

    count: int
    arrays: list[memoryview]
    forward: list[tuple[int, int]]
    starts: list[int]
    doubled: bool = True
    kept: list[tuple[int, int]] = []
    habits: WriterHabits = AS_LINES
    inferred: bool = False
    further: list[WriterHabits] = []
    """The habits of all conversations but the first."""
    copies: dict[int, int] = {}


class PackedTreeView:
    """A packed tree of which only the requested parts are unpacked."""

    def __init__(self, data: bytes) -> None:
        self._kept = _see(decompress_bytes(data))

    @property
    def has_several(self) -> bool:
        """Whether there is more than one conversation."""
        return len(self._kept.starts) > 1

    @property
    def is_inferred(self) -> bool:
        """Whether the place of a record depends on more than the written links."""
        return self._kept.inferred

    @property
    def forward_links(self) -> list[tuple[int, int]]:
        """Records whose parent was not before them, with the hash of its id."""
        return self._kept.forward

    def find_number_from(self, at: int) -> int:
        """Return the number of the first record at or after a place."""
        first = self._find_window(lambda first: self._unpack_offsets(first)[0] <= at)
        return first + bisect_left(self._unpack_offsets(first), at)

    def has_before(self, number: int, ids: Iterable[int]) -> bool:
        """Whether any of these ids, which occur after a record, may also occur before it.

        In rare cases it is true by mistake.
        """
        if not self._kept.doubled:
            return False
        lower = {id & _LOWER for id in ids}
        return not lower.isdisjoint(unpack_low_halves(self._kept.arrays[0])[:number])

    def walk_up(self) -> Iterator[tuple[int, int]]:
        """Yield the place and trait of each record, from the last one outside sub-agents up."""
        bits = self._kept.arrays[5]
        here = self._kept.count - 1
        while here >= 0 and bits[here] & SIDECHAIN:
            here -= 1
        first = self._kept.count
        parents = at = array("q")
        while here != NOWHERE:
            if here < first:
                first = self._find_window(lambda first, here=here: first <= here)  # type: ignore[misc]
                parents, at = (
                    unpack_array("i", self._kept.arrays[1], first),
                    self._unpack_offsets(first),
                )
            yield at[here - first], (bits[here] >> TRAIT) + 1
            here = parents[here - first]

    def _unpack_offsets(self, first: int) -> array[int]:
        return unpack_array("q", self._kept.arrays[2], first)

    def _find_window(self, is_enough: Callable[[int], bool]) -> int:
        """Return the number from which to unpack so that it is enough; at the end, little is."""
        size = _FEW
        while size < self._kept.count:
            first = self._kept.count - size
            if is_enough(first):
                return first
            size *= 8
        return 0


_decode = msgspec.msgpack.Decoder(_Packed).decode
_see = msgspec.msgpack.Decoder(_Seen).decode
