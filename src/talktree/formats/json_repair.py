"""Repairs of the bytes of a JSON document: truncated ends, lost brackets, junk between records.

Valid records keep their bytes. A truncated record keeps what can be read of it, with its last
string cut off at the end, as long as it is still a record; if not, it goes to quarantine.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from talktree.files.splice import Splice
from talktree.formats.format import Record
from talktree.formats.record_file import ByteRepair
from talktree.model.entries import Opaque
from talktree.text.json.repair import JsonRepair, repair_values, sort_repairs
from talktree.text.json.scanner import JsonNode, JsonScan, NodeKind
from talktree.text.json.syntax import STRING_OR_BLANKS
from talktree.text.lines import BLANKS

if TYPE_CHECKING:
    from talktree.formats.json_file import JsonSheet

UNSOUND = frozenset({"torn", "syntax", "fused", "nul", "comment", "bom"})
"""Oddities that must be repaired before records can be distinguished from other text."""


def find_json_repairs(sheet: JsonSheet) -> Sequence[JsonRepair]:
    """Return the repairs of a document in order; records nested too deep stay."""
    text = sheet.content.read()
    found, changes = repair_values(text)
    truncated = find_truncated_record(sheet, found, len(text))
    if truncated is not None:
        changes = _cut_truncated_record(text, truncated)
    if not any(change.key in ("torn", "syntax") for change in changes):
        changes = sort_repairs([*changes, *_find_loose_ends(sheet, text, found)])
    return changes


def repair_document(sheet: JsonSheet, keys: Collection[str]) -> Iterator[ByteRepair]:
    """Yield the repairs of some of the oddities of a document, in order."""
    text = sheet.content.read()
    if not text.strip(b"\0 \t\r\n"):
        return
    changes = sheet.changes
    if "deep" in keys:
        changes = sort_repairs([*changes, *_find_deep_records(sheet)])
    if "not-lines" in keys:
        broken = any(change.key in UNSOUND for change in changes)
        changes = [] if broken else list(_split_into_lines(sheet, text))
    for key, start, stop, new in changes:
        if key in keys:
            yield ByteRepair(key, Splice(start, stop, new), "written as JSON wants it")


# the truncated record


def find_truncated_record(sheet: JsonSheet, found: JsonScan, size: int) -> JsonNode | None:
    """Return the last record if the text ends in it and the rest of it is not a record."""
    node: JsonNode | None = found.roots[-1] if found.roots and not found.complete else None
    depth, above = 0, 0
    if sheet.listed and node is not None:
        node, above = _find_last_open(node, size), 1
    while node is not None and node.kind is NodeKind.OBJECT:
        hole = sheet.find_children_node(node, depth)
        if hole is None or hole.closed:
            break
        node, depth, above = _find_last_open(hole, size), depth + 1, above + 1
    if node is None or not above:
        return None
    entry = sheet.format.get(Record(node.value, path=sheet.path))
    return node if node.kind is not NodeKind.OBJECT or isinstance(entry, Opaque) else None


def _find_last_open(node: JsonNode, size: int) -> JsonNode | None:
    """Return the value in which a truncated list ends."""
    last = node.children[-1] if node.children else None
    return last if last is not None and not last.closed and last.stop == size else None


def _cut_truncated_record(text: bytes, record: JsonNode) -> list[JsonRepair]:
    """Return the changes that remove a truncated record and close what contains it."""
    cut = len(text[: record.start].rstrip(BLANKS).removesuffix(b","))
    changes = repair_values(text[:cut]).changes
    closing = b""
    if changes and changes[-1].stop == cut and changes[-1].key == "torn":
        last = changes.pop()
        cut, closing = last.start, last.new
    return [*changes, JsonRepair("torn", cut, len(text), closing)]


# around the records


def find_fused_values(text: bytes, values: Sequence[JsonNode]) -> list[int]:
    """Return the starts of values on the line on which the value before them ends."""
    return [
        after.start
        for before, after in pairwise(values)
        if b"\n" not in text[before.stop : after.start]
    ]


def _find_loose_ends(sheet: JsonSheet, text: bytes, found: JsonScan) -> Iterator[JsonRepair]:
    """Yield repairs of text beside the one value that a document should be."""
    roots = found.roots
    if len(roots) < 2 and all(problem.code != "syntax" for problem in found.problems):
        return
    values = [root for root in roots if root.kind is not NodeKind.SCALAR]
    if sheet.many:
        yield from (JsonRepair("fused", at, at, b"\n") for at in find_fused_values(text, values))
    for root in roots:
        if root.kind is NodeKind.SCALAR:
            yield JsonRepair("syntax", root.start, root.stop)
    if sheet.links == "nested" and len(values) > 1:
        yield JsonRepair("syntax", values[0].start, values[0].start, b"[")
        for before in values[:-1]:
            yield JsonRepair("syntax", before.stop, before.stop, b",")
        yield JsonRepair("syntax", values[-1].stop, values[-1].stop, b"]")


def _find_deep_records(sheet: JsonSheet) -> Iterator[JsonRepair]:
    """Yield removals of records that are nested too deep, with their commas."""
    for index, piece in enumerate(sheet.pieces):
        if piece.hole is not None or not sheet.is_deep(piece):
            continue
        start, stop = piece.start, piece.start + len(piece.raw)
        after = sheet.pieces[index + 1] if index + 1 < len(sheet.pieces) else None
        if not piece.first:
            start -= len(piece.gap)
        elif after is not None and after.depth == piece.depth:
            stop = after.start
        yield JsonRepair("deep", start, stop)


def _split_into_lines(sheet: JsonSheet, text: bytes) -> Iterator[JsonRepair]:
    """Yield changes that put each record on one line of its own."""
    at = 0
    for piece in sheet.pieces:
        yield JsonRepair("not-lines", at, piece.start, b"\n" if at else b"")
        at = piece.start + len(piece.raw)
        for found in STRING_OR_BLANKS.finditer(text, piece.start, at):
            if found.group(1) is not None and b"\n" in found.group(1):
                yield JsonRepair("not-lines", found.start(), found.end())
    yield JsonRepair("not-lines", at, len(text), b"\n" if at else b"")
