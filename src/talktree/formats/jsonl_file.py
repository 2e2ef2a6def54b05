"""Files with one JSON record on each line, of any size: offsets in memory, contents on disk.

To write a file again, ranges of the old file are copied, with new lines between them. Records that
shared a line keep sharing it as long as they still follow one another; any other record starts on a
line of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from talktree.errors import DamagedRecord
from talktree.files import Content
from talktree.files.content import LONGEST_LINE
from talktree.files.splice import Splice
from talktree.formats.format import Record
from talktree.formats.jsonl_repair import repair_lines
from talktree.formats.positions import RecordContext
from talktree.formats.record_file import (
    ByteRepair,
    Item,
    Sheet,
    Sink,
    make_problem_findings,
    select_first_of_kind,
)
from talktree.model.findings import Finding, make_finding
from talktree.model.outline import LineOutline
from talktree.text.json.decode import Decoded, decode, find_oddities, inspect, peek
from talktree.text.json.encode import Style, encode_json, learn_style
from talktree.text.json.patch import patch_json
from talktree.text.json.scanner import Problem
from talktree.text.json.value import REFUSALS, Json
from talktree.text.lines import LineSpan, diagnose_line, is_blank, split_line
from talktree.text.positions import count_characters
from talktree.text.utf8 import BOM

NOWHERE = -1


class CopiedSpan(NamedTuple):
    """A range of the old file, and its replacement."""

    start: int = NOWHERE
    stop: int = NOWHERE
    fresh: bytes | None = None
    """None to copy the range unchanged; a chunk without a range is new."""


def join_spans(
    content: Content, chunks: Iterable[CopiedSpan], *, newline: bytes
) -> Iterator[bytes]:
    """Yield the bytes of all chunks; adjacent ranges of the old file are read together."""
    start = stop = 0
    cursor, ends_line = 0, True
    for chunk in chunks:
        if chunk.fresh is None and chunk.start == chunk.stop:
            continue
        if stop > start and (chunk.start != stop or chunk.fresh is not None):
            yield from content.blocks(start, stop)
            ends_line = _is_line_end(content, stop)
            start = stop = 0
        if chunk.start != cursor and stop == start and not ends_line:
            yield newline
        cursor = chunk.stop
        if chunk.fresh is None:
            start, stop = (start if stop > start else chunk.start), chunk.stop
        else:
            yield chunk.fresh
            ends_line = chunk.fresh.endswith(b"\n")
    if stop > start:
        yield from content.blocks(start, stop)


def find_changes(
    content: Content, chunks: Iterable[CopiedSpan], *, newline: bytes
) -> Iterator[Splice]:
    """Yield the same as splices: what is removed from the old file, and what replaces it.

    Each changed record is a splice of its own, so that a file in which all of them change is not
    held in memory.
    """
    start, new = 0, list[bytes]()
    for chunk in chunks:
        if chunk.start == NOWHERE:
            if not new and start > 0 and not _is_line_end(content, start):
                new.append(newline)
            new.append(chunk.fresh or b"")
        elif chunk.stop > chunk.start:
            if new or start < chunk.start:
                yield Splice(start, chunk.start, b"".join(new))
            if chunk.fresh is not None:
                yield Splice(chunk.start, chunk.stop, chunk.fresh)
            start, new = chunk.stop, []
    if new or start < content.size:
        yield Splice(start, content.size, b"".join(new))


def _is_line_end(content: Content, stop: int) -> bool:
    """Whether a new line can start after a range: it ends one, or holds only a byte order mark."""
    if content.read(stop - 1, stop) == b"\n":
        return True
    return stop == len(BOM) and content.read(0, stop) == BOM


_plain = msgspec.json.Decoder().decode
_ALONE = RecordContext()
NO_NODE = LineOutline()
"""The outline of a record that is not a node of the tree."""
NOTHING = b"\0 \t\r\n"
SHARED = {
    "fused": "several records stand on one line",
    "spliced": "a record breaks off where another starts",
}
INTERLEAVED = "a record stands between the pieces of another"


class LineDialect(ABC):
    """What a JSONL format knows about its records without decoding them fully."""

    @abstractmethod
    def skim(self, line: bytes | memoryview) -> LineOutline:
        """Return the outline from a partial decode; may raise the decoder's errors."""

    @abstractmethod
    def outline(self, value: Json) -> LineOutline:
        """Return the outline from a decoded value of any kind."""

    @abstractmethod
    def is_record(self, value: Json) -> bool:
        """Whether a value found inside a broken line is surely a record of its own."""

    def strip_stale_fields(self, value: Json) -> Json:
        """Return the value of a changed record without members that only fit the old bytes."""
        return value


