"""What travels along: each record's own bytes with it, all else in one place of the target.

Entries that have no record of their own in the target, files without records, and what the source
was called must outlive the deletion of any message. So they do not ride on messages where the
format has another place: a line of their own, a file beside, the record that heads the
conversation. Only formats that have nothing but messages keep them with the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing
from functools import cached_property
from itertools import chain

from msgspec.structs import replace

from talktree.conversion import part_map as seaming
from talktree.conversion.attachments import put_back
from talktree.conversion.digests import DigestLog
from talktree.conversion.embed import VERSION, Carry, File, Kept, checksum, sized
from talktree.conversion.embed import Origin as SourceNote
from talktree.conversion.embed_template import (
    NO_STRINGS,
    PLAIN,
    Spelling,
    made,
    strings_in,
    strings_of,
)
from talktree.conversion.forward_chunks import Chunk, cut, packed, unpacked
from talktree.conversion.losses import Ledger, Loss
from talktree.conversion.map_entries import Crossing, Held
from talktree.files import form_of
from talktree.files.gc_pause import not_sought
from talktree.formats.format import Record
from talktree.formats.record_file import Item
from talktree.model.conversation import STRETCH
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import Message
from talktree.model.parts import Part
from talktree.parallel.pool import may_fork
from talktree.text.json.value import Json

_KIND = {Head: "head", Snapshot: "snapshot", Opaque: "opaque"}
TOGETHER = 64
MOST_BYTES = 1 << 19
"""How many records go through each step together, and how large they may be."""
WORTH_SHARING = 8 << 20
"""So many bytes of records are worth further processes."""
TOO_LONG = 16 << 20
"""A longer record is not sent between processes: each of them would hold copies of it."""


def _at_top(position: int) -> int:
    return 0


class Packing:
    """Makes the records of a conversation in the target, with what they carry."""

    def __init__(
        self,
        crossing: Crossing,
        ledger: Ledger,
        *,
        carry: bool,
        src: str,
        part: int,
        files: Iterable[str] = (),
        via: Sequence[str] = (),
        processes: int = 1,
    ) -> None:
        self.crossing = crossing
        self.ledger = ledger
        self.carry = carry
        self._via = list(via)
        self._files = list(files)
        """Files without records, which travel with this conversation."""
        self._processes = processes
        self.digests = DigestLog()
        """What the messages that were made show."""
        self._origin = crossing.origin
        self._blank = Carry(crossing.source.info.slug, src=src, part=part)
        self._spelling = Spelling(crossing.source.can.spelling, crossing.source.derived)

    # records of the target

    def items(
        self, positions: Sequence[int], *, loaded: int = -1, depth: Callable[[int], int] = _at_top
    ) -> Iterator[Item]:
        """The records at some positions of the plan, each as deep as `depth` says.

        That at `loaded` carries all the rest.
        """
        group = self.crossing.conversation.id
        # What the source was called should be known even if the first message is deleted.
        noted = positions[1:2] if loaded >= 0 else positions[:0]
        for position, value in self._made(positions, loaded, noted):
            self.ledger.step()
            yield Item(None, value, True, depth(position), group)
        if not self.carry and loaded >= 0:
            self.tell_rest()

    def _made(
        self, positions: Sequence[int], loaded: int, noted: Sequence[int]
    ) -> Iterator[tuple[int, Json]]:
        """The records at some positions, each with its position."""
        if self._processes > 1 and self.crossing.can_be_shared:
            members = self.crossing.conversation.members
            sizes = self._origin.sizes([members[position] for position in positions])
            if sum(sizes) >= WORTH_SHARING and may_fork():
                long = {at for at, size in zip(positions, sizes, strict=True) if size > TOO_LONG}
                yield from self._shared(cut(positions, sizes), loaded, noted, long)
                return
        yield from self._made_here(positions, loaded, noted)

    def _made_here(
        self, positions: Sequence[int], loaded: int, noted: Sequence[int]
    ) -> Iterator[tuple[int, Json]]:
        stretches = self._stretches(positions)
        while True:
            with not_sought():
                records = next(stretches, None)
                if records is None:
                    return
                held = self.crossing.held_records(records)
                values = self._values(records, held, loaded, noted)
            for record, each in zip(records, held, strict=True):
                self._note_down(record.line, each.seen)
            places = [record.line for record in records]
            # Their bytes are freed before the values are written.
            records.clear()
            held.clear()
            yield from zip(places, values, strict=True)

    def _shared(
        self,
        chunks: Sequence[Sequence[int]],
        loaded: int,
        noted: Sequence[int],
        long: AbstractSet[int],
    ) -> Iterator[tuple[int, Json]]:
        """The same, made in several processes, apart from chunks with long records."""

        def make(number: int) -> bytes:
            """One chunk, with a ledger of its own; nothing if it is made here."""
            if not long.isdisjoint(chunks[number]):
                return b""
            ledger, digests = self.ledger, self.digests
            self.ledger, self.digests = Ledger(), DigestLog()
            try:
                made = self._made_here(chunks[number], loaded, noted)
                values = self.crossing.target.readied([value for _, value in made])
                losses, size = self.ledger.losses, self.ledger.carried_bytes
                return packed(Chunk(values, losses, size, self.digests.packed()))
            finally:
                self.ledger, self.digests = ledger, digests

        from talktree.parallel.ordered_map import in_order

        self.crossing.prepare()
        with closing(in_order(make, len(chunks), self._processes)) as made:
            for places, data in zip(chunks, made, strict=True):
                if not data:
                    yield from self._made_here(places, loaded, noted)
                    continue
                chunk = unpacked(data)
                self.ledger.add(chunk.losses)
                self.ledger.carried_bytes += chunk.carried_bytes
                self.digests.extend(chunk.digests)
                yield from zip(places, chunk.values, strict=False)
                self.ledger.step(len(places) - len(chunk.values))

    def _values(
        self, records: Sequence[Record], held: Sequence[Held], loaded: int, noted: Sequence[int]
    ) -> list[Json]:
        """The values of records in the target, with what they carry."""
        if not self.carry:
            self.ledger.add(chain.from_iterable(each.losses for each in held))
            return [each.value for each in held]
        strings = list(map(self._strings, records, held))
        kept = list(map(self._kept, records, strings))
        values: list[Json] = []
        losses: list[Loss] = []
        for record, each, own in zip(records, held, kept, strict=True):
            losses += each.losses
            if record.line == loaded:
                # What rides along with it is told behind what it lost itself.
                self.ledger.add(losses)
                losses = []
            everything, told = record.line == loaded, record.line in noted
            values.append(self._carrying(each, own, everything=everything, noted=told))
        self.ledger.add(losses)
        return values

    def _stretches(self, positions: Sequence[int]) -> Iterator[list[Record]]:
        """Records that go through each step together."""
        stretch: list[Record] = []
        size = 0
        for record in self._records(positions):
            stretch.append(record)
            size += len(record.raw)
            del record
            if len(stretch) == TOGETHER or size >= MOST_BYTES:
                yield stretch
                stretch, size = [], 0
        if stretch:
            yield stretch

    def opening(self, entry: Entry, *, loaded: bool) -> Item:
        """A record made up for the target."""
        held = self.crossing.made_up(entry)
        value = held.value
        self._note_down(-1, held.seen)
        if self.carry:
            value = self._carrying(held, None, everything=loaded)
        elif loaded:
            self.tell_rest()
        return Item(None, value, changed=True, group=self.crossing.conversation.id)

    def digest(self, opening: Iterable[Entry], positions: Sequence[int]) -> None:
        """Note down what the target would show, without making its records."""
        for entry in opening:
            self._note_down(-1, self.crossing.made_up(entry).seen)
        for records in self._stretches(positions):
            for record, seen in zip(records, self.crossing.seen_records(records), strict=True):
                self._note_down(record.line, seen)

    def _note_down(self, position: int, seen: Entry) -> None:
        if isinstance(seen, Message):
            self.digests.add(position, seen)

    def carriers(self) -> Iterator[Item]:
        """Records that do nothing but carry what no other record does."""
        if not self.carry:
            self.tell_rest()
            return
        target, group = self.crossing.target, self.crossing.conversation.id
        for start in range(0, max(1, len(self.unattached)), STRETCH):
            carry = replace(
                self._blank,
                origin=None if start else self._note(),
                unattached=self._ridden(self.unattached[start : start + STRETCH]),
            )
            carried, size = sized(carry)
            self.ledger.carried_bytes += size
            yield Item(None, target.carrier(carried), changed=True, group=group)

    @cached_property
    def unattached(self) -> list[int]:
        """Positions that have no record of their own."""
        written = bytearray(self.crossing.conversation.record_count)
        for position in self.crossing.plan.order:
            written[position] = 1
        return [position for position, there in enumerate(written) if not there]

    def _records(self, positions: Sequence[int]) -> Iterator[Record]:
        """Records of the source, those in its order in one go; `line` is the position."""
        conversation = self.crossing.conversation
        for run in _rising(positions):
            numbers = [conversation.members[position] for position in run]
            names = map(conversation.names, run)
            yield from map(_at_position, self._origin.records(numbers, names), run)

    # what they carry

    def _carrying(
        self, held: Held, kept: Kept | None, *, everything: bool, noted: bool = False
    ) -> Json:
        seen = held.seen
        seams = seaming.written(held.seams, len(seen.parts) if isinstance(seen, Message) else 0)
        blank = self._blank
        carry = Carry(
            blank.format,
            VERSION,
            kept,
            seams,
            held.sum or checksum(seen),
            held.under,
            src=blank.src,
            part=blank.part,
        )
        if everything or noted:
            note = self._note(files=everything)
            unattached = self._ridden(self.unattached) if everything else []
            carry = replace(carry, origin=note, unattached=unattached)
        target = self.crossing.target
        ready = target.copies_carry and kept is not None
        carried, size = sized(carry, ready=ready)
        self.ledger.carried_bytes += size
        return target.with_carry(held.value, carried)

    def _strings(self, record: Record, held: Held) -> Mapping[str, str]:
        """The strings of a record that the target holds."""
        seen = held.seen
        if not isinstance(seen, Message):
            return strings_of(seen)
        # Half a character would have been told as a problem of the record.
        parts = self._parts_restored(seen.parts, held, plain=not record.problems)
        if self.crossing.outside.policy == "beside":
            found = replace(seen, parts=parts)
            return strings_of(put_back(found, self.crossing.outside.contents(found)))
        return strings_in(parts, seen.todos, seen.extra)

    def _kept(self, record: Record, strings: Mapping[str, str] = NO_STRINGS) -> Kept:
        """A record of the source without the strings that stand elsewhere."""
        which, index = self._origin.sheet_of(self.crossing.conversation.members[record.line])
        sheet = self._origin.sheets[which]
        gap, hole, tail, depth = sheet.around(index)
        raw = record.raw or sheet.raw(index)
        opens = gap + (raw if hole is None else raw[:hole])
        ends = b"" if hole is None else tail + raw[hole:]
        return Kept(
            [which, index],
            made(opens, strings, self._spelling),
            made(ends, strings, self._spelling) if ends else "",
            depth,
        )

    def _parts_restored(
        self, parts: tuple[Part, ...], held: Held, *, plain: bool
    ) -> tuple[Part, ...]:
        """What the target holds of a message, taken apart."""
        if seaming.are_wholes(held.seams, len(parts)):
            return parts
        known = seaming.foreseen(held.own, parts, held.seams) if plain else None
        return (known or seaming.opened(parts, held.seams)).parts

    def _ridden(self, positions: Sequence[int]) -> list[Kept]:
        kept = []
        for record in self._records(positions):
            self.ledger.add([self._unattached_loss(record)])
            self.ledger.step()
            kept.append(self._kept(record))
        return kept

    def tell_rest(self) -> None:
        """Put into the ledger what has no record of its own."""
        self.ledger.add(map(self._unattached_loss, self._records(self.unattached)))
        self._tell_files()

    def _unattached_loss(self, record: Record) -> Loss:
        crossing = self.crossing
        why = crossing.plan.left.get(record.line, "other")
        entry = crossing.source.get(record)
        kind = _KIND.get(type(entry), why if why in ("branch", "deleted") else "message")
        what = entry.kind if isinstance(entry, Head | Opaque) else kind
        name = record.id or getattr(entry, "message", None) or entry.id or f"@{record.line + 1}"
        return Loss(kind, name, what, crossing.how)

    def _tell_files(self) -> None:
        self.ledger.add(Loss("file", path, path, self.crossing.how) for path in self._files)

    def _note(self, *, files: bool = True) -> SourceNote:
        """What the source is called, which files it has, and those that hold no record."""
        if files:
            self._tell_files()
        source = self._origin.source
        return SourceNote(
            source.name,
            self.crossing.target.info.slug,
            source.folder,
            [self._file(which) for which in self._sheets],
            {path: self._content(path) for path in self._files} if files else {},
            self._via,
        )

    @cached_property
    def _sheets(self) -> list[int]:
        """The sheets that hold records of the conversation."""
        members = self.crossing.conversation.members
        return sorted({self._origin.sheet_of(number)[0] for number in members})

    def _content(self, path: str) -> Json:
        return made(self._origin.source.files[path].read(), NO_STRINGS, PLAIN)

    def _file(self, which: int) -> File:
        sheet = self._origin.sheets[which]
        lead, trail = sheet.ends()
        return File(
            which,
            sheet.path,
            made(lead, NO_STRINGS, PLAIN),
            made(trail, NO_STRINGS, PLAIN),
            form_of(sheet.content),
        )


def _at_position(record: Record, position: int) -> Record:
    record.line = position
    return record


def _rising(positions: Sequence[int]) -> Iterator[Sequence[int]]:
    """Stretches in which each position is behind the one before."""
    start = 0
    for at in range(1, len(positions) + 1):
        if at == len(positions) or positions[at] <= positions[at - 1]:
            yield positions[start:at]
            start = at
