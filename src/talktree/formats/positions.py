"""The offsets of records in their file, computed from the bytes around each of them."""

from __future__ import annotations

from array import array
from typing import NamedTuple, Protocol


class RecordContext(NamedTuple):
    """The bytes around a record's own bytes, which are needed to join the file again."""

    gap: bytes = b""
    """The bytes before it."""
    hole: int | None = None
    """The offset in its bytes at which its nested records are."""
    tail: bytes = b""
    """The bytes after the last record nested in it."""
    depth: int = 0


class NestedLayout(Protocol):
    """A file of records that may be nested in each other."""

    def __len__(self) -> int:
        """Return the number of records."""

    def size_of(self, index: int) -> int:
        """Return the number of bytes of a record, without nested records."""

    def get_context(self, index: int) -> RecordContext:
        """Return the bytes around a record."""

    def get_outer_bytes(self) -> tuple[bytes, bytes]:
        """Return the bytes before the first record and after the last."""


class RecordLayout:
    """The offsets of all records of a file, found in one pass."""

    def __init__(self, sheet: NestedLayout) -> None:
        self._starts = array("q")
        self._holes = array("q")
        self._resumes = array("q")
        """The offset at which a record continues after its nested records."""
        at = len(sheet.get_outer_bytes()[0])
        open_records: list[tuple[int, RecordContext]] = []
        for index in range(len(sheet)):
            around, size = sheet.get_context(index), sheet.size_of(index)
            while open_records and open_records[-1][1].depth >= around.depth:
                at = self._close_record(*open_records.pop(), at, sheet)
            at += len(around.gap)
            hole = size if around.hole is None else around.hole
            self._starts.append(at)
            self._holes.append(hole)
            self._resumes.append(at + hole)
            at += hole
            open_records.append((index, around))
        while open_records:
            at = self._close_record(*open_records.pop(), at, sheet)

    def _close_record(self, index: int, around: RecordContext, at: int, sheet: NestedLayout) -> int:
        at += len(around.tail)
        self._resumes[index] = at
        return at + sheet.size_of(index) - self._holes[index]

    def offset(self, index: int, at: int) -> int:
        """Return the offset of a byte of a record in the file."""
        if at < self._holes[index]:
            return self._starts[index] + at
        return self._resumes[index] + at - self._holes[index]
