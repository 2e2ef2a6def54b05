"""Change members of an object inside its XML and leave every other byte as it is."""

from __future__ import annotations

from typing import TypeGuard

from talktree.formats.lens import Object
from talktree.formats.studio_xml import characters
from talktree.formats.studio_xml.characters import CDATA
from talktree.formats.studio_xml.elements import (
    CHILDREN,
    COMMENT,
    EXTRA,
    ITEMS,
    Attribute,
    Element,
    Kind,
    encoded_as_json,
)
from talktree.formats.studio_xml.lens import Reading, in_json, in_words, read
from talktree.formats.studio_xml.write import MARK, Writer, tagged
from talktree.text.json.value import Json, same

Edit = tuple[int, int, bytes]
"""Replace the bytes from start to stop."""


class Patch:
    """The edits that turn one object into another."""

    def __init__(self, text: bytes, writer: Writer) -> None:
        self.text = text
        self.writer = writer
        self.edits: list[Edit] = []

    def object(self, element: Element, old: Reading, new: Object, level: int) -> None:
        """Change what differs; what has no place yet is added."""
        added: Object = {}
        extras: dict[int, Element] = {}
        for key, places in old.places.items():
            place = places[-1]
            if _unchanged(old.value, new, key):
                continue
            if key in new and _is_extra(place):
                extras[place.start] = place
            elif key not in new or not self._change(
                place, key, old.value.get(key), new[key], level
            ):
                extras |= {each.start: each for each in places if _is_extra(each)}
                for each in places:
                    if not _is_extra(each):
                        self._remove(each)
                added |= {key: new[key]} if key in new else {}
        added |= {
            key: item
            for key, item in new.items()
            if key not in old.places and not self._goes_without(key, item)
        }
        self._add(element, old, new, added, extras, level)

    def _goes_without(self, key: str, item: Json) -> bool:
        return item == [] and (key == CHILDREN or key in self.writer.habits.omitted)

    # what is there

    def _change(
        self, place: Element | Attribute, key: str, old: Json, new: Json, level: int
    ) -> bool:
        """Change a member where it stands; False if it cannot stand there."""
        if isinstance(place, Attribute):
            words = in_words(key, new)
            if words is not None:
                self.edits.append((place.inside, place.end, characters.encode_attribute(words)))
            return words is not None
        if place.kind is Kind.ITEMS:
            if isinstance(new, list) and isinstance(old, list):
                self._items(place, old, new, level + 1)
            return isinstance(new, list)
        return self._leaf(place, key, new)

    def _leaf(self, place: Element, key: str, new: Json) -> bool:
        words = in_words(key, new)
        if words is None and not isinstance(new, str):
            return False
        mark = encoded_as_json(self.text, place)
        if words is None or mark is not None or place.bare:
            named = self._named(place, mark)
            if words is None:
                fresh = tagged(place.name, in_json(new), named=named + MARK)
            else:
                fresh = tagged(place.name, self._words(place, words), named=named)
            self.edits.append((place.start, place.stop, fresh))
        else:
            self.edits.append((place.inside, place.end, self._words(place, words)))
        return True

    def _named(self, place: Element, mark: Attribute | None) -> bytes:
        """The attributes of an element as they stand, without the mark."""
        start = place.start + 1 + len(place.name.encode())
        tag = self.text[start : place.inside].rstrip(b">").rstrip(b"/").rstrip()
        return tag if mark is None else tag.replace(self.text[mark.start : mark.stop], b"")

    def _words(self, place: Element, words: str) -> bytes:
        old = self.text[place.inside : place.end]
        if old:
            return characters.encode(words, section=CDATA in old)
        owner = place.holder.owner if place.holder is not None else COMMENT
        return self.writer.words(owner, place.name, words)

    def _items(self, place: Element, old: list[Json], new: list[Json], level: int) -> None:
        writer, found = self.writer, place.children
        if len(old) == len(new):
            for element, was, now in zip(found, old, new, strict=True):
                if same(was, now):
                    continue
                if element.kind is Kind.ITEM and isinstance(now, dict):
                    self.object(element, read(self.text, element), now, level + 1)
                else:
                    fresh = writer.item(ITEMS[place.name], now, level + 1)
                    self.edits.append((element.start, element.stop, fresh))
            return
        inside = []
        start = 0
        for now in new:
            # Items that only moved along keep their own form.
            match = next((at for at in range(start, len(old)) if same(old[at], now)), None)
            if match is None:
                inside.append(writer.item(ITEMS[place.name], now, level + 1))
            else:
                inside.append(self.text[found[match].start : found[match].stop])
                start = match + 1
        self.edits.append((place.start, place.stop, writer.wrapped(place.name, inside, level)))

    def _remove(self, place: Element | Attribute) -> None:
        start = place.start
        while isinstance(place, Element) and self.text[start - 1 : start].isspace():
            start -= 1
        self.edits.append((start, place.stop, b""))

    # what is new

    def _add(
        self,
        element: Element,
        old: Reading,
        new: Object,
        added: Object,
        extras: dict[int, Element],
        level: int,
    ) -> None:
        owner = element.owner
        fresh = {key: self.writer.member(owner, key, added[key], level + 1) for key in added}
        rest = {key: added[key] for key, made in fresh.items() if made is None}
        last = _last_extra(element)
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
            self._extra(each, kept)
        made = [each for each in fresh.values() if each is not None]
        if rest and last is None:
            made.append(tagged(EXTRA, in_json(rest)))
        if made:
            self.insert(element, made, level)

    def _extra(self, place: Element, members: Object) -> None:
        if members:
            self.edits.append((place.start, place.stop, tagged(EXTRA, in_json(members))))
        else:
            self._remove(place)

    def insert(self, element: Element, made: list[bytes], level: int) -> None:
        """Put new elements behind the fields of an element, before its replies."""
        line = self.writer.layout.line
        inside = b"".join(line(level + 1) + each for each in made)
        if element.bare:
            start = element.stop - 2
            end = f"</{element.name}>".encode()
            self.edits.append((start, element.stop, b">" + inside + line(level) + end))
            return
        stop = element.inside
        for child in element.children:
            if child.filled or child.kind in (Kind.LIST, Kind.COMMENT):
                break
            stop = child.stop
        if element.children:
            self.edits.append((stop, stop, inside))
        else:
            there = self.text[element.inside : element.end]
            kept = there if there.strip() else b""
            self.edits.append((element.inside, element.end, kept + inside + line(level)))


def _unchanged(old: Object, new: Object, key: str) -> bool:
    if key in old and key in new:
        return same(old[key], new[key])
    return key not in old and key not in new


def _is_extra(place: Element | Attribute) -> TypeGuard[Element]:
    return isinstance(place, Element) and place.kind is Kind.LEAF and place.name == EXTRA


def _last_extra(element: Element) -> Element | None:
    found = (each for each in reversed(element.children) if _is_extra(each) and each.closed)
    return next(found, None)


def applied(text: bytes, edits: list[Edit]) -> bytes:
    """The text with the edits made; where two meet, the earlier one comes first."""
    out: list[bytes] = []
    at = 0
    for start, stop, fresh in sorted(edits, key=lambda edit: edit[:2]):
        out += (text[at:start], fresh)
        at = max(at, stop)
    out.append(text[at:])
    return b"".join(out)
