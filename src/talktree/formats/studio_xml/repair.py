"""Making an XML file of comments sound, comment by comment.

A comment that an XML parser accepts keeps its bytes. Any other is written anew from what could be
read of it, or goes to quarantine if that is no comment any more. What stands between comments
stays if it may stand there. The result is parsed before it is let go.

Mending the texts in a sound XML file: characters that XML does not hold, members told twice.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from talktree.errors import TalktreeError
from talktree.files.splice import Splice, differences
from talktree.formats.format import Record
from talktree.formats.nested_file import Piece
from talktree.formats.record_file import Mending
from talktree.formats.studio_xml import elements
from talktree.formats.studio_xml.elements import (
    CONTROL,
    EXTRA,
    Attribute,
    Element,
    Kind,
    encoded_as_json,
)
from talktree.formats.studio_xml.lens import in_json, read, torn_leaves
from talktree.formats.studio_xml.parse import Cut, parses
from talktree.formats.studio_xml.parse import piece as piece_of
from talktree.formats.studio_xml.scanner import scan
from talktree.model.entries import Opaque
from talktree.text.json.repair import REPLACEMENT, strange_bytes
from talktree.text.utf8 import BOM

if TYPE_CHECKING:
    from talktree.formats.studio_xml.parse import XmlSheet


STRUCTURE = frozenset({"torn", "syntax"})
_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\s[^<>]{0,200}\?>")
_TAG = re.compile(rb"<[^!?]")


def mended_xml(sheet: XmlSheet, keys: Collection[str]) -> Iterator[Mending]:
    """What mends some of the oddities of the file, in order."""
    if not sheet.is_broken:
        yield from (each for each in sheet.text_changes if each.key in keys)
        return
    asked = sorted(STRUCTURE.intersection(keys))
    for splice in sheet.changes if asked else ():
        yield Mending(asked[0], splice, "written as XML wants it")


def sound_changes(sheet: XmlSheet) -> list[Splice]:
    """What makes the file sound."""
    text = sheet.content.read()
    return list(differences(text, _Rebuilding(sheet, text).whole()))


class _Rebuilding:
    """Puts a file together again from its comments."""

    def __init__(self, sheet: XmlSheet, text: bytes) -> None:
        self.sheet = sheet
        self.text = text

    def whole(self) -> bytes:
        """The file with everything sound left as it is."""
        made = self._joined(self._pieces())
        if parses(made):
            return made
        # Something that looked sound by itself does not fit: all of it is written anew.
        fresh = [
            replace(self.sheet.fresh(each.value, each.depth), depth=each.depth)
            for each in self._pieces()
            if isinstance(each.value, dict)
        ]
        return self._joined(fresh, bare=True)

    # comments

    def _pieces(self) -> list[Piece]:
        kept: list[Piece] = []
        offset: list[int] = []
        for piece, element in zip(self.sheet.pieces, self.sheet.elements(self.text), strict=True):
            made = self._sound(piece, element)
            del offset[piece.depth :]
            above = offset[-1] if offset else 0
            # What hung on a comment that is gone hangs on the one above it.
            offset.append(above + (made is None))
            if made is not None:
                kept.append(replace(made, depth=piece.depth - above))
        return kept

    def _sound(self, piece: Piece, element: Element) -> Piece | None:
        if is_sound(piece):
            return piece
        if element.kind is not Kind.COMMENT:
            return None
        value = piece.value
        if not isinstance(value, dict):
            value = torn_leaves(self.text, element)
        elif element.torn:
            value = {**torn_leaves(self.text, element), **value}
        if isinstance(self.sheet.format.get(Record(value, path=self.sheet.path)), Opaque):
            return None
        try:
            made = self.sheet.fresh(value, piece.depth)
        except TalktreeError:
            return None
        return replace(made, value=value, gap=piece.gap, tail=piece.tail, first=piece.first)

    # what stands around them

    def _joined(self, pieces: Sequence[Piece], *, bare: bool = False) -> bytes:
        before, behind = self._frame(pieces, bare=bare)
        out = [before]
        above: list[Piece] = []
        for number, piece in enumerate(pieces):
            while len(above) > piece.depth:
                out += self._closed(above.pop(), bare=bare)
            follower = pieces[number + 1] if number + 1 < len(pieces) else piece
            if follower.depth > piece.depth and piece.hole is None:
                piece = self.sheet.opened(piece, piece.depth)
            out += (self._gap(piece, bare=bare), piece.raw[: piece.hole])
            above.append(piece)
        while above:
            out += self._closed(above.pop(), bare=bare)
        return b"".join([*out, behind])

    def _gap(self, piece: Piece, *, bare: bool) -> bytes:
        if (
            not bare
            and _may_stand(piece.gap)
            and (piece.gap or not self.sheet.writer.layout.newline)
        ):
            return piece.gap
        return self.sheet.joint(None, depth=piece.depth, first=False)

    def _closed(self, piece: Piece, *, bare: bool) -> Iterator[bytes]:
        if piece.hole is None:
            return
        plain = not bare and _may_stand(piece.tail)
        yield piece.tail if plain else self.sheet.end_of_list(piece.depth + 1)
        yield piece.raw[piece.hole :]

    def _frame(self, pieces: Sequence[Piece], *, bare: bool) -> tuple[bytes, bytes]:
        sheet = self.sheet
        before, behind = sheet.frame[0], sheet.tail + sheet.frame[1]
        at_top = sum(piece.depth == 0 for piece in pieces)
        if not bare and sheet.pieces:
            within = b"<comment/>" if not sheet.listed else b""
            frame = before + within + behind
            if (sheet.listed or at_top == 1) and parses(frame) and not _odd(frame):
                return before, behind
        head = _HEAD.match(self.text)
        sound = head is not None and parses(head.group() + b"<x/>")
        start = head.group() if head and sound else b'<?xml version="1.0" encoding="UTF-8"?>'
        line = sheet.writer.layout.newline or b"\n"
        return start + line + b"<comments>", line + b"</comments>" + line


def _odd(frame: bytes) -> bool:
    """Whether the scanner finds something wrong with what stands around all comments."""
    return bool(scan(frame, len(BOM) if frame.startswith(BOM) else 0).problems)


def is_sound(record: Piece) -> bool:
    """Whether nothing is wrong with a record by itself, its replies left out."""
    text = record.raw
    if record.hole is not None:
        text = text[: record.hole] + b"<comment/>" + text[record.hole :]
    found = scan(text)
    if found.problems or len(found.records) != 1:
        return False
    _, odd = piece_of(text, Cut(found.records[0], 0, 0, True))
    return all(problem.code not in STRUCTURE for problem in odd) and parses(text)


def _may_stand(between: bytes) -> bool:
    """Whether some bytes may stand between comments."""
    if not between.strip():
        return True
    return _TAG.search(between) is None and parses(b"<x>" + between + b"</x>") and _silent(between)


def _silent(between: bytes) -> bool:
    """Whether nothing but XML comments and instructions stands there."""
    left = re.sub(rb"<!--.*?-->|<\?.*?\?>", b"", between, flags=re.DOTALL)
    return not left.strip()


JSON = b' encoding="json"'


def mended_texts(sheet: XmlSheet) -> Iterator[Mending]:
    """What mends the texts of all comments."""
    text = sheet.content.read()
    for start, stop in strange_bytes(text, 0, len(text)):
        yield Mending("utf8", Splice(start, stop, REPLACEMENT), "replaced")
    leaves: list[Mending] = []
    for piece, element in zip(sheet.pieces, sheet.elements(text), strict=True):
        if element.kind is Kind.COMMENT and isinstance(piece.value, dict):
            leaves += _controls(text, element)
            yield from _doubles(text, element)
    yield from leaves
    yield from _elsewhere(text, leaves)


def _elsewhere(text: bytes, leaves: Sequence[Mending]) -> Iterator[Mending]:
    """Such characters outside of texts say nothing, so they go."""
    if CONTROL.search(text) is None:
        return
    known = sorted((each.splice.start, each.splice.stop) for each in leaves)
    starts = [start for start, _ in known]
    for found in CONTROL.finditer(text):
        before = bisect_right(starts, found.start()) - 1
        if before < 0 or known[before][1] <= found.start():
            yield Mending("control", Splice(found.start(), found.end()), "taken out")


def _controls(text: bytes, comment: Element) -> Iterator[Mending]:
    """Text with such characters is written as JSON, which can escape them."""
    pending = [comment]
    while pending:
        element = pending.pop()
        if element.kind is Kind.LEAF and element.closed:
            yield from _as_json(text, element)
        pending += [
            child for child in element.children if child.kind not in (Kind.COMMENT, Kind.LIST)
        ]


def _as_json(text: bytes, leaf: Element) -> Iterator[Mending]:
    raw = text[leaf.inside : leaf.end]
    if CONTROL.search(raw) is None:
        return
    try:
        raw.decode()
    except UnicodeDecodeError:
        return
    if encoded_as_json(text, leaf) is not None or leaf.name == EXTRA:
        return
    new = JSON + b">" + in_json(elements.decode(raw).text)
    yield Mending("control", Splice(leaf.inside - 1, leaf.end, new), "written as JSON")


def _doubles(text: bytes, comment: Element) -> Iterator[Mending]:
    """Of members that stand twice the last is read, so those before it go."""
    owners = [comment]
    for child in comment.children:
        if child.kind is Kind.ITEMS:
            owners += [item for item in child.children if item.kind is Kind.ITEM]
    for owner in owners:
        for places in read(text, owner).places.values():
            for place in places[:-1]:
                if isinstance(place, Attribute) or place.kind in (Kind.LEAF, Kind.ITEMS):
                    yield Mending("duplicate-key", Splice(place.start, place.stop), "taken out")
