"""The state of every record relative to the current leaf, from the model's tree in a short way.

Most of a conversation is a plain row: each record is the only child of the one before. A row is one
node (or two) for the tree, whose rules depend only on where rows begin and end, so the result is
the same and the work depends on the number of forks.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple, Protocol

from talktree.library.extract.facts import COMPACT, SIDECHAIN, TRAIT
from talktree.model.active_point import find_active, find_newest_message, mark_active
from talktree.model.habits import WriterHabits
from talktree.model.outline import Listing, Trait
from talktree.model.skeleton import NO_TIME, ROOT, Skeleton
from talktree.model.tree import Tree
from talktree.model.vendor_walk import WrittenLinks, find_last_listed, walk_back

CURRENT, ABANDONED, COMPACTED = 0, 1, 2
_SIDE = bytes(bool(byte & SIDECHAIN) for byte in range(256))
_COMPACT = bytes(bool(byte & COMPACT) for byte in range(256))
_TRAIT = bytes((byte >> TRAIT) + 1 for byte in range(256))
_CHANGES = (b"\0\1", b"\1\0")
_BATCH_SIZE = 128
_in_a_row = array("i", [-1])
"""The parents of records in a row, each the child of the one before, for the longest one so far."""


class TreeSummary(NamedTuple):
    """The result for one conversation."""

    states: bytes
    branches: int
    sidechains: int
    leaf: int
    """The current record; -1 if there is none."""


class _Row(NamedTuple):
    """Records that follow each other without a fork."""

    start: int
    stop: int


class Records(Protocol):
    """The records of a packed tree; what only forks need is computed on demand."""

    bits: bytearray

    @property
    def groups(self) -> array[int]:
        """Which records are one reply."""

    @property
    def stamps(self) -> array[int]:
        """When the records were written."""


def summarize_tree(
    parents: array[int],
    records: Records,
    start: int,
    stop: int,
    habits: WriterHabits,
    written: WrittenLinks,
) -> TreeSummary:
    """Return the states of the records of one conversation relative to the current leaf."""
    if start == stop:
        return TreeSummary(b"", 0, 0, ROOT)
    own = bytes(records.bits[start:stop])
    odd = _find_odd_records(parents, start, stop)
    sides, compacts = own.translate(_SIDE), 1 in own.translate(_COMPACT)
    active = _find_active_record(written, sides, start)
    plain = odd in ([], [start]) and not (compacts and 1 in sides) and len(set(sides)) == 1
    if plain and active in (ROOT, stop - 1):
        return TreeSummary(_find_compaction_states(own), 1, 0, stop - 1)
    rows = _build_rows(parents, sides, odd, start, stop, active)
    # Files of lines hold one conversation.
    walks = habits.walk and stop - start == len(written.listings)
    resumed = find_last_listed(written) if walks else _find_stated_leaf(written, start, stop)
    walk = walk_back(written) if walks else _find_returned(written, start, stop)
    judge = _Judge(rows, parents, records, habits)
    judge.resume(resumed, active)
    return judge.summarize(walk)


def _find_active_record(written: WrittenLinks, sides: bytes, start: int) -> int:
    """Return the active record that the source states; -1 if it does not."""
    stop = start + len(sides)
    if written.listings.find(Listing.ACTIVE, start, stop) < 0:
        return ROOT
    newest = sides.rfind(0)
    found = find_active(written.listings[start:stop], newest)
    return found if found == ROOT else start + found


def _find_stated_leaf(written: WrittenLinks, start: int, stop: int) -> int:
    """Return the record that the conversation continues from, by the model; -1 for none."""
    return written.listings.rfind(Listing.CURRENT, start, stop)


def _find_compaction_states(own: bytes) -> bytes:
    """Return the states of one row of records: before its last compaction, and after it."""
    compact = own.translate(_COMPACT)
    begin = compact.rfind(1)
    # A compaction is a boundary and a summary; this is the first of both.
    while begin > 0 and compact[begin - 1]:
        begin -= 1
    return bytes([COMPACTED]) * max(0, begin) + bytes(len(own) - max(0, begin))


def _find_odd_records(parents: array[int], start: int, stop: int) -> list[int]:
    """Return the records that are not children of the one before; spans without any are skipped."""
    if len(_in_a_row) < stop:
        _in_a_row.extend(range(len(_in_a_row) - 1, 2 * stop))
    odd: list[int] = []
    for first in range(start, stop, _BATCH_SIZE):
        last = min(first + _BATCH_SIZE, stop)
        if parents[first:last] != _in_a_row[first:last]:
            odd += [number for number in range(first, last) if parents[number] != number - 1]
    return odd


def _build_rows(
    parents: Sequence[int], sides: bytes, odd: Iterable[int], start: int, stop: int, active: int
) -> list[_Row]:
    # A row ends at the active record; if there is none, this is the first record.
    begins = {start, *odd, max(start, active + 1)}
    begins.update(parents[number] + 1 for number in odd if parents[number] >= start)
    for change in _CHANGES:
        at = sides.find(change)
        while at >= 0:
            begins.add(start + at + 1)
            at = sides.find(change, at + 1)
    begins.discard(stop)
    ordered = sorted(begins)
    return list(map(_Row, ordered, [*ordered[1:], stop]))


def _find_returned(written: WrittenLinks, start: int, stop: int) -> Iterator[int]:
    """Yield the records that the program's own reader returns, according to the model."""
    at = written.listings.find(Listing.RETURNED, start, stop)
    while at >= 0:
        yield at
        at = written.listings.find(Listing.RETURNED, at + 1, stop)


