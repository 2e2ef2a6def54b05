"""New elements for new objects, in the ways of the file they go into.

What a text element can say stands in one; everything else stands as JSON in `extra`, which other
readers pass over. Nothing here recurses: comments are written without their replies.
"""

from __future__ import annotations

from talktree.formats.lens import Object
from talktree.formats.studio_xml import characters
from talktree.formats.studio_xml.elements import CHILDREN, COMMENT, EXTRA, FIELDS, ITEMS
from talktree.formats.studio_xml.layout import Habits, Layout
from talktree.formats.studio_xml.lens import in_json, in_words
from talktree.text.json.value import Json


class Writer:
    """Writes elements in one layout with one set of habits."""

    def __init__(self, layout: Layout, habits: Habits) -> None:
        self.layout = layout
        self.habits = habits

    def record(self, value: Json, level: int) -> bytes:
        """A comment, or for any other value an element that is no comment."""
        if isinstance(value, dict):
            return self.object(COMMENT, value, level)
        return tagged(EXTRA, in_json(value))

    def object(self, owner: str, value: Object, level: int) -> bytes:
        """A comment, an attachment or an artifact."""
        inside: list[bytes] = []
        named = b""
        extra: Object = {}
        for key in self._ordered(owner, value):
            item = value[key]
            if owner == COMMENT and key in self.habits.omitted and item == []:
                continue
            attribute = self._attribute(owner, key, item)
            made = None if attribute else self.member(owner, key, item, level + 1)
            named += attribute
            if made is not None:
                inside.append(made)
            elif not attribute:
                extra[key] = item
        if extra:
            place = -1 if inside and _is_children(inside[-1]) else len(inside)
            inside.insert(place, tagged(EXTRA, in_json(extra)))
        return self.wrapped(owner, inside, level, named=named)

    def wrapped(self, name: str, inside: list[bytes], level: int, *, named: bytes = b"") -> bytes:
        """An element with elements in it, each on its line."""
        if not inside:
            return b"<" + name.encode() + named + b"/>"
        line = self.layout.line
        body = b"".join(line(level + 1) + each for each in inside)
        return tagged(name, body + line(level), named=named)

    def _ordered(self, owner: str, value: Object) -> list[str]:
        order = self.habits.order if owner == COMMENT else FIELDS[owner]
        known = [key for key in order if key in value and key != EXTRA]
        return known + [key for key in value if key not in known]

    def _attribute(self, owner: str, key: str, item: Json) -> bytes:
        if owner != COMMENT or key not in self.habits.attributes:
            return b""
        words = in_words(key, item)
        if words is None:
            return b""
        return b" " + key.encode() + b'="' + characters.encode_attribute(words) + b'"'

    def member(self, owner: str, key: str, item: Json, level: int) -> bytes | None:
        """The element of a member; None if only `extra` can hold it."""
        if owner == COMMENT and key in ITEMS:
            return self.items(key, item, level) if isinstance(item, list) else None
        if owner == COMMENT and key == CHILDREN and item == []:
            return tagged(CHILDREN, b"")
        if key not in FIELDS[owner]:
            return None
        words = in_words(key, item)
        if words is not None:
            return tagged(key, self.words(owner, key, words))
        return tagged(key, in_json(item), named=MARK) if isinstance(item, str) else None

    def words(self, owner: str, key: str, words: str) -> bytes:
        """Text between tags, as a section where the file does so."""
        return characters.encode(words, section=f"{owner}/{key}" in self.habits.sections)

    def items(self, name: str, items: list[Json], level: int) -> bytes:
        """A list of attachments or artifacts."""
        return self.wrapped(
            name, [self.item(ITEMS[name], each, level + 1) for each in items], level
        )

    def item(self, owner: str, item: Json, level: int) -> bytes:
        """One attachment or artifact, or whatever stands in its place."""
        if isinstance(item, dict):
            return self.object(owner, item, level)
        return tagged(owner, in_json(item), named=MARK)


MARK = b' encoding="json"'
"""Says that the text of an element is to be read as JSON."""


def tagged(name: str, inside: bytes, *, named: bytes = b"") -> bytes:
    """An element with what stands between its tags."""
    tag = name.encode()
    if not inside:
        return b"<" + tag + named + b"/>"
    return b"<" + tag + named + b">" + inside + b"</" + tag + b">"


def _is_children(element: bytes) -> bool:
    return element.startswith(b"<children")
