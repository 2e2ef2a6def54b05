"""The shape of a source: which record hangs on which, packed, and what the current leaf reaches.

A few bytes a record are kept. What is a fork, what only looks like one, and which leaf is the
current one is said by the model's tree (`model/tree.py`); `packed_tree_state.py` asks it in a
short way.

Arrays of numbers as bytes that compress well: all first bytes, then all second ones.
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
    """The bytes of an array, byte by byte of its numbers."""
    size, raw = numbers.itemsize, _to_little_endian(numbers).tobytes()
    return b"".join(raw[place::size] for place in range(size))


def unpack_array(kind: str, data: bytes | memoryview, first: int = 0) -> array[int]:
    """The array that was packed, from a number on."""
    numbers = array(kind)
    size, count = numbers.itemsize, len(data) // numbers.itemsize
    raw = bytearray(size * (count - first))
    for place in range(size):
        raw[place::size] = data[place * count + first : (place + 1) * count]
    numbers.frombytes(raw)
    return _to_little_endian(numbers)


def unpack_low_halves(data: bytes | memoryview) -> array[int]:
    """The lower 32 bits of the packed numbers of 64."""
    return unpack_array("I", data[: len(data) // 2])


def _to_little_endian(numbers: array[int]) -> array[int]:
    """The same on every machine."""
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers


class _Compressors(threading.local):
    """What packs and unpacks in a thread; making it takes longer than most shapes do."""

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
    """The bytes of a shape, made small."""
    return _compressors.compress(data)


def decompress_bytes(data: bytes) -> bytes:
    """The bytes that were made small."""
    return _compressors.decompress(data)


NOWHERE = -1
_LOWER = (1 << 32) - 1
_FEW = 4096
"""Records at the end that are unpacked first."""
STATES = ("current", "abandoned", "compacted")
"""What the current leaf makes of a record, by its number in `states`."""


def _decode_listing(bits: int) -> int:
    if (bits >> TRAIT) + 1 == Trait.NOTE:
        return int(Listing.PASSED)
    return int(Listing.HIDDEN if bits & SIDECHAIN else Listing.LISTED)


_PLANES = 8
_LISTINGS = bytes(_decode_listing(byte) for byte in range(256))
"""What records mean to the program's own reader, as far as older shapes tell."""
_FAILED = bytes(bool(byte & ERROR) for byte in range(256))


