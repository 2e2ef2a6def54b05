"""Files with one JSON record a line, of any size: offsets in memory, contents on disk."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator, Sequence

from talktree.errors import Damaged
from talktree.files import Content
from talktree.files.content import LONGEST_LINE
from talktree.formats.base import Record
from talktree.formats.sheets import Fields, Item, Sheet, Sink, problem_findings
from talktree.model.findings import Finding, finding
from talktree.text.json_edit import patch
from talktree.text.json_read import REFUSALS, decode, inspect
from talktree.text.json_style import Style, learn
from talktree.text.json_value import Json
from talktree.text.json_write import encode
from talktree.text.lines import BOM, is_blank, respan

NO_NODE: Fields = (0,)


class LineDialect(ABC):
    """What a line format tells about its records without decoding them whole."""

    @abstractmethod
    def skim(self, line: bytes) -> Fields:
        """What the skeleton needs, by a partial decode; may raise what the decoder raises."""

    @abstractmethod
    def outline(self, value: Json) -> Fields:
        """The same from a decoded value of any kind."""

    @abstractmethod
    def is_record(self, value: Json) -> bool:
        """Whether a value found inside a broken line is surely a record of its own."""


class LineSheet(Sheet):
    """A line file."""

    def __init__(self, path: str, content: Content, dialect: LineDialect, *, group: str) -> None:
        self.path = path
        self.content = content
        self.dialect = dialect
        self.group = group
        self.starts = array("Q")
        self.stops = array("Q")
        self.damage: list[Finding] = []
        self.blank = 0
        self._style: Style | None = None

    def __len__(self) -> int:
        return len(self.starts)

    # reading

    def index(self, sink: Sink) -> None:
        skim, add, group = self.dialect.skim, sink.add, self.group
        started, stopped = self.starts.append, self.stops.append
        at = len(BOM) if self.content.read(0, 3) == BOM else 0
        if at:
            self._note("bom", "the file starts with a byte order mark", 1)
        number = 0
        for number, line in enumerate(self.content.lines(at), 1):
            stop = at + len(line)
            try:
                fields = skim(line)
            except REFUSALS:
                self._index_odd(line, at, number, sink)
            else:
                started(at)
                stopped(stop)
                add(group, fields)
            at = stop
        if not number:
            self._note("empty", "the file is empty", None)

    def _index_odd(self, line: bytes, at: int, number: int, sink: Sink) -> None:
        if is_blank(line):
            self.blank += 1
            return
        if len(line) >= LONGEST_LINE:
            self._note("too-long", f"a line of {len(line)} bytes or more", number)
            self._take(at, at + len(line), NO_NODE, sink)
            return
        whole = decode(line)
        if whole.usable:
            self._take(at, at + len(line), self.dialect.outline(whole.value), sink)
            return
        for span in respan(line, self.dialect.is_record):
            part = decode(line[span.start : span.stop])
            if span.note:
                self._note(span.note, "two records stand on one line", number)
            if not part.usable:
                first = part.problems[0]
                self._note(first.code if first.code == "torn" else "syntax", first.what, number)
            outline = self.dialect.outline(part.value) if part.usable else NO_NODE
            self._take(at + span.start, at + span.stop, outline, sink)

    def _take(self, start: int, stop: int, fields: Fields, sink: Sink) -> None:
        self.starts.append(start)
        self.stops.append(stop)
        sink.add(self.group, fields)

    def _note(self, key: str, message: str, line: int | None) -> None:
        self.damage.append(finding(key, message, path=self.path, line=line))

    def record(self, index: int) -> Record:
        return next(self.records((index,)))

    def records(self, indexes: Sequence[int]) -> Iterator[Record]:
        starts, stops, path = self.starts, self.stops, self.path
        longest = LONGEST_LINE
        spans = (
            (
                starts[index],
                stops[index] if stops[index] - starts[index] < longest else starts[index],
            )
            for index in indexes
        )
        for raw in self.content.spans(spans):
            value, problems, usable = decode(raw)
            yield Record(value, raw, "", None, path, 0, problems, usable)

    def inspect(self) -> Iterator[Finding]:
        yield from self.damage
        told = {(each.line, each.code) for each in self.damage}
        line, at, crlf = 1, 0, False
        for index, record in enumerate(self.records(range(len(self)))):
            line += self.content.read(at, self.starts[index]).count(b"\n")
            at = self.stops[index]
            crlf = crlf or record.raw.endswith(b"\r\n")
            record.line = line
            line += record.raw.endswith(b"\n")
            if record.usable:
                record.problems = record.problems or inspect(record.raw)
                yield from (
                    each for each in problem_findings(record) if (each.line, each.code) not in told
                )
        if crlf:
            yield finding("crlf", "lines end with CR LF", path=self.path)

    # writing

    def rewritten(self, items: Sequence[Item]) -> Iterator[bytes]:
        before = -1
        ends_line = True
        yield self.content.read(0, self.starts[0] if len(self) else self.content.size)
        for item in items:
            if item.at is not None and item.at == before + 1 and before >= 0:
                yield self.content.read(self.stops[before], self.starts[item.at])
            if item.at is not None:
                before = item.at
            for piece in self._pieces(item):
                if not ends_line and item.at is None:
                    yield self.newline
                ends_line = piece.endswith(b"\n")
                yield piece
        if len(self):
            yield self.content.read(self.stops[len(self) - 1])

    def _pieces(self, item: Item) -> Iterator[bytes]:
        if item.at is None:
            yield encode(item.value, self.style) + self.newline
            return
        start, stop = self.starts[item.at], self.stops[item.at]
        if not item.changed:
            yield from self.content.blocks(start, stop)
            return
        record = self.record(item.at)
        if not record.usable:
            raise Damaged(
                f"{self.path}: record {item.at + 1} is damaged and cannot be edited",
                hint="repair the file first",
            )
        yield patch(record.raw, item.value, style=self.style)

    @property
    def newline(self) -> bytes:
        """How lines end here."""
        if not len(self):
            return b"\n"
        return (
            b"\r\n" if self.content.read(self.starts[0], self.stops[0]).endswith(b"\r\n") else b"\n"
        )

    @property
    def style(self) -> Style:
        """How records are laid out here, as the first one shows."""
        if self._style is None:
            first = self.record(0).raw if len(self) else b""
            self._style = learn(first)._replace(indent=None)
        return self._style
