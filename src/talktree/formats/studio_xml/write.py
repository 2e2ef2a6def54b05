"""Writing new elements for new objects, in the style of the file that they are added to.

Values that a text element can represent are written in one; everything else is written as JSON in
`extra`, which other readers skip. Nothing here recurses: comments are written without their
replies. The layout is learnt from the file itself, and a change of members leaves every other byte
unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple, TypeGuard

from talktree.formats.lens import Object
from talktree.formats.studio_xml import elements
from talktree.formats.studio_xml.elements import (
    CDATA,
    CHILDREN,
    COMMENT,
    EXTRA,
    FIELDS,
    ITEMS,
    Attribute,
    Element,
    ElementKind,
    find_json_mark,
    parse_attributes,
)
from talktree.formats.studio_xml.lens import ObjectReading, format_json, format_value, read_object
from talktree.text.json.value import Json, is_same

DEEPEST = 32
"""Maximum indentation level, or a deep chain would be mostly blanks."""
LEARNT_FROM = 20


class XmlLayout(NamedTuple):
    """Newlines and indentation."""

    newline: bytes = b"\n"
    """Empty if everything is on one line."""
    first: bytes = b"  "
    """The indentation of a comment at the top."""
    unit: bytes = b"  "
    """The indentation of one level more."""
    flat: bool = False
    """Whether each comment at the top is one line."""

    def line_start(self, level: int) -> bytes:
        """Return the bytes before an element at a level; 1 is a comment at the top."""
        if not self.newline or (self.flat and level > 1):
            return b""
        if level == 0:
            return self.newline
        return self.newline + self.first + self.unit * (min(level, DEEPEST) - 1)


class XmlHabits(NamedTuple):
    """The variants of writing a comment that a file uses."""

    order: tuple[str, ...] = (*FIELDS[COMMENT], *ITEMS, EXTRA, CHILDREN)
    attributes: frozenset[str] = frozenset()
    """Members of a comment that are attributes of its start tag."""
    sections: frozenset[str] = frozenset({"comment/content", "artifact/content"})
    """Elements whose text is one section, by owner and name."""
    omitted: frozenset[str] = frozenset()
    """Lists that are left out if they are empty."""


def learn_layout(text: bytes, records: Iterable[Element], root: Element | None) -> XmlLayout:
    """Return the layout of a file, as its first comment shows it."""
    newline = b"\r\n" if b"\r\n" in text[:4096] else b"\n"
    first = next((each for each in records if each.kind is ElementKind.COMMENT), None)
    if first is None:
        return XmlLayout(newline)
    before = _find_indent(text, first.start)
    inner = _find_indent(text, first.children[0].start) if first.children else None
    if root is None:
        # A comment that is the whole file is no deeper than the file.
        unit = inner if inner is not None else b"  "
        return XmlLayout(newline, unit, unit) if inner or not first.children else XmlLayout(b"")
    if before is None:
        return XmlLayout(b"")
    if inner is None:
        return XmlLayout(newline, before, before or b"  ", flat=bool(first.children))
    return XmlLayout(newline, before, inner.removeprefix(before) or b"  ")


def _find_indent(text: bytes, at: int) -> bytes | None:
    """Return the blanks between the start of a line and an element; None if there is other text."""
    start = at
    while start and text[start - 1] in b" \t":
        start -= 1
    return text[start:at] if text[start - 1 : start] == b"\n" else None


def learn_habits(text: bytes, comments: Iterable[Element]) -> XmlHabits:
    """Return the variants that a file uses, as its first comments show them."""
    seen: dict[str, None] = {}
    named: set[str] = set()
    sections: set[str] = set()
    empty: set[str] = set()
    count = 0
    for comment in islice(comments, LEARNT_FROM):
        count += 1
        named |= {each.name for each in parse_attributes(text, comment)}
        for child in comment.children:
            seen.setdefault(child.name)
            if child.kind in (ElementKind.ITEMS, ElementKind.LIST) and not child.children:
                empty.add(child.name)
            for leaf in (child, *(inner for item in child.children for inner in item.children)):
                if leaf.kind is ElementKind.LEAF and text.startswith(CDATA, leaf.inside):
                    sections.add(_leaf_path(leaf))
    if not count:
        return XmlHabits()
    usual = XmlHabits()
    return XmlHabits(
        _merge_order(seen, usual.order),
        frozenset(named) & frozenset(FIELDS[COMMENT]),
        frozenset(sections) | (usual.sections - {f"{COMMENT}/{name}" for name in seen}),
        frozenset({*ITEMS, CHILDREN} - empty),
    )


def _merge_order(seen: Iterable[str], usual: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names in the order of the file; those not in it follow their usual neighbours."""
    order = [name for name in seen if name in usual and name not in (EXTRA, CHILDREN)]
    at = 0
    for name in usual:
        if name not in order:
            order.insert(len(order) if name in (EXTRA, CHILDREN) else at, name)
        at = order.index(name) + 1
    return tuple(order)


