"""Comments as elements and as JSON objects: which text represents which value.

Text elements hold text, `timestamp` a number, `deleted` true or false; an empty `type` means that
there is none. Values that elements cannot represent are written as JSON: in `extra`, or with
`encoding="json"`.
"""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from talktree.errors import WouldLose
from talktree.formats.lens import Object
from talktree.formats.studio_xml import elements
from talktree.formats.studio_xml.elements import (
    CHILDREN,
    EXTRA,
    Attribute,
    Element,
    ElementKind,
    find_json_mark,
    parse_attributes,
)
from talktree.text import utf8
from talktree.text.json import decode
from talktree.text.json.encode import Style, encode_json
from talktree.text.json.scanner import Problem
from talktree.text.json.value import Json, is_same

ASCII = Style(ascii=True)
_TRUNCATED_SECTION = re.compile(
    rb"(?:\]{1,2}(?:>?<?/?[a-zA-Z]{0,20})|[\xc0-\xff][\x80-\xbf]{0,2})\Z"
)
_TRUNCATED_SIGN = re.compile(rb"<[^<>]{0,40}|&[#\w]{0,10}")
_LONGEST_SIGN = 41
_WRONG_END = re.compile(rb"[^<]*+(</[^<>]{0,40}+>)\s*+")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,30})", re.ASCII)
_WHAT = {
    "syntax": "is not escaped as XML demands",
    "utf8": "has bytes that are not UTF-8",
    "control": "has characters that XML does not allow",
}


class AbsentValue:
    """The value of an empty `type`: none."""


ABSENT = AbsentValue()
Place: TypeAlias = Element | Attribute
"""The place of an object's member in the text."""


class ObjectReading(Struct):
    """An object, and the place of each of its members; the last of duplicate places is read."""

    value: Object
    places: dict[str, list[Place]]
    problems: list[Problem]

    def add_member(self, key: str, item: Json | AbsentValue, place: Place) -> None:
        """Add a member."""
        if key in self.value:
            what = f"{key[:40]!r} stands twice"
            self.problems.append(Problem("duplicate-key", place.start, what))
        self.places.setdefault(key, []).append(place)
        if not isinstance(item, AbsentValue):
            self.value[key] = item
        else:
            self.value.pop(key, None)

    def take_words(self, words: elements.Words, name: str, at: int) -> str:
        """Return the text of some words, and note its oddities."""
        self.problems += [Problem(code, at, f"{name[:40]} {_WHAT[code]}") for code in words.odd]
        return words.text


class TextSpan(NamedTuple):
    """A range of the text."""

    start: int
    stop: int


NOWHERE = TextSpan(0, 0)


def read_object(text: bytes, element: Element, *, without: TextSpan = NOWHERE) -> ObjectReading:
    """Return the object that an element holds, without what is among its replies."""
    found = ObjectReading(dict(element.fields or {}), {}, [])
    for each in parse_attributes(text, element):
        if ":" not in each.name and each.name != "xmlns":
            words = elements.decode_attribute(text[each.inside : each.end])
            found.add_member(
                each.name,
                read_natural(each.name, found.take_words(words, each.name, each.start)),
                each,
            )
    for child in element.children:
        if without.start <= child.start and child.stop <= without.stop:
            if child.kind not in (ElementKind.LIST, ElementKind.COMMENT) and not child.filled:
                what = f"<{child.name[:40]}> stands among replies and is not read"
                found.problems.append(Problem("unknown-record", child.start, what))
        else:
            _read_child(text, child, found)
    return found


def _read_child(text: bytes, child: Element, found: ObjectReading) -> None:
    match child.kind:
        case ElementKind.LIST:
            found.value.setdefault(CHILDREN, [])
        case ElementKind.ITEMS:
            found.add_member(
                child.name, [_read_item(text, each, found) for each in child.children], child
            )
        case ElementKind.LEAF | ElementKind.OTHER if not child.closed or child.filled:
            pass
        case ElementKind.LEAF if child.name == EXTRA:
            _read_extra(text, child, found)
        case ElementKind.LEAF | ElementKind.OTHER:
            found.add_member(child.name, read_leaf(text, child, found), child)
        case _:
            pass


