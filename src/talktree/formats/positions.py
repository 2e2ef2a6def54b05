"""Where the bytes of records stand in their file, from what stands around each of them.

What stands around a record's own bytes in its file.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple, Protocol


class Around(NamedTuple):
    """What stands around a record's own bytes, so that the file can be put together again."""

    gap: bytes = b""
    """Before it."""
    hole: int | None = None
    """Where in its bytes the records nested in it stand."""
    tail: bytes = b""
    """Behind the last record nested in it."""
    depth: int = 0


class Laid(Protocol):
    """A file of records that may be nested in each other."""

    def __len__(self) -> int:
        """How many records there are."""

    def size_of(self, index: int) -> int:
        """How many bytes of its own a record has."""

    def around(self, index: int) -> Around:
        """What stands around a record."""

    def ends(self) -> tuple[bytes, bytes]:
        """What stands before the first record and behind the last."""


class Layout:
    """The places of all records of a file, found in one pass."""

    def __init__(self, sheet: Laid) -> None:
        self._starts = array("q")
        self._holes = array("q")
        self._resumes = array("q")
        """Where a record goes on behind those nested in it."""
        at = len(sheet.ends()[0])
        open_records: list[tuple[int, Around]] = []
        for index in range(len(sheet)):
            around, size = sheet.around(index), sheet.size_of(index)
            while open_records and open_records[-1][1].depth >= around.depth:
                at = self._closed(*open_records.pop(), at, sheet)
            at += len(around.gap)
            hole = size if around.hole is None else around.hole
            self._starts.append(at)
            self._holes.append(hole)
            self._resumes.append(at + hole)
            at += hole
            open_records.append((index, around))
        while open_records:
            at = self._closed(*open_records.pop(), at, sheet)

    def _closed(self, index: int, around: Around, at: int, sheet: Laid) -> int:
        at += len(around.tail)
        self._resumes[index] = at
        return at + sheet.size_of(index) - self._holes[index]

    def offset(self, index: int, at: int) -> int:
        """Where a byte of a record stands in the file."""
        if at < self._holes[index]:
            return self._starts[index] + at
        return self._resumes[index] + at - self._holes[index]
