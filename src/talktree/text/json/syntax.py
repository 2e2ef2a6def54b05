"""What a scan of a JSON text gives: nodes with the places of their bytes, and oddities.

The words JSON is made of, and those that stand in its place when it is broken.

The inside of JSON strings: escapes to characters, whatever the bytes are.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from talktree.text.json.value import Json


class NodeKind(IntEnum):
    """What a node is."""

    OBJECT = 0
    ARRAY = 1
    SCALAR = 2


class Problem(NamedTuple):
    """One place where the text is not plain JSON."""

    code: str
    at: int
    what: str


class JsonNode:
    """One value in the text: where it stands, what it is, and for containers what is inside."""

    __slots__ = ("children", "closed", "key", "key_at", "kind", "start", "stop", "value")

    def __init__(self, kind: NodeKind, start: int, key: str | None, key_at: int) -> None:
        self.kind = kind
        self.start = start
        self.stop = -1
        self.key = key
        """The member's name, if it stands in an object."""
        self.key_at = key_at
        """Where the member starts: at its name, or at the value itself."""
        self.closed = False
        """Whether the text has its closing bracket."""
        self.children: list[JsonNode] = NO_NODES
        self.value: Json = None


NO_NODES: list[JsonNode] = []
"""What is inside a scalar; it is shared and never changed."""


class JsonScan(NamedTuple):
    """The outcome: the values found at top level, and everything that was odd."""

    roots: list[JsonNode]
    problems: list[Problem]
    complete: bool
    """False if the text ended inside a value."""


def fill_containers(found: JsonScan) -> JsonScan:
    """What was found, with the values of containers put together."""
    for root in found.roots:
        _fill_root(root)
    return found


def _fill_root(root: JsonNode) -> None:
    """Hang the values of all nodes into the values of their containers."""
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
"""A list or an object right behind a name."""
NULS = re.compile(rb"\x00+")
CONTROL = re.compile(rb"[\x01-\x1f]")
NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?(?=[ \t\r\n\x00,\]}]|$)")
MEMBER = re.compile(
    rb'[ \t\r\n]*+"([ !#-\[\]-~]*+)"[ \t\r\n]*+:[ \t\r\n]*+'
    rb'(?:"([ !#-\[\]-~]*+)"|(-?(?:0|[1-9][0-9]{0,14}+))|(true|false|null))'
    rb"[ \t\r\n]*+(?:,|(?=\}))"
)
"""A whole member of an object, of the kind nearly all members are."""
FLAT = re.compile(rb'[\[{](?:[^"\[\]{}\x00]++|"[^"\\\x00-\x1f]*+")*+[\]}]')
"""A container with no other container and no escape inside."""
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
    """The text of a JSON string's inside; bytes that are no UTF-8 become lone surrogates."""
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
    # An escape JSON does not know keeps its backslash, as the text shows it.
    return _SIMPLE.get(code, "\\" + code.decode("utf-8", "surrogateescape"))
