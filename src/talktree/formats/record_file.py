"""A sheet: the records of one file in order, and how to write the file again.

What was not changed is copied byte for byte. `LineSheet` holds offsets only and reads records
when asked; `PieceSheet` is for files that are one nested document and are held in memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

from talktree.files import Content
from talktree.files.splice import Splice, find_splices
from talktree.formats.format import Links, Record
from talktree.formats.positions import RecordContext, RecordLayout
from talktree.model.findings import Finding, make_finding
from talktree.model.habits import WriterHabits
from talktree.model.outline import LineOutline
from talktree.text.json.scanner import Problem
from talktree.text.json.value import Json
from talktree.text.positions import Positions

Fields = tuple[object, ...]
"""What `Skeleton.add` takes."""


class Sink(Protocol):
    """Takes the outlines of records in order."""

    def add(
        self, group: str, fields: Fields, *, container: int | None = None, chain: bool = False
    ) -> int:
        """Take one record of a conversation; returns its position there."""

    def extend(self, group: str, lines: Iterable[LineOutline]) -> None:
        """Take many records of one conversation."""

    def open(self, group: str, habits: WriterHabits | None = None) -> None:
        """Make a conversation known, though no record of it may follow.

        `habits` are its own, where its source names them.
        """


class Item(NamedTuple):
    """One record of the file to be written."""

    at: int | None
    """Its place in the sheet as it was read, or None if it is new."""
    value: Json = None
    """The new native value, if it was changed or is new."""
    changed: bool = False
    depth: int = 0
    group: str = ""
    """The conversation it belongs to."""


class ByteRepair(NamedTuple):
    """A change of bytes, and which oddity it mends."""

    key: str
    splice: Splice
    what: str
    """What is done, in words."""


class Sheet(ABC):
    """The records of one file."""

    path: str
    group: str
    """The conversation its records belong to."""
    links: Links = "own"
    content: Content
    main_path = ""
    """The file that new entries of its conversation go to, if that is another one."""

    @abstractmethod
    def __len__(self) -> int:
        """How many records there are; known after `index`."""

    @abstractmethod
    def index(self, sink: Sink) -> None:
        """Find all records and tell their outlines."""

    @abstractmethod
    def outlines(self) -> Iterator[LineOutline]:
        """The outlines of all records in one pass, in order, as the records name themselves."""

    @abstractmethod
    def record(self, index: int) -> Record:
        """One record."""

    def records(self, indexes: Sequence[int]) -> Iterator[Record]:
        """Many records in order."""
        return map(self.record, indexes)

    def raw(self, index: int) -> bytes:
        """The bytes of one record."""
        return self.record(index).raw

    def size_of(self, index: int) -> int:
        """How many bytes one record has."""
        return len(self.raw(index))

    @abstractmethod
    def get_context(self, index: int) -> RecordContext:
        """What stands around one record."""

    @abstractmethod
    def get_outer_bytes(self) -> tuple[bytes, bytes]:
        """What stands before the first record and behind the last."""

    @abstractmethod
    def rewrite(self, items: Sequence[Item]) -> Iterator[bytes]:
        """The bytes of the file with these records."""

    @abstractmethod
    def inspect(self) -> Iterator[Finding]:
        """Everything that is odd about the bytes."""

    def glance(self) -> Iterator[Finding]:
        """What is known of that without looking at all bytes again."""
        return self.inspect()

    def find_oddities(self, record: Record) -> Sequence[Problem]:
        """What is odd about a record's text beyond what a glance tells."""
        return ()

    def line_of(self, index: int) -> int | None:
        """The line a record starts on."""
        return self.record(index).line or None

    def depth_of(self, index: int) -> int:
        """How deep a record stands in others."""
        return 0

    def offset_of(self, index: int, at: int) -> int:
        """Where a byte of a record stands in the file."""
        return self.layout.offset(index, at)

    @cached_property
    def layout(self) -> RecordLayout:
        """Where the records stand."""
        return RecordLayout(self)

    @cached_property
    def positions(self) -> Positions:
        """Where the lines of the file start; for files that are held anyway."""
        return Positions(self.content.read())

    def position_of(self, index: int, at: int) -> tuple[int, int]:
        """The line and the column of a byte of a record."""
        return self.positions.line_and_column(self.offset_of(index, at))

    # mending

    def splices(self, items: Sequence[Item]) -> Iterator[Splice]:
        """What changes in the file's bytes so that it has these records."""
        return find_splices(self.content.read(), b"".join(self.rewrite(items)))

    def find_repairs(self, keys: Collection[str]) -> Iterator[ByteRepair]:
        """What makes broken bytes sound, for some of the oddities that reading tells by key."""
        return iter(())


def make_problem_findings(record: Record) -> Iterator[Finding]:
    """The oddities of a record's text, each kind once."""
    for problem in select_first_of_kind(record.problems):
        yield make_finding(problem.code, problem.what, path=record.path, line=record.line)


def select_first_of_kind(problems: Sequence[Problem]) -> Sequence[Problem]:
    """Of each kind of oddity the first: one look at a record shows the others."""
    if len(problems) < 2:
        return problems
    return list({problem.code: problem for problem in reversed(problems)}.values())[::-1]
