"""The result of a JSON scan: nodes with their byte ranges, and oddities.

Also: the literals of JSON and common wrong ones, and decoding the inside of JSON strings, whatever
the bytes are.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from talktree.text.json.value import Json


class NodeKind(IntEnum):
    """The kind of a node."""

    OBJECT = 0
    ARRAY = 1
    SCALAR = 2


class Problem(NamedTuple):
    """A place where the text is not plain JSON."""

    code: str
    at: int
    what: str


class JsonNode:
    """One value in the text: its range, its kind, and for containers its items."""

    __slots__ = ("children", "closed", "key", "key_at", "kind", "start", "stop", "value")

    def __init__(self, kind: NodeKind, start: int, key: str | None, key_at: int) -> None:
        self.kind = kind
        self.start = start
        self.stop = -1
        self.key = key
        """The member's name, if it is in an object."""
        self.key_at = key_at
        """Where the member starts: at its name, or at the value itself."""
        self.closed = False
        """Whether the text contains its closing bracket."""
        self.children: list[JsonNode] = NO_NODES
        self.value: Json = None


NO_NODES: list[JsonNode] = []
"""The items of a scalar; shared and never changed."""


class JsonScan(NamedTuple):
    """The values found at top level, and everything that was odd."""

    roots: list[JsonNode]
    problems: list[Problem]
    complete: bool
    """False if the text ended inside a value."""


def fill_containers(found: JsonScan) -> JsonScan:
    """Return the scan with the values of containers assembled."""
    for root in found.roots:
        _fill_root(root)
    return found


def _fill_root(root: JsonNode) -> None:
    """Put the values of all nodes into the values of their containers."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node.value, dict):
            for child in node.children:
                if child.key is not None:
                    node.value[child.key] = child.value
        elif isinstance(node.value, list):
            node.value.extend(child.value for child in node.children)
        pending.extend(child for child in node.children if child.kind is not NodeKind.SCALAR)


SPACE = re.compile(rb"[ \t\r\n]*")
STRING = re.compile(rb'"[^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*+)*+"', re.DOTALL)
LOOSE_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
STRING_OR_BLANKS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|([ \t\r\n]++)', re.DOTALL)
SOUND_ESCAPES = re.compile(rb'[^\\]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^\\]*+)*+')
COLON = re.compile(rb"[ \t\r\n\x00]*+:")
COLONLESS = re.compile(rb"[ \t\r\n\x00]*+[\[{]")
"""A list or an object directly after a name."""
NULS = re.compile(rb"\x00+")
CONTROL = re.compile(rb"[\x01-\x1f]")
NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?(?=[ \t\r\n\x00,\]}]|$)")
MEMBER = re.compile(
    rb'[ \t\r\n]*+"([ !#-\[\]-~]*+)"[ \t\r\n]*+:[ \t\r\n]*+'
    rb'(?:"([ !#-\[\]-~]*+)"|(-?(?:0|[1-9][0-9]{0,14}+))|(true|false|null))'
    rb"[ \t\r\n]*+(?:,|(?=\}))"
)
"""A whole member of an object in the most common form."""
FLAT = re.compile(rb'[\[{](?:[^"\[\]{}\x00]++|"[^"\\\x00-\x1f]*+")*+[\]}]')
"""A container without other containers and escapes inside."""
LONG_DIGITS = re.compile(rb"[0-9]{16}")
WORD = re.compile(rb'[^\s\x00,\[\]{}":]+')
COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
WORDS: dict[bytes, Json] = {b"true": True, b"false": False, b"null": None}


_PAIR = rb"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(rb"\\(" + _PAIR + rb"|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_SIMPLE = dict(
    zip((b'"', b"\\", b"/", b"b", b"f", b"n", b"r", b"t"), '"\\/\b\f\n\r\t', strict=True)
)


def unescape(raw: bytes) -> str:
    """Return the text inside a JSON string; bytes that are not UTF-8 become lone surrogates."""
    text = raw.decode("utf-8", "surrogateescape")
    if "\\" not in text:
        return text
    out: list[str] = []
    at = 0
    for found in _ESCAPE.finditer(raw):
        out.append(raw[at : found.start()].decode("utf-8", "surrogateescape"))
        out.append(_decode_escape(found.group(1)))
        at = found.end()
    out.append(raw[at:].decode("utf-8", "surrogateescape"))
    return "".join(out)


def _decode_escape(code: bytes) -> str:
    if len(code) == 11:
        high, low = int(code[1:5], 16), int(code[7:11], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    if len(code) == 5:
        return chr(int(code[1:], 16))
    # An unknown escape keeps its backslash, as in the text.
    return _SIMPLE.get(code, "\\" + code.decode("utf-8", "surrogateescape"))
