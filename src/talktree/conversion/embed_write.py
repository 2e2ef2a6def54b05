"""Writing embedded source data: each record's own bytes in it, all else in one place of the target.

Entries without a record of their own in the target, files without records, and the names of the
source must survive the deletion of any message. They are therefore not embedded in messages if the
format has another place: a line of its own, a file beside it, or the record that heads the
conversation. Only formats that have nothing but messages keep them with the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing
from functools import cached_property
from itertools import chain

from msgspec.structs import replace

from talktree.conversion import part_map
from talktree.conversion.attachments import restore_attachments
from talktree.conversion.digests import DigestLog
from talktree.conversion.embed import (
    VERSION,
    EmbeddedData,
    EmbeddedFile,
    EmbeddedRecord,
    checksum,
    encode_with_size,
)
from talktree.conversion.embed import EmbeddedOrigin as SourceNote
from talktree.conversion.embed_template import (
    NO_STRINGS,
    PLAIN,
    Spelling,
    collect_message_strings,
    collect_strings,
    make_template,
)
from talktree.conversion.forward_chunks import (
    ConvertedChunk,
    pack_chunk,
    split_positions,
    unpack_chunk,
)
from talktree.conversion.losses import Loss, LossReport
from talktree.conversion.map_entries import EntryMapper, HeldEntry
from talktree.files import find_text_form
from talktree.files.gc_pause import pause_gc
from talktree.formats.format import Record
from talktree.formats.record_file import Item
from talktree.model.conversation import BATCH_SIZE
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import Message
from talktree.model.parts import Part
from talktree.parallel.pool import may_fork
from talktree.text.json.value import Json

_KIND = {Head: "head", Snapshot: "snapshot", Opaque: "opaque"}
TOGETHER = 64
MOST_BYTES = 1 << 19
"""Number of records that go through each step together, and their maximum size."""
WORTH_SHARING = 8 << 20
"""Minimum bytes of records for which further processes are worth it."""
TOO_LONG = 16 << 20
"""A longer record is not sent between processes, because each would hold copies of it."""


def _find_no_depth(position: int) -> int:
    return 0


class RecordEmbedder:
    """Makes the target's records of a conversation, with their embedded data."""

    def __init__(
        self,
        crossing: EntryMapper,
        loss_report: LossReport,
        *,
        carry: bool,
        src: str,
        part: int,
        files: Iterable[str] = (),
        via: Sequence[str] = (),
        processes: int = 1,
    ) -> None:
        self.crossing = crossing
        self.loss_report = loss_report
        self.carry = carry
        self._via = list(via)
        self._files = list(files)
        """Files without records, which are embedded in this conversation."""
        self._processes = processes
        self.digests = DigestLog()
        """What the written messages show."""
        self._origin = crossing.origin
        self._blank = EmbeddedData(crossing.source.info.slug, src=src, part=part)
        self._spelling = Spelling(crossing.source.can.spelling, crossing.source.derived)

    # records of the target

    def iter_items(
        self,
        positions: Sequence[int],
        *,
        loaded: int = -1,
        depth: Callable[[int], int] = _find_no_depth,
    ) -> Iterator[Item]:
        """Yield the records at some positions of the plan, nested as `depth` says.

        The record at `loaded` embeds all the rest.
        """
        group = self.crossing.conversation.id
        # The names of the source should survive even if the first message is deleted.
        noted = positions[1:2] if loaded >= 0 else positions[:0]
        for position, value in self._make_records(positions, loaded, noted):
            self.loss_report.step()
            yield Item(None, value, True, depth(position), group)
        if not self.carry and loaded >= 0:
            self.report_rest()

    def _make_records(
        self, positions: Sequence[int], loaded: int, noted: Sequence[int]
    ) -> Iterator[tuple[int, Json]]:
        """Yield the records at some positions, each with its position."""
        if self._processes > 1 and self.crossing.can_be_shared:
            members = self.crossing.conversation.members
            sizes = self._origin.sizes([members[position] for position in positions])
            if sum(sizes) >= WORTH_SHARING and may_fork():
                long = {at for at, size in zip(positions, sizes, strict=True) if size > TOO_LONG}
                yield from self._pack_in_processes(
                    split_positions(positions, sizes), loaded, noted, long
                )
                return
        yield from self._make_records_here(positions, loaded, noted)

    def _make_records_here(
        self, positions: Sequence[int], loaded: int, noted: Sequence[int]
    ) -> Iterator[tuple[int, Json]]:
        batches = self._split_into_batches(positions)
        while True:
            with pause_gc():
                records = next(batches, None)
                if records is None:
                    return
                held = self.crossing.convert_records(records)
                values = self._make_values(records, held, loaded, noted)
            for record, each in zip(records, held, strict=True):
                self._note_digest(record.line, each.seen)
            places = [record.line for record in records]
            # Their bytes are freed before the values are written.
            records.clear()
            held.clear()
            yield from zip(places, values, strict=True)

    def _pack_in_processes(
        self,
        chunks: Sequence[Sequence[int]],
        loaded: int,
        noted: Sequence[int],
        long: AbstractSet[int],
    ) -> Iterator[tuple[int, Json]]:
        """Yield the same from a process pool, except for chunks with long records."""

        def make(number: int) -> bytes:
            """Make one chunk with its own loss report; empty if this process makes it."""
            if not long.isdisjoint(chunks[number]):
                return b""
            loss_report, digests = self.loss_report, self.digests
            self.loss_report, self.digests = LossReport(), DigestLog()
            try:
                made = self._make_records_here(chunks[number], loaded, noted)
                values = self.crossing.target.pre_encode([value for _, value in made])
                losses, size = self.loss_report.losses, self.loss_report.carried_bytes
                return pack_chunk(ConvertedChunk(values, losses, size, self.digests.pack()))
            finally:
                self.loss_report, self.digests = loss_report, digests

        from talktree.parallel.ordered_map import map_in_order

        self.crossing.prepare()
        with closing(map_in_order(make, len(chunks), self._processes)) as made:
            for places, data in zip(chunks, made, strict=True):
                if not data:
                    yield from self._make_records_here(places, loaded, noted)
                    continue
                chunk = unpack_chunk(data)
                self.loss_report.add(chunk.losses)
                self.loss_report.carried_bytes += chunk.carried_bytes
                self.digests.extend(chunk.digests)
                yield from zip(places, chunk.values, strict=False)
                self.loss_report.step(len(places) - len(chunk.values))

    def _make_values(
        self,
        records: Sequence[Record],
        held: Sequence[HeldEntry],
        loaded: int,
        noted: Sequence[int],
    ) -> list[Json]:
        """Yield the values of records in the target, with their embedded data."""
        if not self.carry:
            self.loss_report.add(chain.from_iterable(each.losses for each in held))
            return [each.value for each in held]
        strings = list(map(self._find_held_strings, records, held))
        kept = list(map(self._to_embedded_record, records, strings))
        values: list[Json] = []
        losses: list[Loss] = []
        for record, each, own in zip(records, held, kept, strict=True):
            losses += each.losses
            if record.line == loaded:
                # Losses of unattached records are reported after its own.
                self.loss_report.add(losses)
                losses = []
            everything, details = record.line == loaded, record.line in noted
            values.append(self._embed_source(each, own, everything=everything, noted=details))
        self.loss_report.add(losses)
        return values

    def _split_into_batches(self, positions: Sequence[int]) -> Iterator[list[Record]]:
        """Yield records in batches that go through each step together."""
        batch: list[Record] = []
        size = 0
        for record in self._read_records(positions):
            batch.append(record)
            size += len(record.raw)
            del record
            if len(batch) == TOGETHER or size >= MOST_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def make_opening(self, entry: Entry, *, loaded: bool) -> Item:
        """Return a record made for the target."""
        held = self.crossing.convert_unchanged(entry)
        value = held.value
        self._note_digest(-1, held.seen)
        if self.carry:
            value = self._embed_source(held, None, everything=loaded)
        elif loaded:
            self.report_rest()
        return Item(None, value, changed=True, group=self.crossing.conversation.id)

    def digest_shown(self, opening: Iterable[Entry], positions: Sequence[int]) -> None:
        """Add the digests of what the target would show, without making its records."""
        for entry in opening:
            self._note_digest(-1, self.crossing.convert_unchanged(entry).seen)
        for records in self._split_into_batches(positions):
            for record, seen in zip(records, self.crossing.preview_records(records), strict=True):
                self._note_digest(record.line, seen)

    def _note_digest(self, position: int, seen: Entry) -> None:
        if isinstance(seen, Message):
            self.digests.add(position, seen)

    def iter_carriers(self) -> Iterator[Item]:
        """Yield records that only embed what no other record does."""
        if not self.carry:
            self.report_rest()
            return
        target, group = self.crossing.target, self.crossing.conversation.id
        for start in range(0, max(1, len(self.unattached)), BATCH_SIZE):
            carry = replace(
                self._blank,
                origin=None if start else self._make_source_note(),
                unattached=self._embed_unattached(self.unattached[start : start + BATCH_SIZE]),
            )
            carried, size = encode_with_size(carry)
            self.loss_report.carried_bytes += size
            yield Item(None, target.make_carrier_record(carried), changed=True, group=group)

    @cached_property
    def unattached(self) -> list[int]:
        """The positions without a record of their own."""
        written = bytearray(self.crossing.conversation.record_count)
        for position in self.crossing.plan.order:
            written[position] = 1
        return [position for position, there in enumerate(written) if not there]

    def _read_records(self, positions: Sequence[int]) -> Iterator[Record]:
        """Yield records of the source, consecutive ones in one read; `line` is the position."""
        conversation = self.crossing.conversation
        for run in _split_rising(positions):
            numbers = [conversation.members[position] for position in run]
            names = map(conversation.names, run)
            yield from map(_with_position, self._origin.records(numbers, names), run)

    # embedded data

    def _embed_source(
        self, held: HeldEntry, kept: EmbeddedRecord | None, *, everything: bool, noted: bool = False
    ) -> Json:
        seen = held.seen
        seams = part_map.encode_seams(
            held.seams, len(seen.parts) if isinstance(seen, Message) else 0
        )
        blank = self._blank
        carry = EmbeddedData(
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
            note = self._make_source_note(files=everything)
            unattached = self._embed_unattached(self.unattached) if everything else []
            carry = replace(carry, origin=note, unattached=unattached)
        target = self.crossing.target
        ready = target.copies_carry and kept is not None
        carried, size = encode_with_size(carry, ready=ready)
        self.loss_report.carried_bytes += size
        return target.with_carry(held.value, carried)

    def _find_held_strings(self, record: Record, held: HeldEntry) -> Mapping[str, str]:
        """Return the strings of a record that the target holds."""
        seen = held.seen
        if not isinstance(seen, Message):
            return collect_strings(seen)
        # An unpaired surrogate would have been reported as a problem of the record.
        parts = self._restore_parts(seen.parts, held, plain=not record.problems)
        if self.crossing.outside.policy == "beside":
            found = replace(seen, parts=parts)
            return collect_strings(
                restore_attachments(found, self.crossing.outside.contents(found))
            )
        return collect_message_strings(parts, seen.todos, seen.extra)

    def _to_embedded_record(
        self, record: Record, strings: Mapping[str, str] = NO_STRINGS
    ) -> EmbeddedRecord:
        """Return a record of the source without the strings that the target holds."""
        which, index = self._origin.sheet_of(self.crossing.conversation.members[record.line])
        sheet = self._origin.sheets[which]
        gap, hole, tail, depth = sheet.get_context(index)
        raw = record.raw or sheet.raw(index)
        opens = gap + (raw if hole is None else raw[:hole])
        ends = b"" if hole is None else tail + raw[hole:]
        return EmbeddedRecord(
            [which, index],
            make_template(opens, strings, self._spelling),
            make_template(ends, strings, self._spelling) if ends else "",
            depth,
        )

    def _restore_parts(
        self, parts: tuple[Part, ...], held: HeldEntry, *, plain: bool
    ) -> tuple[Part, ...]:
        """Return what the target holds of a message, split into the source's parts."""
        if part_map.are_wholes(held.seams, len(parts)):
            return parts
        known = part_map.predict_split(held.own, parts, held.seams) if plain else None
        return (known or part_map.split_parts(parts, held.seams)).parts

    def _embed_unattached(self, positions: Sequence[int]) -> list[EmbeddedRecord]:
        kept = []
        for record in self._read_records(positions):
            self.loss_report.add([self._unattached_loss(record)])
            self.loss_report.step()
            kept.append(self._to_embedded_record(record))
        return kept

    def report_rest(self) -> None:
        """Add everything without a record of its own to the loss report."""
        self.loss_report.add(map(self._unattached_loss, self._read_records(self.unattached)))
        self._report_files()

    def _unattached_loss(self, record: Record) -> Loss:
        crossing = self.crossing
        why = crossing.plan.left.get(record.line, "other")
        entry = crossing.source.get(record)
        kind = _KIND.get(type(entry), why if why in ("branch", "deleted") else "message")
        what = entry.kind if isinstance(entry, Head | Opaque) else kind
        name = record.id or getattr(entry, "message", None) or entry.id or f"@{record.line + 1}"
        return Loss(kind, name, what, crossing.how)

    def _report_files(self) -> None:
        self.loss_report.add(Loss("file", path, path, self.crossing.how) for path in self._files)

    def _make_source_note(self, *, files: bool = True) -> SourceNote:
        """Return the names and files of the source, and its files without records."""
        if files:
            self._report_files()
        source = self._origin.source
        return SourceNote(
            source.name,
            self.crossing.target.info.slug,
            source.folder,
            [self._describe_file(which) for which in self._list_record_files],
            {path: self._embed_content(path) for path in self._files} if files else {},
            self._via,
        )

    @cached_property
    def _list_record_files(self) -> list[int]:
        """The files that hold records of the conversation."""
        members = self.crossing.conversation.members
        return sorted({self._origin.sheet_of(number)[0] for number in members})

    def _embed_content(self, path: str) -> Json:
        return make_template(self._origin.source.files[path].read(), NO_STRINGS, PLAIN)

    def _describe_file(self, which: int) -> EmbeddedFile:
        sheet = self._origin.sheets[which]
        lead, trail = sheet.get_outer_bytes()
        return EmbeddedFile(
            which,
            sheet.path,
            make_template(lead, NO_STRINGS, PLAIN),
            make_template(trail, NO_STRINGS, PLAIN),
            find_text_form(sheet.content),
        )


def _with_position(record: Record, position: int) -> Record:
    record.line = position
    return record


def _split_rising(positions: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield ranges of increasing positions."""
    start = 0
    for at in range(1, len(positions) + 1):
        if at == len(positions) or positions[at] <= positions[at - 1]:
            yield positions[start:at]
            start = at