class _Judge:
    """One conversation as rows, and their tree."""

    def __init__(
        self,
        rows: list[_Row],
        parents: Sequence[int],
        records: Records,
        habits: WriterHabits,
    ) -> None:
        self.rows = rows
        self.bits = bits = records.bits
        self.parents = parents
        self.groups = records.groups
        self.first, self.stop = rows[0].start, rows[-1].stop
        own = bytes(bits[self.first : self.stop])
        self.traits = own.translate(_TRAIT)
        self.compacts = own.translate(_COMPACT)
        self.skeleton = Skeleton(habits._replace(walk=False))
        self._sizes: list[int] = []
        self.row_of: list[int] = []
        """The row of each node."""
        self._ends: dict[int, int] = {}
        """The last node of each row, by its last record."""
        self._pending: list[tuple[int, int]] = []
        for number, row in enumerate(rows):
            self._add_row(number, row, records.stamps[row.start])
        for node, above in self._pending:
            self.skeleton.parents[node] = self._ends[above]
        self.states = bytearray([ABANDONED]) * (self.stop - self.first)

    # rows as nodes

    def resume(self, record: int, active: int) -> None:
        """Mark the rows of the active record, and of the one that the conversation resumes from."""
        listings = self.skeleton.listings
        if record != ROOT:
            listings[self._find_end_node(record)] = Listing.CURRENT
        if active != ROOT:
            newest = find_newest_message(self.skeleton.traits, self.skeleton.sidechain)
            mark_active(listings, self._find_end_node(active), newest)

    @cached_property
    def tree(self) -> Tree:
        """The tree of the rows."""
        return Tree(self.skeleton, self._sizes)

    def _find_end_node(self, record: int) -> int:
        """Return the last node of the row that a record is in."""
        row = self.rows[bisect_right(self.rows, record, key=attrgetter("start")) - 1]
        return self._ends[row.stop - 1]

    def _add_row(self, number: int, row: _Row, stamp: int) -> None:
        trait, group = self._classify_row(row)
        above = self.parents[row.start]
        notes = self.traits.count(Trait.NOTE, row.start - self.first, row.stop - self.first)
        self._add_node(number, trait, 0, stamp)
        self._sizes[-1] = row.stop - row.start - notes
        node = len(self.row_of) - 1
        if above >= self.first:
            self._pending.append((node, above))
        if trait == Trait.REPLY:
            self.skeleton.group_numbers[node] = group or 0
        elif group is not None:
            # Its messages decide whether the row counts; its last reply is what the next one sees.
            self._add_node(number, Trait.REPLY, group, 0)
            self.skeleton.parents[node + 1] = node
        self._ends[row.stop - 1] = len(self.row_of) - 1

    def _add_node(self, number: int, trait: int, group: int, stamp: int) -> None:
        skeleton = self.skeleton
        skeleton.ids.append(str(len(skeleton.ids)))
        skeleton.parents.append(ROOT)
        skeleton.times.append(stamp or NO_TIME)
        skeleton.traits.append(trait)
        skeleton.sidechain.append(bool(self.bits[self.rows[number].start] & SIDECHAIN))
        skeleton.roles.append("")
        skeleton.group_numbers.append(group)
        skeleton.listings.append(Listing.LISTED)
        self.row_of.append(number)
        self._sizes.append(0)

    def _classify_row(self, row: _Row) -> tuple[int, int | None]:
        """Return the trait of a row, and the last reply in it, if there is one."""
        traits = self.traits[row.start - self.first : row.stop - self.first]
        last = traits.rfind(Trait.REPLY)
        group = self.groups[row.start + last] if last >= 0 else None
        if Trait.SAID in traits:
            return Trait.SAID, group
        if last < 0:
            return (Trait.RESULT if Trait.RESULT in traits else Trait.NOTE), None
        replies = {
            self.groups[row.start + place]
            for place, trait in enumerate(traits)
            if trait == Trait.REPLY
        }
        # Two replies in a row, or one without an API message, are new in any case.
        return (Trait.REPLY, group) if len(replies) == 1 else (Trait.SAID, group)

    # reachability from the leaf

    def summarize(self, walk: Iterable[int]) -> TreeSummary:
        """Return the state of every record, and how many branches there are.

        Records that the program's own reader returns are current wherever they are.
        """
        tree = self.tree
        leaf = tree.active_leaf()
        if leaf is not None:
            self._mark_main(leaf)
        for record in walk:
            if self.states[record - self.first] == ABANDONED:
                self.states[record - self.first] = CURRENT
        for node in range(len(self.row_of)):
            if tree.is_sidechain_start(node):
                self._mark_sidechain(node)
        kinds = [branch.kind for branch in tree.branches()]
        sides = kinds.count("sidechain")
        end = ROOT if leaf is None else self.rows[self.row_of[leaf]].stop - 1
        return TreeSummary(bytes(self.states), len(kinds) - sides, sides, end)

    def _mark_main(self, leaf: int) -> None:
        line = self._find_line_to(leaf)
        self._mark_line(line, CURRENT)
        first = self.rows[self.row_of[line[0]]].start
        if self.bits[first] & COMPACT:
            # Older recordings of a compaction begin a new tree; it continues the one before.
            before = [
                root
                for root in self.tree.roots
                if root < line[0] and not self.tree.is_sidechain_start(root)
            ]
            if before:
                self._mark_line(list(self.tree.line(before[-1])), COMPACTED)

    def _mark_sidechain(self, start: int) -> None:
        above = self.parents[self.rows[self.row_of[start]].start]
        state = self.states[above - self.first] if above >= self.first else CURRENT
        self._mark_line(list(self.tree.line(start)), state)

    def _find_line_to(self, leaf: int) -> list[int]:
        line = [leaf]
        while (above := self.tree.parent(line[-1])) is not None:
            line.append(above)
        return line[::-1]

    def _mark_line(self, line: list[int], state: int) -> None:
        """Set the state of a line and its notes; compacted records get a state of their own."""
        for node in self.tree.order_with_asides(line):
            self._set_row_state(self.rows[self.row_of[node]], state)
        if state != CURRENT:
            return
        cut = self._find_compaction(line)
        if cut is None:
            return
        place, record = cut
        own = self.row_of[line[place]]
        after = set(line[place:])
        before = [node for node in line[:place] if self.row_of[node] != own]
        for node in self.tree.order_with_asides(before):
            if node not in after and self.row_of[node] != own:
                self._set_row_state(self.rows[self.row_of[node]], COMPACTED)
        self._set_row_state(_Row(self.rows[own].start, record), COMPACTED)

    def _find_compaction(self, line: list[int]) -> tuple[int, int] | None:
        """Return where the last compaction on a line begins: the node, and the record in it."""
        for place in range(len(line) - 1, -1, -1):
            row = self.rows[self.row_of[line[place]]]
            found = self.compacts.rfind(1, row.start - self.first, row.stop - self.first)
            if found >= 0:
                return self._find_beginning(line, place, self.first + found)
        return None

    def _find_beginning(self, line: list[int], place: int, record: int) -> tuple[int, int]:
        """Return the first record of a compaction, which is a boundary and a summary."""
        while True:
            row = self.rows[self.row_of[line[place]]]
            if record > row.start:
                if not self.bits[record - 1] & COMPACT:
                    return place, record
                record -= 1
                continue
            if not place:
                return place, record
            above = self.rows[self.row_of[line[place - 1]]]
            if above == row:
                place -= 1
                continue
            if not self.bits[above.stop - 1] & COMPACT:
                return place, record
            place, record = place - 1, above.stop - 1

    def _set_row_state(self, row: _Row, state: int) -> None:
        start, stop = row.start - self.first, row.stop - self.first
        self.states[start:stop] = bytes([state]) * (stop - start)
