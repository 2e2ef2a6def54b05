"""Repairs of an XML file of comments, comment by comment.

A comment that an XML parser accepts keeps its bytes. Any other is rewritten from what could be read
of it, or goes to quarantine if that is no longer a comment. Bytes between comments stay if they are
allowed there. The result is parsed before it is written.

In a file with a valid structure, texts are repaired: invalid characters and duplicate members.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from talktree.errors import TalktreeError
from talktree.files.splice import Splice, find_splices
from talktree.formats.format import Record
from talktree.formats.nested_file import FilePiece
from talktree.formats.record_file import ByteRepair
from talktree.formats.studio_xml import elements
from talktree.formats.studio_xml.elements import (
    CONTROL,
    EXTRA,
    Attribute,
    Element,
    ElementKind,
    find_json_mark,
)
from talktree.formats.studio_xml.lens import format_json, read_object, read_truncated_leaves
from talktree.formats.studio_xml.parse import RecordLocation, can_parse, make_cut_piece
from talktree.formats.studio_xml.scanner import scan_comments
from talktree.model.entries import Opaque
from talktree.text.json.repair import REPLACEMENT, find_invalid_utf8
from talktree.text.utf8 import BOM

if TYPE_CHECKING:
    from talktree.formats.studio_xml.parse import XmlSheet


STRUCTURE = frozenset({"torn", "syntax"})
_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\s[^<>]{0,200}\?>")
_TAG = re.compile(rb"<[^!?]")


def repair_xml(sheet: XmlSheet, keys: Collection[str]) -> Iterator[ByteRepair]:
    """Yield the repairs of some of the oddities of the file, in order."""
    if not sheet.is_broken:
        yield from (each for each in sheet.text_changes if each.key in keys)
        return
    asked = sorted(STRUCTURE.intersection(keys))
    for splice in sheet.changes if asked else ():
        yield ByteRepair(asked[0], splice, "written as XML wants it")


def find_xml_repairs(sheet: XmlSheet) -> list[Splice]:
    """Return the repairs of the file's structure."""
    text = sheet.content.read()
    return list(find_splices(text, _Rebuilding(sheet, text).rebuild()))


class _Rebuilding:
    """Rebuilds a file from its comments."""

    def __init__(self, sheet: XmlSheet, text: bytes) -> None:
        self.sheet = sheet
        self.text = text

    def rebuild(self) -> bytes:
        """Return the file with everything valid unchanged."""
        made = self._join_pieces(self._collect_pieces())
        if can_parse(made):
            return made
        # Something that seemed valid alone does not fit: everything is rewritten.
        fresh = [
            replace(self.sheet.make_piece(each.value, each.depth), depth=each.depth)
            for each in self._collect_pieces()
            if isinstance(each.value, dict)
        ]
        return self._join_pieces(fresh, bare=True)

    # comments

    def _collect_pieces(self) -> list[FilePiece]:
        kept: list[FilePiece] = []
        offset: list[int] = []
        for piece, element in zip(
            self.sheet.pieces, self.sheet.list_elements(self.text), strict=True
        ):
            made = self._repair_piece(piece, element)
            del offset[piece.depth :]
            above = offset[-1] if offset else 0
            # Replies to a removed comment become replies to the one above it.
            offset.append(above + (made is None))
            if made is not None:
                kept.append(replace(made, depth=piece.depth - above))
        return kept

    def _repair_piece(self, piece: FilePiece, element: Element) -> FilePiece | None:
        if is_sound(piece):
            return piece
        if element.kind is not ElementKind.COMMENT:
            return None
        value = piece.value
        if not isinstance(value, dict):
            value = read_truncated_leaves(self.text, element)
        elif element.truncated:
            value = {**read_truncated_leaves(self.text, element), **value}
        if isinstance(self.sheet.format.get(Record(value, path=self.sheet.path)), Opaque):
            return None
        try:
            made = self.sheet.make_piece(value, piece.depth)
        except TalktreeError:
            return None
        return replace(made, value=value, gap=piece.gap, tail=piece.tail, first=piece.first)

    # around the comments

    def _join_pieces(self, pieces: Sequence[FilePiece], *, bare: bool = False) -> bytes:
        before, behind = self._make_frame(pieces, bare=bare)
        out = [before]
        above: list[FilePiece] = []
        for number, piece in enumerate(pieces):
            while len(above) > piece.depth:
                out += self._close_piece(above.pop(), bare=bare)
            follower = pieces[number + 1] if number + 1 < len(pieces) else piece
            if follower.depth > piece.depth and piece.hole is None:
                piece = self.sheet.add_children_slot(piece, piece.depth)
            out += (self._gap_before(piece, bare=bare), piece.raw[: piece.hole])
            above.append(piece)
        while above:
            out += self._close_piece(above.pop(), bare=bare)
        return b"".join([*out, behind])

    def _gap_before(self, piece: FilePiece, *, bare: bool) -> bytes:
        if (
            not bare
            and _is_allowed_between(piece.gap)
            and (piece.gap or not self.sheet.writer.layout.newline)
        ):
            return piece.gap
        return self.sheet.make_separator(None, depth=piece.depth, first=False)

    def _close_piece(self, piece: FilePiece, *, bare: bool) -> Iterator[bytes]:
        if piece.hole is None:
            return
        plain = not bare and _is_allowed_between(piece.tail)
        yield piece.tail if plain else self.sheet.end_of_list(piece.depth + 1)
        yield piece.raw[piece.hole :]

    def _make_frame(self, pieces: Sequence[FilePiece], *, bare: bool) -> tuple[bytes, bytes]:
        sheet = self.sheet
        before, behind = sheet.frame[0], sheet.tail + sheet.frame[1]
        at_top = sum(piece.depth == 0 for piece in pieces)
        if not bare and sheet.pieces:
            within = b"<comment/>" if not sheet.listed else b""
            frame = before + within + behind
            if (sheet.listed or at_top == 1) and can_parse(frame) and not _is_odd_frame(frame):
                return before, behind
        head = _HEAD.match(self.text)
        sound = head is not None and can_parse(head.group() + b"<x/>")
        start = head.group() if head and sound else b'<?xml version="1.0" encoding="UTF-8"?>'
        line = sheet.writer.layout.newline or b"\n"
        return start + line + b"<comments>", line + b"</comments>" + line


