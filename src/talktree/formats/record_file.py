"""A record file: the records of one file in order, and how to write the file again.

Unchanged records are copied byte for byte. `LineSheet` holds only offsets and reads records on
demand; `PieceSheet` is for files that are one nested document and are held in memory.
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
"""The arguments of `Skeleton.add`."""


class Sink(Protocol):
    """Receives the outlines of records in order."""

    def add(
        self, group: str, fields: Fields, *, container: int | None = None, chain: bool = False
    ) -> int:
        """Add a record of a conversation; return its position there."""

    def extend(self, group: str, lines: Iterable[LineOutline]) -> None:
        """Add many records of one conversation."""

    def open(self, group: str, habits: WriterHabits | None = None) -> None:
        """Register a conversation, though it may have no records.

        `habits` are its own, if its source names them.
        """


class Item(NamedTuple):
    """A record of the file to be written."""

    at: int | None
    """Its index in the file as it was read, or None if it is new."""
    value: Json = None
    """The new native value, if it was changed or is new."""
    changed: bool = False
    depth: int = 0
    group: str = ""
    """The conversation that it belongs to."""


class ByteRepair(NamedTuple):
    """A change of bytes, and the oddity that it repairs."""

    key: str
    splice: Splice
    what: str
    """What is done, in words."""


class Sheet(ABC):
    """The records of one file."""

    path: str
    group: str
    """The conversation that its records belong to."""
    links: Links = "own"
    content: Content
    main_path = ""
    """The file that new entries of its conversation are written to, if it is another one."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of records; known after `index`."""

    @abstractmethod
    def index(self, sink: Sink) -> None:
        """Find all records and pass on their outlines."""

    @abstractmethod
    def outlines(self) -> Iterator[LineOutline]:
        """Yield the outlines of all records in one pass, with the names in the file."""

    @abstractmethod
    def record(self, index: int) -> Record:
        """Return one record."""

    def records(self, indexes: Sequence[int]) -> Iterator[Record]:
        """Yield many records in order."""
        return map(self.record, indexes)

    def raw(self, index: int) -> bytes:
        """Return the bytes of one record."""
        return self.record(index).raw

    def size_of(self, index: int) -> int:
        """Return the number of bytes of one record."""
        return len(self.raw(index))

    @abstractmethod
    def get_context(self, index: int) -> RecordContext:
        """Return the bytes around one record."""

    @abstractmethod
    def get_outer_bytes(self) -> tuple[bytes, bytes]:
        """Return the bytes before the first record and after the last."""

    @abstractmethod
    def rewrite(self, items: Sequence[Item]) -> Iterator[bytes]:
        """Yield the bytes of the file with these records."""

    @abstractmethod
    def inspect(self) -> Iterator[Finding]:
        """Yield everything that is odd about the bytes."""

    def glance(self) -> Iterator[Finding]:
        """Yield what is known of that without reading all bytes again."""
        return self.inspect()

    def find_oddities(self, record: Record) -> Sequence[Problem]:
        """Return what is odd about a record's text beyond what `glance` yields."""
        return ()

    def line_of(self, index: int) -> int | None:
        """Return the line on which a record starts."""
        return self.record(index).line or None

    def depth_of(self, index: int) -> int:
        """Return the nesting depth of a record."""
        return 0

    def offset_of(self, index: int, at: int) -> int:
        """Return the offset of a byte of a record in the file."""
        return self.layout.offset(index, at)

    @cached_property
    def layout(self) -> RecordLayout:
        """The offsets of the records."""
        return RecordLayout(self)

    @cached_property
    def positions(self) -> Positions:
        """The offsets of the file's lines; for files that are held in memory anyway."""
        return Positions(self.content.read())

    def position_of(self, index: int, at: int) -> tuple[int, int]:
        """Return the line and the column of a byte of a record."""
        return self.positions.line_and_column(self.offset_of(index, at))

    # repairing

    def splices(self, items: Sequence[Item]) -> Iterator[Splice]:
        """Yield the changes of the file's bytes that give it these records."""
        return find_splices(self.content.read(), b"".join(self.rewrite(items)))

    def find_repairs(self, keys: Collection[str]) -> Iterator[ByteRepair]:
        """Yield the repairs of broken bytes, for oddities with some of the reported keys."""
        return iter(())


def make_problem_findings(record: Record) -> Iterator[Finding]:
    """Yield the oddities of a record's text, each kind once."""
    for problem in select_first_of_kind(record.problems):
        yield make_finding(problem.code, problem.what, path=record.path, line=record.line)


def select_first_of_kind(problems: Sequence[Problem]) -> Sequence[Problem]:
    """Return the first oddity of each kind: the record shows the others."""
    if len(problems) < 2:
        return problems
    return list({problem.code: problem for problem in reversed(problems)}.values())[::-1]