def _leaf_path(leaf: Element) -> str:
    holder = leaf.holder
    return f"{COMMENT if holder is None else holder.owner}/{leaf.name}"


class XmlWriter:
    """Writes elements in one layout with one set of habits."""

    def __init__(self, layout: XmlLayout, habits: XmlHabits) -> None:
        self.layout = layout
        self.habits = habits

    def format_record(self, value: Json, level: int) -> bytes:
        """Return a comment, or for any other value an element that is not a comment."""
        if isinstance(value, dict):
            return self.format_object(COMMENT, value, level)
        return format_element(EXTRA, format_json(value))

    def format_object(self, owner: str, value: Object, level: int) -> bytes:
        """Return a comment, an attachment or an artifact."""
        inside: list[bytes] = []
        named = b""
        extra: Object = {}
        for key in self._order_keys(owner, value):
            item = value[key]
            if owner == COMMENT and key in self.habits.omitted and item == []:
                continue
            attribute = self._format_attribute(owner, key, item)
            made = None if attribute else self.format_member(owner, key, item, level + 1)
            named += attribute
            if made is not None:
                inside.append(made)
            elif not attribute:
                extra[key] = item
        if extra:
            place = -1 if inside and _is_children(inside[-1]) else len(inside)
            inside.insert(place, format_element(EXTRA, format_json(extra)))
        return self.wrap_elements(owner, inside, level, named=named)

    def wrap_elements(
        self, name: str, inside: list[bytes], level: int, *, named: bytes = b""
    ) -> bytes:
        """Return an element that contains elements, each on its line."""
        if not inside:
            return b"<" + name.encode() + named + b"/>"
        line = self.layout.line_start
        body = b"".join(line(level + 1) + each for each in inside)
        return format_element(name, body + line(level), named=named)

    def _order_keys(self, owner: str, value: Object) -> list[str]:
        order = self.habits.order if owner == COMMENT else FIELDS[owner]
        known = [key for key in order if key in value and key != EXTRA]
        return known + [key for key in value if key not in known]

    def _format_attribute(self, owner: str, key: str, item: Json) -> bytes:
        if owner != COMMENT or key not in self.habits.attributes:
            return b""
        words = format_value(key, item)
        if words is None:
            return b""
        return b" " + key.encode() + b'="' + elements.encode_attribute(words) + b'"'

    def format_member(self, owner: str, key: str, item: Json, level: int) -> bytes | None:
        """Return the element of a member; None if only `extra` can hold it."""
        if owner == COMMENT and key in ITEMS:
            return self.format_items(key, item, level) if isinstance(item, list) else None
        if owner == COMMENT and key == CHILDREN and item == []:
            return format_element(CHILDREN, b"")
        if key not in FIELDS[owner]:
            return None
        words = format_value(key, item)
        if words is not None:
            return format_element(key, self.format_words(owner, key, words))
        return format_element(key, format_json(item), named=MARK) if isinstance(item, str) else None

    def format_words(self, owner: str, key: str, words: str) -> bytes:
        """Return text between tags, as a section if the file does so."""
        return elements.encode(words, section=f"{owner}/{key}" in self.habits.sections)

    def format_items(self, name: str, items: list[Json], level: int) -> bytes:
        """Return a list of attachments or artifacts."""
        return self.wrap_elements(
            name, [self.format_item(ITEMS[name], each, level + 1) for each in items], level
        )

    def format_item(self, owner: str, item: Json, level: int) -> bytes:
        """Return one attachment or artifact, or any other value in its place."""
        if isinstance(item, dict):
            return self.format_object(owner, item, level)
        return format_element(owner, format_json(item), named=MARK)