def _read_item(text: bytes, element: Element, found: ObjectReading) -> Json:
    """Return one attachment or artifact."""
    if element.kind is ElementKind.LEAF:
        item = read_leaf(text, element, found)
        return None if isinstance(item, AbsentValue) else item
    inner = read_object(text, element)
    found.problems += inner.problems
    return inner.value


def read_leaf(text: bytes, element: Element, found: ObjectReading) -> Json | AbsentValue:
    """Return the value of an element of text."""
    raw = text[element.inside : element.end]
    if element.children:
        return utf8.decode(raw)
    words = found.take_words(elements.decode(raw), element.name, element.start)
    if find_json_mark(text, element):
        decoded = decode.decode(utf8.encode(words))
        if decoded.usable:
            return decoded.value
        what = f"the JSON in {element.name} cannot be read"
        found.problems.append(Problem("syntax", element.start, what))
    return read_natural(element.name, words)


def _read_extra(text: bytes, element: Element, found: ObjectReading) -> None:
    words = found.take_words(
        elements.decode(text[element.inside : element.end]), EXTRA, element.start
    )
    decoded = decode.decode(utf8.encode(words))
    if not decoded.usable or not isinstance(decoded.value, dict):
        found.add_member(EXTRA, words, element)
        return
    for key, item in decoded.value.items():
        found.add_member(key, item, element)


def read_truncated_leaves(text: bytes, element: Element) -> Object:
    """Return the members of a truncated comment, with the text of unclosed ones up to the end."""
    value = dict(read_object(text, element).value)
    for child in element.children:
        if (
            child.kind is ElementKind.LEAF
            and not child.closed
            and child.name not in ("timestamp", EXTRA)
        ):
            raw = _strip_truncated_end(text[child.inside : child.end])
            means = read_natural(child.name, elements.decode(raw).text)
            if not isinstance(means, AbsentValue):
                value.setdefault(child.name, means)
    return value


def _strip_truncated_end(raw: bytes) -> bytes:
    """Return a text without truncated characters or markup at its end, its section closed."""
    section = raw.rfind(elements.CDATA) > raw.rfind(b"]]>")
    if section:
        return _TRUNCATED_SECTION.sub(b"", raw) + b"]]>"
    wrong = _WRONG_END.fullmatch(raw)
    if wrong is not None:
        # An unmatched end tag is a misspelling of the missing one.
        raw = raw[: wrong.start(1)]
    return _strip_truncated_markup(raw).decode("utf-8", "ignore").encode()


def _strip_truncated_markup(raw: bytes) -> bytes:
    """Return a text without tags and references at its end that were never closed."""
    while True:
        raw = raw.rstrip()
        nearest = max(0, len(raw) - _LONGEST_SIGN)
        at = max(raw.rfind(b"<", nearest), raw.rfind(b"&", nearest))
        if at < 0 or _TRUNCATED_SIGN.fullmatch(raw, at) is None:
            return raw
        raw = raw[:at]


def read_natural(name: str, words: str) -> Json | AbsentValue:
    """Return the value of an element's text without a mark."""
    match name:
        case "type" if not words:
            return ABSENT
        case "timestamp":
            return _parse_number(words.strip(" \t\n"), words)
        case "deleted" if words.strip(" \t\n") in ("true", "false"):
            return words.strip(" \t\n") == "true"
        case _:
            return words


def _parse_number(digits: str, words: str) -> Json:
    if _INTEGER.fullmatch(digits):
        return int(digits)
    try:
        number = float(digits)
    except ValueError:
        return words
    return number if repr(number) == digits and number - number == 0 else words


def format_value(name: str, item: Json) -> str | None:
    """Return the text that represents this value in an element of this name, or None."""
    match item:
        case str():
            words = item
        case bool() if name == "deleted":
            words = "true" if item else "false"
        case int() | float() if name == "timestamp" and not isinstance(item, bool):
            words = repr(item)
        case _:
            return None
    means = read_natural(name, words)
    readable = (
        not isinstance(means, AbsentValue) and is_same(means, item) and elements.can_write(words)
    )
    return words if readable else None


def format_json(item: Json) -> bytes:
    """Return a value as JSON between the tags of an element."""
    text = encode_json(item, ASCII).decode()
    if not elements.can_write(text):
        raise WouldLose(
            "studio-xml cannot hold a value that is no JSON", hint="write it to another format"
        )
    return elements.encode(text)
