"""Making the bytes of a line file sound: torn, fused, spliced and NUL-filled lines.

What can be read stays; what cannot goes to quarantine, and never takes a neighbour with it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from talktree.files.splice import Splice
from talktree.formats.base import Record
from talktree.formats.sheets import Mending
from talktree.text.json_mend import mendings
from talktree.text.json_read import decode
from talktree.text.json_write import encode
from talktree.text.lines import BOM, is_blank

if TYPE_CHECKING:
    from talktree.formats.line_sheet import LineSheet

NULS = re.compile(rb"\0+")


def mended_lines(sheet: LineSheet, keys: Collection[str]) -> Iterator[Mending]:
    """What makes the lines of a file sound, in order."""
    if "bom" in keys and sheet.content.read(0, len(BOM)) == BOM:
        yield Mending("bom", Splice(0, len(BOM)), "the byte order mark goes")
    shared = set(sheet.shared)
    for index, record in enumerate(sheet.records(range(len(sheet)))):
        found = list(_of_record(sheet, index, record, shared))
        yield from (each for each in found if each.key in keys)


def _of_record(
    sheet: LineSheet, index: int, record: Record, shared: Collection[int]
) -> Iterator[Mending]:
    start, stop = sheet.starts[index], sheet.stops[index]
    if record.usable:
        if index in shared and not _is_broken(sheet, index - 1):
            yield Mending("fused", Splice(start, start, sheet.newline), "a line of its own")
        if record.problems:
            yield from _inside(record, start, sheet.newline)
        return
    bare = record.raw.replace(b"\0", b"")
    if len(bare) < len(record.raw) and (is_blank(bare) or decode(bare).usable):
        for run in NULS.finditer(record.raw):
            yield Mending("nul", Splice(start + run.start(), start + run.end()), "NUL bytes go")
        return
    if index + 1 in shared:
        yield Mending("spliced", Splice(start, stop), "quarantined; the next record stands alone")
    elif stop == sheet.content.size and not record.raw.endswith(b"\n"):
        yield Mending("torn", Splice(start, stop), "quarantined")
    else:
        key = "torn" if record.problems and record.problems[0].code == "torn" else "syntax"
        yield Mending(key, Splice(start, stop), "quarantined")


def _is_broken(sheet: LineSheet, index: int) -> bool:
    return not sheet.record(index).usable


def _inside(record: Record, start: int, newline: bytes) -> Iterator[Mending]:
    """What is mended within a record that can be read."""
    raw = record.raw
    if any(problem.code == "syntax" for problem in record.problems):
        # What was understood of it is written anew, if it is a record at all.
        new = encode(record.value) + newline if isinstance(record.value, dict) else b""
        yield Mending("syntax", Splice(start, start + len(raw), new), "what can be read stays")
        return
    for key, at, end, new in mendings(raw):
        yield Mending(key, Splice(start + at, start + end, new), "written as JSON wants it")
