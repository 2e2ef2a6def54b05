"""Repairs of the bytes of a JSONL file: truncated, joined, interleaved and NUL-filled lines.

What can be read stays; what cannot goes to quarantine, without affecting other records.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from talktree.files.content import LONGEST_LINE
from talktree.files.splice import Splice
from talktree.formats.format import Record
from talktree.formats.record_file import ByteRepair
from talktree.text.json.decode import Decoded, find_oddities
from talktree.text.json.repair import repair_values
from talktree.text.json.syntax import NULS
from talktree.text.lines import diagnose_line, is_blank
from talktree.text.utf8 import BOM

if TYPE_CHECKING:
    from talktree.formats.jsonl_file import LineSheet

SILENT = frozenset({"duplicate-key", "deep"})
"""Oddities that a quick decoder ignores."""


def repair_lines(sheet: LineSheet, keys: Collection[str]) -> Iterator[ByteRepair]:
    """Yield the repairs of a file's lines, in order."""
    if "bom" in keys and sheet.content.read(0, len(BOM)) == BOM:
        yield ByteRepair("bom", Splice(0, len(BOM)), "the byte order mark goes")
    lines = _Lines(sheet, silent=not SILENT.isdisjoint(keys))
    for index, record in enumerate(sheet.records(range(len(sheet)))):
        yield from (each for each in lines.find_repairs(index, record) if each.key in keys)


class _Lines:
    def __init__(self, sheet: LineSheet, *, silent: bool) -> None:
        self._sheet = sheet
        self._silent = silent
        self._shared = frozenset(sheet.shared)
        self._woven = dict(sheet.woven)
        self._rests = {rest: piece for piece, rest in sheet.woven}
        self._gone = False
        """Whether the record before is removed."""

    def find_repairs(self, index: int, record: Record) -> Iterator[ByteRepair]:
        """Yield the repairs of a record and its line."""
        sheet = self._sheet
        start, stop = sheet.starts[index], sheet.stops[index]
        if stop - start >= LONGEST_LINE:
            return
        gone, self._gone = self._gone, False
        if index in self._woven or index in self._rests:
            yield from self._join_pieces(index)
        elif record.usable:
            if index in self._shared and not gone and start and not self._is_line_start(start):
                yield ByteRepair("fused", Splice(start, start, sheet.newline), "a line of its own")
            yield from self._repair_inside(record, start)
        elif not record.raw.strip(b"\0 \t\r\n") and len(sheet) == 1:
            return
        else:
            yield from self._repair_unreadable(index, record, start, stop)

    def _is_line_start(self, start: int) -> bool:
        return self._sheet.content.read(start - 1, start) == b"\n"

    def _repair_unreadable(
        self, index: int, record: Record, start: int, stop: int
    ) -> Iterator[ByteRepair]:
        key, _ = diagnose_line(record.raw, Decoded(record.value, list(record.problems), False))
        if key == "nul" and not is_blank(record.raw.replace(b"\0", b"")):
            for run in NULS.finditer(record.raw):
                yield ByteRepair("nul", Splice(start + run.start(), start + run.end()), "they go")
            return
        self._gone = True
        if key != "nul" and stop < self._sheet.content.size and not record.raw.endswith(b"\n"):
            key = "spliced"
        new = self._sheet.newline if index in self._shared else b""
        yield ByteRepair(key, Splice(start, stop, new), "quarantined")

    def _join_pieces(self, index: int) -> Iterator[ByteRepair]:
        """Yield the changes that join two pieces of a record at the place of the first."""
        sheet = self._sheet
        if index in self._woven:
            rest, at = self._woven[index], sheet.stops[index]
            end = sheet.content.read(sheet.starts[rest], sheet.stops[rest]).rstrip(b"\r\n")
            yield ByteRepair("interleaved", Splice(at, at, end + sheet.newline), "put together")
            return
        piece = Splice(sheet.starts[index], sheet.stops[index])
        if index in self._shared:
            piece = piece._replace(new=sheet.newline)
        yield ByteRepair("interleaved", piece, "put together")

    def _repair_inside(self, record: Record, start: int) -> Iterator[ByteRepair]:
        """Yield the repairs inside a record that can be read."""
        raw = record.raw
        problems = record.problems
        if not problems and self._silent:
            problems = find_oddities(raw, record.value)
        if not problems:
            return
        if any(problem.code == "deep" for problem in problems):
            yield ByteRepair("deep", Splice(start, start + len(raw)), "quarantined")
        for key, at, end, new in repair_values(raw).changes:
            yield ByteRepair(key, Splice(start + at, start + end, new), "written as JSON wants it")
