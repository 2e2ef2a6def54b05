"""Where the bytes of records stand in their file, from what stands around each of them.

What stands around a record's own bytes in its file.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple, Protocol


class RecordContext(NamedTuple):
    """What stands around a record's own bytes, so that the file can be put together again."""

    gap: bytes = b""
    """Before it."""
    hole: int | None = None
    """Where in its bytes the records nested in it stand."""
    tail: bytes = b""
    """Behind the last record nested in it."""
    depth: int = 0


class NestedLayout(Protocol):
    """A file of records that may be nested in each other."""

    def __len__(self) -> int:
        """How many records there are."""

    def size_of(self, index: int) -> int:
        """How many bytes of its own a record has."""

    def get_context(self, index: int) -> RecordContext:
        """What stands around a record."""

    def get_outer_bytes(self) -> tuple[bytes, bytes]:
        """What stands before the first record and behind the last."""


class RecordLayout:
    """The places of all records of a file, found in one pass."""

    def __init__(self, sheet: NestedLayout) -> None:
        self._starts = array("q")
        self._holes = array("q")
        self._resumes = array("q")
        """Where a record goes on behind those nested in it."""
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
        """Where a byte of a record stands in the file."""
        if at < self._holes[index]:
            return self._starts[index] + at
        return self._resumes[index] + at - self._holes[index]
