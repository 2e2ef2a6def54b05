"""Comments as elements and as JSON objects: which text means which value.

Text elements give text, `timestamp` a number, `deleted` true or false; an empty `type` means that
there is none. What elements cannot say stands as JSON: in `extra`, or under `encoding="json"`.
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
    Kind,
    attributes,
    encoded_as_json,
)
from talktree.text import utf8
from talktree.text.json import decode
from talktree.text.json.encode import Style, encode
from talktree.text.json.scanner import Problem
from talktree.text.json.value import Json, same

ASCII = Style(ascii=True)
_TORN_SECTION = re.compile(rb"(?:\]{1,2}(?:>?<?/?[a-zA-Z]{0,20})|[\xc0-\xff][\x80-\xbf]{0,2})\Z")
_TORN_SIGN = re.compile(rb"<[^<>]{0,40}|&[#\w]{0,10}")
_LONGEST_SIGN = 41
_WRONG_END = re.compile(rb"[^<]*+(</[^<>]{0,40}+>)\s*+")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,30})", re.ASCII)
_WHAT = {
    "syntax": "is not escaped as XML demands",
    "utf8": "has bytes that are not UTF-8",
    "control": "has characters that XML does not allow",
}


class Absent:
    """What an empty `type` says: nothing."""


ABSENT = Absent()
Place: TypeAlias = Element | Attribute
"""Where a member of the object stands in the text."""


class Reading(Struct):
    """An object, and where each of its members stands; the last place of each is the one read."""

    value: Object
    places: dict[str, list[Place]]
    problems: list[Problem]

    def add(self, key: str, item: Json | Absent, place: Place) -> None:
        """Take one member."""
        if key in self.value:
            what = f"{key[:40]!r} stands twice"
            self.problems.append(Problem("duplicate-key", place.start, what))
        self.places.setdefault(key, []).append(place)
        if not isinstance(item, Absent):
            self.value[key] = item
        else:
            self.value.pop(key, None)

    def odd(self, words: elements.Words, name: str, at: int) -> str:
        """The text of some words, its oddities noted."""
        self.problems += [Problem(code, at, f"{name[:40]} {_WHAT[code]}") for code in words.odd]
        return words.text


class Span(NamedTuple):
    """A stretch of the text."""

    start: int
    stop: int


NOWHERE = Span(0, 0)


def read(text: bytes, element: Element, *, without: Span = NOWHERE) -> Reading:
    """The object that an element holds; what stands among its replies is not its own."""
    found = Reading(dict(element.fields or {}), {}, [])
    for each in attributes(text, element):
        if ":" not in each.name and each.name != "xmlns":
            words = elements.decode_attribute(text[each.inside : each.end])
            found.add(each.name, natural(each.name, found.odd(words, each.name, each.start)), each)
    for child in element.children:
        if without.start <= child.start and child.stop <= without.stop:
            if child.kind not in (Kind.LIST, Kind.COMMENT) and not child.filled:
                what = f"<{child.name[:40]}> stands among replies and is not read"
                found.problems.append(Problem("unknown-record", child.start, what))
        else:
            _read_child(text, child, found)
    return found


def _read_child(text: bytes, child: Element, found: Reading) -> None:
    match child.kind:
        case Kind.LIST:
            found.value.setdefault(CHILDREN, [])
        case Kind.ITEMS:
            found.add(child.name, [_item(text, each, found) for each in child.children], child)
        case Kind.LEAF | Kind.OTHER if not child.closed or child.filled:
            pass
        case Kind.LEAF if child.name == EXTRA:
            _read_extra(text, child, found)
        case Kind.LEAF | Kind.OTHER:
            found.add(child.name, leaf(text, child, found), child)
        case _:
            pass


def _item(text: bytes, element: Element, found: Reading) -> Json:
    """One attachment or artifact."""
    if element.kind is Kind.LEAF:
        item = leaf(text, element, found)
        return None if isinstance(item, Absent) else item
    inner = read(text, element)
    found.problems += inner.problems
    return inner.value


def leaf(text: bytes, element: Element, found: Reading) -> Json | Absent:
    """The value of an element of text."""
    raw = text[element.inside : element.end]
    if element.children:
        return utf8.decode(raw)
    words = found.odd(elements.decode(raw), element.name, element.start)
    if encoded_as_json(text, element):
        decoded = decode.decode(utf8.encode(words))
        if decoded.usable:
            return decoded.value
        what = f"the JSON in {element.name} cannot be read"
        found.problems.append(Problem("syntax", element.start, what))
    return natural(element.name, words)


def _read_extra(text: bytes, element: Element, found: Reading) -> None:
    words = found.odd(elements.decode(text[element.inside : element.end]), EXTRA, element.start)
    decoded = decode.decode(utf8.encode(words))
    if not decoded.usable or not isinstance(decoded.value, dict):
        found.add(EXTRA, words, element)
        return
    for key, item in decoded.value.items():
        found.add(key, item, element)


def torn_leaves(text: bytes, element: Element) -> Object:
    """The members of a torn comment, the text of those without an end as far as it goes."""
    value = dict(read(text, element).value)
    for child in element.children:
        if child.kind is Kind.LEAF and not child.closed and child.name not in ("timestamp", EXTRA):
            raw = _before_the_tear(text[child.inside : child.end])
            means = natural(child.name, elements.decode(raw).text)
            if not isinstance(means, Absent):
                value.setdefault(child.name, means)
    return value


def _before_the_tear(raw: bytes) -> bytes:
    """A text without the piece of a sign that it ends with, and with its section closed."""
    section = raw.rfind(elements.CDATA) > raw.rfind(b"]]>")
    if section:
        return _TORN_SECTION.sub(b"", raw) + b"]]>"
    wrong = _WRONG_END.fullmatch(raw)
    if wrong is not None:
        # An end tag that ends nothing is the one that is missing, misspelt.
        raw = raw[: wrong.start(1)]
    return _without_torn_signs(raw).decode("utf-8", "ignore").encode()


def _without_torn_signs(raw: bytes) -> bytes:
    """A text without tags and references at its end that were never closed."""
    while True:
        raw = raw.rstrip()
        nearest = max(0, len(raw) - _LONGEST_SIGN)
        at = max(raw.rfind(b"<", nearest), raw.rfind(b"&", nearest))
        if at < 0 or _TORN_SIGN.fullmatch(raw, at) is None:
            return raw
        raw = raw[:at]


def natural(name: str, words: str) -> Json | Absent:
    """What the text of an element means without further marks."""
    match name:
        case "type" if not words:
            return ABSENT
        case "timestamp":
            return _number(words.strip(" \t\n"), words)
        case "deleted" if words.strip(" \t\n") in ("true", "false"):
            return words.strip(" \t\n") == "true"
        case _:
            return words


def _number(digits: str, words: str) -> Json:
    if _INTEGER.fullmatch(digits):
        return int(digits)
    try:
        number = float(digits)
    except ValueError:
        return words
    return number if repr(number) == digits and number - number == 0 else words


def in_words(name: str, item: Json) -> str | None:
    """The text that means this value in an element of this name, if there is one."""
    match item:
        case str():
            words = item
        case bool() if name == "deleted":
            words = "true" if item else "false"
        case int() | float() if name == "timestamp" and not isinstance(item, bool):
            words = repr(item)
        case _:
            return None
    means = natural(name, words)
    readable = not isinstance(means, Absent) and same(means, item) and elements.holds(words)
    return words if readable else None


def in_json(item: Json) -> bytes:
    """A value as JSON between the tags of an element."""
    text = encode(item, ASCII).decode()
    if not elements.holds(text):
        raise WouldLose(
            "studio-xml cannot hold a value that is no JSON", hint="write it to another format"
        )
    return elements.encode(text)