class _Packed(msgspec.Struct, array_like=True):
    """The arrays as they are kept."""

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
    """Ids, parents, places and bits of all records that take part in the tree."""

    def __init__(self, planes: Sequence[bytes] = (b"",) * 8) -> None:
        self._planes = planes
        """The arrays as they are kept: most of those that search needs no more than a few of."""
        self.bits = bytearray(planes[5])
        self.forward: list[tuple[int, int]] = []
        """Records whose parent did not stand before them, with the hash of its id."""
        self.starts: list[int] = []
        """The first record of each conversation."""
        self.doubled = False
        """Whether an id may stand twice."""
        self.kept: list[tuple[int, int]] = []
        """Compactions, with the hash of the id of the first message that each keeps."""
        self.copies: dict[int, int] = {}
        """Exact copies of records before them, with their originals; `extended` is given them."""
        self.habits: Sequence[WriterHabits] = (AS_LINES,)
        """The habits of each conversation."""

    def __len__(self) -> int:
        return len(self.bits)

    @cached_property
    def ids(self) -> array[int]:
        """The hashes of their ids."""
        return unpack_array("q", self._planes[0])

    @cached_property
    def parents(self) -> array[int]:
        """The number of the record each hangs on, as far as it stood before it."""
        return unpack_array("i", self._planes[1])

    @cached_property
    def at(self) -> array[int]:
        """Where they stand."""
        return unpack_array("q", self._planes[2])

    @cached_property
    def replies(self) -> array[int]:
        """The hashes of the API replies they are pieces of."""
        return unpack_array("i", self._planes[3])

    @cached_property
    def requests(self) -> array[int]:
        """The hashes of the API requests they answer."""
        if len(self._planes) < _PLANES:
            return array("i", bytes(4 * len(self)))
        return unpack_array("i", self._planes[6])

    @cached_property
    def listings(self) -> bytearray:
        """What they mean to the program's own reader."""
        if len(self._planes) < _PLANES:
            return self.bits.translate(_LISTINGS)
        return bytearray(self._planes[7])

    @cached_property
    def groups(self) -> array[int]:
        """Which of them are one turn."""
        return join_requests(self.replies, self.requests)

    @cached_property
    def stamps(self) -> array[int]:
        """When they were said, and by whom."""
        return unpack_array("q", self._planes[4])

    # growing

    def with_links(self, links: Sequence[TreeRecord], read: Read | None = None) -> PackedTree:
        """The shape with more records behind.

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
            # No id stands twice, so it does not matter at which point of the file one looks.
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
        """Where each id stands; of a doubled one the last."""
        known = dict(zip(self.ids, range(len(self.ids)), strict=True))
        known.pop(0, None)
        return known

    def _find_parents_one_by_one(self, ids: Iterable[int], parents: Sequence[int]) -> list[int]:
        """Parents as they are found record by record: the nearest of a doubled id before it."""
        known = self.places()
        known[0] = NOWHERE
        found = []
        for number, id in enumerate(ids, len(self)):
            # What is not found yet points at itself, and is looked for again at the end.
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

    # keeping

    def pack(self) -> bytes:
        """The shape as bytes."""
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
        """The shape that was packed."""
        kept = _decode(decompress_bytes(data))
        made = cls(kept.arrays)
        made.forward, made.starts, made.doubled = kept.forward, kept.starts, kept.doubled
        made.kept, made.copies = kept.kept, kept.copies
        made.habits = (kept.habits, *kept.further)
        return made

    # asking

    def number_at(self, at: int) -> int | None:
        """The number of the record at a place; None if there takes none part in the tree."""
        found = bisect_left(self.at, at)
        return found if found < len(self.at) and self.at[found] == at else None

    def state_at(self, at: int) -> str:
        """Whether the record at a place is current, abandoned, or from before a compaction."""
        number = self.number_at(at)
        return STATES[0 if number is None else self.states[number]]

    @cached_property
    def states(self) -> bytes:
        """For each record a number in `STATES`."""
        states = b"".join(each.states for each in self._summaries)
        return self.resolved.spread_states(states)

    def find_active(self) -> bytearray:
        """1 for each record that the current leaf reaches, whether or not it is still sent."""
        return bytearray(state != ABANDONED for state in self.states)

    @property
    def messages(self) -> int:
        """How many messages there are: all records that take part in the tree."""
        return len(self.resolved.records.bits)

    @property
    def errors(self) -> int:
        """How many records tell of something that failed."""
        return self.resolved.records.bits.translate(_FAILED).count(1)

    @property
    def branches(self) -> int:
        """How many ways the conversations went, sub-agents apart."""
        return sum(each.branches for each in self._summaries)

    @property
    def sidechains(self) -> int:
        """How many sub-agents' conversations there are."""
        return sum(each.sidechains for each in self._summaries)

    @property
    def threads(self) -> int:
        """How many records have no parent; those of sub-agents only where there are no others."""
        parents, bits = self.resolved.parents, self.resolved.records.bits
        roots = [here for here, above in enumerate(parents) if above == NOWHERE]
        return sum(not bits[root] & SIDECHAIN for root in roots) or len(roots)

    @property
    def leaves(self) -> list[int]:
        """The record each conversation stands at."""
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
        """The habits of each conversation; those of the last one for all that may follow."""
        return chain(self.habits, repeat(self.habits[-1] if self.habits else AS_LINES))

    @cached_property
    def resolved(self) -> ResolvedTree:
        """Its nodes, with links that are missing inferred."""
        return resolve_tree(self)

    def whole_parents(self) -> tuple[array[int], set[int], dict[int, int]]:
        """The parents of all records, the records whose parent was a copy, and the links of loops.

        Parents behind their children are found, originals take the place of copies, and loops are
        cut. Copies have no parents.
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
        """Of each loop the link is cut that only follows, or else the one that points forward.

        Returns the links of the second kind.
        """
        cut: dict[int, int] = {}
        seen = bytearray(len(parents))  # 1: on the way being walked, 2: known to end
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
    """The same, without copying any."""

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
    """A packed shape of which only what is asked for is unpacked."""

    def __init__(self, data: bytes) -> None:
        self._kept = _see(decompress_bytes(data))

    @property
    def has_several(self) -> bool:
        """Whether there is more than one conversation."""
        return len(self._kept.starts) > 1

    @property
    def is_inferred(self) -> bool:
        """Whether the place of a record depends on more than the links that are written."""
        return self._kept.inferred

    @property
    def forward_links(self) -> list[tuple[int, int]]:
        """Records whose parent did not stand before them, with the hash of its id."""
        return self._kept.forward

    def find_number_from(self, at: int) -> int:
        """The number of the first record at or behind a place."""
        first = self._find_window(lambda first: self._unpack_offsets(first)[0] <= at)
        return first + bisect_left(self._unpack_offsets(first), at)

    def has_before(self, number: int, ids: Iterable[int]) -> bool:
        """Whether any of these ids, which stand behind it, may stand before a record, too.

        A yes may be wrong, rarely.
        """
        if not self._kept.doubled:
            return False
        lower = {id & _LOWER for id in ids}
        return not lower.isdisjoint(unpack_low_halves(self._kept.arrays[0])[:number])

    def walk_up(self) -> Iterator[tuple[int, int]]:
        """From the last record that is no sub-agent's up to the first: its place and its trait."""
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
        """From which number on to unpack, so that it is enough; at the end little is."""
        size = _FEW
        while size < self._kept.count:
            first = self._kept.count - size
            if is_enough(first):
                return first
            size *= 8
        return 0


_decode = msgspec.msgpack.Decoder(_Packed).decode
_see = msgspec.msgpack.Decoder(_Seen).decode