MARK = b' encoding="json"'
"""Marks the text of an element as JSON."""


def format_element(name: str, inside: bytes, *, named: bytes = b"") -> bytes:
    """Return an element with the bytes between its tags."""
    tag = name.encode()
    if not inside:
        return b"<" + tag + named + b"/>"
    return b"<" + tag + named + b">" + inside + b"</" + tag + b">"


def _is_children(element: bytes) -> bool:
    return element.startswith(b"<children")


Edit = tuple[int, int, bytes]
"""Replace the bytes from start to stop."""


class ObjectPatch:
    """The edits that turn one object into another."""

    def __init__(self, text: bytes, writer: XmlWriter) -> None:
        self.text = text
        self.writer = writer
        self.edits: list[Edit] = []

    def patch_object(self, element: Element, old: ObjectReading, new: Object, level: int) -> None:
        """Change differences; add members that have no place yet."""
        added: Object = {}
        extras: dict[int, Element] = {}
        for key, places in old.places.items():
            place = places[-1]
            if _is_unchanged(old.value, new, key):
                continue
            if key in new and _is_extra(place):
                extras[place.start] = place
            elif key not in new or not self._change_member(
                place, key, old.value.get(key), new[key], level
            ):
                extras |= {each.start: each for each in places if _is_extra(each)}
                for each in places:
                    if not _is_extra(each):
                        self._remove_element(each)
                added |= {key: new[key]} if key in new else {}
        added |= {
            key: item
            for key, item in new.items()
            if key not in old.places and not self._can_omit(key, item)
        }
        self._add_members(element, old, new, added, extras, level)

    def _can_omit(self, key: str, item: Json) -> bool:
        return item == [] and (key == CHILDREN or key in self.writer.habits.omitted)

    # existing members

    def _change_member(
        self, place: Element | Attribute, key: str, old: Json, new: Json, level: int
    ) -> bool:
        """Change a member in its place; return False if it cannot hold the new value."""
        if isinstance(place, Attribute):
            words = format_value(key, new)
            if words is not None:
                self.edits.append((place.inside, place.end, elements.encode_attribute(words)))
            return words is not None
        if place.kind is ElementKind.ITEMS:
            if isinstance(new, list) and isinstance(old, list):
                self._change_items(place, old, new, level + 1)
            return isinstance(new, list)
        return self._change_leaf(place, key, new)

    def _change_leaf(self, place: Element, key: str, new: Json) -> bool:
        words = format_value(key, new)
        if words is None and not isinstance(new, str):
            return False
        mark = find_json_mark(self.text, place)
        if words is None or mark is not None or place.bare:
            named = self._attributes_without_mark(place, mark)
            if words is None:
                fresh = format_element(place.name, format_json(new), named=named + MARK)
            else:
                fresh = format_element(place.name, self._encode_words(place, words), named=named)
            self.edits.append((place.start, place.stop, fresh))
        else:
            self.edits.append((place.inside, place.end, self._encode_words(place, words)))
        return True

    def _attributes_without_mark(self, place: Element, mark: Attribute | None) -> bytes:
        """Return the attributes of an element as written, without the mark."""
        start = place.start + 1 + len(place.name.encode())
        tag = self.text[start : place.inside].rstrip(b">").rstrip(b"/").rstrip()
        return tag if mark is None else tag.replace(self.text[mark.start : mark.stop], b"")

    def _encode_words(self, place: Element, words: str) -> bytes:
        old = self.text[place.inside : place.end]
        if old:
            return elements.encode(words, section=CDATA in old)
        owner = place.holder.owner if place.holder is not None else COMMENT
        return self.writer.format_words(owner, place.name, words)

    def _change_items(self, place: Element, old: list[Json], new: list[Json], level: int) -> None:
        writer, found = self.writer, place.children
        if len(old) == len(new):
            for element, was, now in zip(found, old, new, strict=True):
                if is_same(was, now):
                    continue
                if element.kind is ElementKind.ITEM and isinstance(now, dict):
                    self.patch_object(element, read_object(self.text, element), now, level + 1)
                else:
                    fresh = writer.format_item(ITEMS[place.name], now, level + 1)
                    self.edits.append((element.start, element.stop, fresh))
            return
        inside = []
        start = 0
        for now in new:
            # Items that only moved keep their own form.
            match = next((at for at in range(start, len(old)) if is_same(old[at], now)), None)
            if match is None:
                inside.append(writer.format_item(ITEMS[place.name], now, level + 1))
            else:
                inside.append(self.text[found[match].start : found[match].stop])
                start = match + 1
        self.edits.append(
            (place.start, place.stop, writer.wrap_elements(place.name, inside, level))
        )

    def _remove_element(self, place: Element | Attribute) -> None:
        start = place.start
        while isinstance(place, Element) and self.text[start - 1 : start].isspace():
            start -= 1
        self.edits.append((start, place.stop, b""))

    # new members

    def _add_members(
        self,
        element: Element,
        old: ObjectReading,
        new: Object,
        added: Object,
        extras: dict[int, Element],
        level: int,
    ) -> None:
        owner = element.owner
        fresh = {key: self.writer.format_member(owner, key, added[key], level + 1) for key in added}
        rest = {key: added[key] for key, made in fresh.items() if made is None}
        last = _find_last_extra(element)
        if rest and last is not None:
            extras[last.start] = last
        for each in extras.values():
            kept = {
                key: new[key]
                for key, places in old.places.items()
                if places[-1] is each and key in new
            }
            if each is last:
                kept |= rest
            self._write_extra(each, kept)
        made = [each for each in fresh.values() if each is not None]
        if rest and last is None:
            made.append(format_element(EXTRA, format_json(rest)))
        if made:
            self.insert_elements(element, made, level)

    def _write_extra(self, place: Element, members: Object) -> None:
        if members:
            self.edits.append(
                (place.start, place.stop, format_element(EXTRA, format_json(members)))
            )
        else:
            self._remove_element(place)

    def insert_elements(self, element: Element, made: list[bytes], level: int) -> None:
        """Insert new elements after the fields of an element, before its replies."""
        line = self.writer.layout.line_start
        inside = b"".join(line(level + 1) + each for each in made)
        if element.bare:
            start = element.stop - 2
            end = f"</{element.name}>".encode()
            self.edits.append((start, element.stop, b">" + inside + line(level) + end))
            return
        stop = element.inside
        for child in element.children:
            if child.filled or child.kind in (ElementKind.LIST, ElementKind.COMMENT):
                break
            stop = child.stop
        if element.children:
            self.edits.append((stop, stop, inside))
        else:
            there = self.text[element.inside : element.end]
            kept = there if there.strip() else b""
            self.edits.append((element.inside, element.end, kept + inside + line(level)))


def _is_unchanged(old: Object, new: Object, key: str) -> bool:
    if key in old and key in new:
        return is_same(old[key], new[key])
    return key not in old and key not in new


def _is_extra(place: Element | Attribute) -> TypeGuard[Element]:
    return isinstance(place, Element) and place.kind is ElementKind.LEAF and place.name == EXTRA


def _find_last_extra(element: Element) -> Element | None:
    found = (each for each in reversed(element.children) if _is_extra(each) and each.closed)
    return next(found, None)


def apply_edits(text: bytes, edits: list[Edit]) -> bytes:
    """Return the text with the edits made; of adjacent edits, the earlier one comes first."""
    out: list[bytes] = []
    at = 0
    for start, stop, fresh in sorted(edits, key=lambda edit: edit[:2]):
        out += (text[at:start], fresh)
        at = max(at, stop)
    out.append(text[at:])
    return b"".join(out)