class LineSheet(Sheet):
    """A JSONL file."""

    def __init__(self, path: str, content: Content, dialect: LineDialect, *, group: str) -> None:
        self.path = path
        self.content = content
        self.dialect = dialect
        self.group = group
        self.starts = array("Q")
        self.stops = array("Q")
        self.damage: list[Finding] = []
        self.blank = array("Q")
        """For each line without a record, the number of records before it."""
        self.shared = array("Q")
        """Records that share the line of another."""
        self.woven: list[tuple[int, int]] = []
        """Pieces of one record with another between them, as the numbers of both pieces."""
        self._piece = -1
        """The piece of a record that the line before started with."""
        self._blanks = (0, 0)
        """The number of blank lines, and the first of them."""
        self._style: Style | None = None

    def __len__(self) -> int:
        return len(self.starts)

    # reading

    def index(self, sink: Sink) -> None:
        sink.extend(self.group, self.outlines())

    def outlines(self) -> Iterator[LineOutline]:
        """Yield the outlines of all records, found in one pass over the file."""
        base = len(BOM) if self.content.read(0, 3) == BOM else 0
        if base:
            self._note("bom", "the file starts with a byte order mark", 1)
        if not self.content.size:
            self._note("empty", "the file is empty", None)
        skim, here = self.dialect.skim, base
        started, stopped = self.starts.append, self.stops.append
        for block, end in self.content.line_blocks(base):
            view, find, at = memoryview(block), block.find, 0
            while at < end:
                stop = find(b"\n", at, end) + 1 or end
                try:
                    found = skim(view[at:stop])
                except REFUSALS:
                    yield from self._outline_odd_line(bytes(view[at:stop]), base + at)
                    here = base + stop
                else:
                    started(here)
                    here = base + stop
                    stopped(here)
                    yield found
                at = stop
            base += end
        self._report_whole_file()

    def _report_whole_file(self) -> None:
        """Report what is odd about the file as a whole."""
        count, first = self._blanks
        if count:
            what = "a blank line" if count == 1 else f"{count} blank lines, the first here"
            self._note("blank", what, first)
        ends = {self.stops[0], self.stops[-1]} if len(self) else ()
        if any(self.content.read(max(0, stop - 2), stop) == b"\r\n" for stop in ends):
            self._note("crlf", "lines end with CR LF", None)

    def _outline_odd_line(self, line: bytes, at: int) -> Iterator[LineOutline]:
        """Yield the records in a line that is not one plain JSON object of the expected kind."""
        number = len(self) + len(self.blank) - len(self.shared) + 1
        if is_blank(line):
            self.blank.append(len(self))
            count, first = self._blanks
            self._blanks = (count + 1, first or number)
            return
        if len(line) >= LONGEST_LINE:
            self._note("too-long", f"a line of {len(line)} bytes or more", number)
            yield self._add_record(at, at + len(line), NO_NODE)
            return
        if len(line) == self.content.size and not line.strip(NOTHING):
            self._note("nul-file", f"nothing but {line.count(0)} NUL bytes", None)
            yield self._add_record(at, at + len(line), NO_NODE)
            return
        whole = peek(line)
        broken = any(problem.code == "syntax" for problem in whole.problems)
        if whole.usable and not (broken and len(split_line(line, self.dialect.is_record)) > 1):
            yield self._add_record(at, at + len(line), self.dialect.outline(whole.value))
            return
        if not whole.usable and self._is_rest(line, at):
            self.damage[-1] = self._make_finding("interleaved", INTERLEAVED, number - 1)
            self.woven.append((self._piece, len(self)))
            yield self._add_record(at, at + len(line), NO_NODE)
            return
        yield from self._outline_shared_line(line, at, number)

    def _is_rest(self, line: bytes, at: int) -> bool:
        """Whether a line is the rest of a record that began on the line before."""
        piece = self._piece
        if piece < 0 or self.stops[-1] != at or piece + 2 != len(self):
            return False
        joined = self.content.read(self.starts[piece], self.stops[piece]) + line
        found = decode(joined)
        return found.usable and not found.problems and self.dialect.is_record(found.value)

    def _outline_shared_line(self, line: bytes, at: int, number: int) -> Iterator[LineOutline]:
        """Yield the records on a line that is not exactly one record."""
        spans = split_line(line, self.dialect.is_record)
        parts = [decode(line[span.start : span.stop]) for span in spans]
        woven = len(spans) > 1 and spans[1].note == "interleaved"
        if woven:
            self._note("interleaved", INTERLEAVED, number)
            self.woven.append((len(self), len(self) + 2))
        for place, (span, part) in enumerate(zip(spans, parts, strict=True)):
            if place:
                self.shared.append(len(self))
            if not woven:
                self._note_part(line, spans, parts, place, number)
            outline = self.dialect.outline(part.value) if part.usable else NO_NODE
            yield self._add_record(at + span.start, at + span.stop, outline)

    def _note_part(
        self,
        line: bytes,
        spans: Sequence[LineSpan],
        parts: Sequence[Decoded],
        place: int,
        number: int,
    ) -> None:
        """Note what is wrong with one of the records on a line."""
        raw = line[spans[place].start : spans[place].stop]
        key, what = "", ""
        if parts[place].usable:
            before = line[spans[place - 1].start : spans[place - 1].stop] if place else b""
            if before.strip(NOTHING):
                key = "fused" if parts[place - 1].usable else "spliced"
                what = SHARED[key]
        else:
            followed = place + 1 < len(spans) and parts[place + 1].usable
            self._piece = len(self) if followed and not place else -1
            if not followed or not raw.strip(NOTHING):
                key, what = diagnose_line(raw, parts[place])
        if key and self._make_finding(key, what, number) not in self.damage[-1:]:
            self._note(key, what, number)

    def _add_record(self, start: int, stop: int, found: LineOutline) -> LineOutline:
        self.starts.append(start)
        self.stops.append(stop)
        return found

    def _note(self, key: str, message: str, line: int | None) -> None:
        self.damage.append(self._make_finding(key, message, line))

    def _make_finding(self, key: str, message: str, line: int | None) -> Finding:
        return make_finding(key, message, path=self.path, line=line)

    def record(self, index: int) -> Record:
        return next(self.records((index,)))

    def records(self, indexes: Sequence[int]) -> Iterator[Record]:
        # No reference to a yielded record is kept: it may be very long.
        return map(self._decode_record, self.content.spans(self._spans(indexes)))

    def _decode_record(self, raw: bytes) -> Record:
        try:
            return Record(_plain(raw), raw, "", None, self.path)
        except REFUSALS:
            value, problems, usable = decode(raw)
            return Record(value, raw, "", None, self.path, 0, problems, usable)

    def _spans(self, indexes: Sequence[int]) -> Iterable[tuple[int, int]]:
        """Return the offsets of some records; records that are too long to decode are not read."""
        starts, stops = self.starts, self.stops
        if self.content.size < LONGEST_LINE:
            if isinstance(indexes, range) and indexes.step == 1:
                place = slice(indexes.start, indexes.stop)
                return zip(starts[place], stops[place], strict=True)
            return ((starts[index], stops[index]) for index in indexes)
        return (
            (
                starts[index],
                stops[index] if stops[index] - starts[index] < LONGEST_LINE else starts[index],
            )
            for index in indexes
        )

    def raw(self, index: int) -> bytes:
        return next(iter(self.content.spans(self._spans((index,)))))

    def size_of(self, index: int) -> int:
        return self.stops[index] - self.starts[index]

    def glance(self) -> Iterator[Finding]:
        return iter(self.damage)

    def find_oddities(self, record: Record) -> Sequence[Problem]:
        if not record.usable:
            return ()
        return select_first_of_kind(record.problems or find_oddities(record.raw, record.value))

    def line_of(self, index: int) -> int | None:
        blank = bisect_right(self.blank, index)
        return index + 1 + blank - bisect_right(self.shared, index)

    def offset_of(self, index: int, at: int) -> int:
        return self.starts[index] + at

    def position_of(self, index: int, at: int) -> tuple[int, int]:
        start = self.starts[index]
        line, column = self.line_of(index) or 1, count_characters(self._read_line_before(start)) + 1
        for block in self.content.blocks(start, start + at):
            begin = block.rfind(b"\n") + 1
            line += block.count(b"\n")
            column = count_characters(block[begin:]) + (1 if begin else column)
        return line, column

    def _read_line_before(self, start: int) -> bytes:
        """Return the bytes before an offset on the same line: other records that share it."""
        look = 256
        while True:
            before = self.content.read(max(0, start - look), start)
            begin = before.rfind(b"\n")
            if begin >= 0 or look >= start:
                return before[begin + 1 :]
            look *= 16

    def inspect(self) -> Iterator[Finding]:
        yield from self.damage
        diagnostic = {(each.line, each.code) for each in self.damage}
        line, at = 1, 0
        for index, record in enumerate(self.records(range(len(self)))):
            if self.starts[index] > at:
                line += self.content.read(at, self.starts[index]).count(b"\n")
            at = self.stops[index]
            record.line = line
            line += record.raw.endswith(b"\n")
            if record.usable:
                record.problems = record.problems or inspect(record.raw)
                yield from (
                    each
                    for each in make_problem_findings(record)
                    if (each.line, each.code) not in diagnostic
                )

    def get_context(self, index: int) -> RecordContext:
        before = self.stops[index - 1] if index else 0
        start = self.starts[index]
        return RecordContext(self.content.read(before, start)) if before < start else _ALONE

    def get_outer_bytes(self) -> tuple[bytes, bytes]:
        last = self.stops[-1] if len(self) else 0
        return b"", self.content.read(last, self.content.size)

    def find_repairs(self, keys: Collection[str]) -> Iterator[ByteRepair]:
        return repair_lines(self, keys)

    # writing

    def rewrite(self, items: Sequence[Item]) -> Iterator[bytes]:
        return join_spans(self.content, self.lay_out_spans(items), newline=self.newline)

    def splices(self, items: Sequence[Item]) -> Iterator[Splice]:
        return find_changes(self.content, self.lay_out_spans(items), newline=self.newline)

    def lay_out_spans(self, items: Sequence[Item]) -> Iterator[CopiedSpan]:
        """Yield the whole file with these records."""
        return self.lay_out_range(items, range(self.content.size), range(len(self)))

    def lay_out_range(
        self, items: Iterable[Item], place: range, old: range
    ) -> Iterator[CopiedSpan]:
        """Yield a range of the file with these records instead of the old ones.

        Text between records (blank lines, marks) stays, even if a record is removed.
        """
        at, passed = self.starts[old.start] if old else place.stop, old.start
        yield CopiedSpan(place.start, at)
        for item in items:
            if item.at is None:
                yield CopiedSpan(fresh=encode_json(item.value, self.style) + self.newline)
                continue
            while passed <= item.at:
                yield CopiedSpan(at, self.starts[passed])
                at = self.stops[passed]
                passed += 1
            yield self._make_span(item.at, item)
        while passed < old.stop:
            yield CopiedSpan(at, self.starts[passed])
            at = self.stops[passed]
            passed += 1
        yield CopiedSpan(at, place.stop)

    def _make_span(self, at: int, item: Item) -> CopiedSpan:
        start, stop = self.starts[at], self.stops[at]
        if not item.changed:
            return CopiedSpan(start, stop)
        record = self.record(at)
        if not record.usable:
            raise DamagedRecord(
                f"{self.path}: record {at + 1} is damaged and cannot be edited",
                hint="repair the file first",
            )
        value = self.dialect.strip_stale_fields(item.value)
        return CopiedSpan(start, stop, patch_json(record.raw, value, style=self.style))

    @property
    def newline(self) -> bytes:
        """The newline of this file."""
        if not len(self):
            return b"\n"
        return (
            b"\r\n" if self.content.read(self.starts[0], self.stops[0]).endswith(b"\r\n") else b"\n"
        )

    @property
    def style(self) -> Style:
        """The layout of records in this file, learnt from the first one."""
        if self._style is None:
            first = self.record(0).raw if len(self) else b""
            self._style = learn_style(first)._replace(indent=None)
        return self._style