def _is_odd_frame(frame: bytes) -> bool:
    """Whether the scanner finds a problem in the bytes around all comments."""
    return bool(scan_comments(frame, len(BOM) if frame.startswith(BOM) else 0).problems)


def is_sound(record: FilePiece) -> bool:
    """Whether a record alone is valid, without its replies."""
    text = record.raw
    if record.hole is not None:
        text = text[: record.hole] + b"<comment/>" + text[record.hole :]
    found = scan_comments(text)
    if found.problems or len(found.records) != 1:
        return False
    _, odd = make_cut_piece(text, RecordLocation(found.records[0], 0, 0, True))
    return all(problem.code not in STRUCTURE for problem in odd) and can_parse(text)


def _is_allowed_between(between: bytes) -> bool:
    """Whether some bytes are allowed between comments."""
    if not between.strip():
        return True
    return (
        _TAG.search(between) is None
        and can_parse(b"<x>" + between + b"</x>")
        and _is_only_comments(between)
    )


def _is_only_comments(between: bytes) -> bool:
    """Whether some bytes are only XML comments and instructions."""
    left = re.sub(rb"<!--.*?-->|<\?.*?\?>", b"", between, flags=re.DOTALL)
    return not left.strip()


JSON = b' encoding="json"'


def repair_texts(sheet: XmlSheet) -> Iterator[ByteRepair]:
    """Yield the repairs of the texts of all comments."""
    text = sheet.content.read()
    for start, stop in find_invalid_utf8(text, 0, len(text)):
        yield ByteRepair("utf8", Splice(start, stop, REPLACEMENT), "replaced")
    leaves: list[ByteRepair] = []
    for piece, element in zip(sheet.pieces, sheet.list_elements(text), strict=True):
        if element.kind is ElementKind.COMMENT and isinstance(piece.value, dict):
            leaves += _repair_controls(text, element)
            yield from _remove_duplicates(text, element)
    yield from leaves
    yield from _remove_outside_texts(text, leaves)


def _remove_outside_texts(text: bytes, leaves: Sequence[ByteRepair]) -> Iterator[ByteRepair]:
    """Yield removals of such characters outside of texts, where they mean nothing."""
    if CONTROL.search(text) is None:
        return
    known = sorted((each.splice.start, each.splice.stop) for each in leaves)
    starts = [start for start, _ in known]
    for found in CONTROL.finditer(text):
        before = bisect_right(starts, found.start()) - 1
        if before < 0 or known[before][1] <= found.start():
            yield ByteRepair("control", Splice(found.start(), found.end()), "taken out")


def _repair_controls(text: bytes, comment: Element) -> Iterator[ByteRepair]:
    """Yield changes of texts with such characters to JSON, which can escape them."""
    pending = [comment]
    while pending:
        element = pending.pop()
        if element.kind is ElementKind.LEAF and element.closed:
            yield from _write_as_json(text, element)
        pending += [
            child
            for child in element.children
            if child.kind not in (ElementKind.COMMENT, ElementKind.LIST)
        ]


def _write_as_json(text: bytes, leaf: Element) -> Iterator[ByteRepair]:
    raw = text[leaf.inside : leaf.end]
    if CONTROL.search(raw) is None:
        return
    try:
        raw.decode()
    except UnicodeDecodeError:
        return
    if find_json_mark(text, leaf) is not None or leaf.name == EXTRA:
        return
    new = JSON + b">" + format_json(elements.decode(raw).text)
    yield ByteRepair("control", Splice(leaf.inside - 1, leaf.end, new), "written as JSON")


def _remove_duplicates(text: bytes, comment: Element) -> Iterator[ByteRepair]:
    """Yield removals of duplicate members; the last one is read, so those before it are removed."""
    owners = [comment]
    for child in comment.children:
        if child.kind is ElementKind.ITEMS:
            owners += [item for item in child.children if item.kind is ElementKind.ITEM]
    for owner in owners:
        for places in read_object(text, owner).places.values():
            for place in places[:-1]:
                if isinstance(place, Attribute) or place.kind in (
                    ElementKind.LEAF,
                    ElementKind.ITEMS,
                ):
                    yield ByteRepair("duplicate-key", Splice(place.start, place.stop), "taken out")
