"""Mending the texts in a sound XML file: characters that XML does not hold, members told twice."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from talktree.files.splice import Splice
from talktree.formats.record_file import Mending
from talktree.formats.studio_xml import characters
from talktree.formats.studio_xml.characters import CONTROL
from talktree.formats.studio_xml.elements import (
    EXTRA,
    Attribute,
    Element,
    Kind,
    encoded_as_json,
)
from talktree.formats.studio_xml.lens import in_json, read
from talktree.text.json.repair import REPLACEMENT, strange_bytes

if TYPE_CHECKING:
    from talktree.formats.studio_xml.sheet import XmlSheet

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
    new = JSON + b">" + in_json(characters.decode(raw).text)
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
