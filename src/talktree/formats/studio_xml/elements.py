"""The elements of an XML file of comments, with the offsets of their tags, and their text.

Offsets are in the bytes of the scanned text. Attributes are parsed on demand.

Decoding follows XML: entities, sections, line ends. Undeclared entities and a bare `&` are read as
text. Encoding writes only what every XML parser reads back as the same characters; text that XML
cannot hold (control characters, surrogates) is not written here at all.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from talktree.formats.lens import Object
from talktree.text import utf8

CDATA = b"<![CDATA["
_MARK = re.compile(rb"<!\[CDATA\[|<!--|<\?|&|\]\]>")
_REFERENCE = re.compile(rb"&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));")
_NAMED = {b"amp": "&", b"lt": "<", b"gt": ">", b"quot": '"', b"apos": "'"}
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]")
_NO_CONTROL = bytes({*range(0x20, 0x100), *b"\t\n\r"})
_UNHOLDABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class Words(NamedTuple):
    """A text and the oddities of its bytes as problem codes."""

    text: str
    odd: tuple[str, ...] = ()


def decode(raw: bytes) -> Words:
    """Return the text between the tags of an element."""
    if b"<" not in raw and b"&" not in raw and b"]]>" not in raw:
        return Words(_decode_plain(raw), _find_odd_bytes(raw))
    if raw.startswith(CDATA) and raw.find(b"]]>") == len(raw) - 3:
        return Words(_decode_plain(raw[len(CDATA) : -3]), _find_odd_bytes(raw))
    found = _Decoder(raw)
    found.run()
    if found.loose_end and raw.startswith(CDATA) and raw.endswith(b"]]>"):
        # XML has no `]]>` in text: some program put a text with it into a section without splitting
        # it.
        return Words(_decode_plain(raw[len(CDATA) : -3]), ("syntax", *_find_odd_bytes(raw)))
    return Words("".join(found.out), (*found.odd, *_find_odd_bytes(raw)))


class _Decoder:
    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.at = 0
        self.out: list[str] = []
        self.odd: dict[str, None] = {}
        self.loose_end = False
        self.missing: set[bytes] = set()

    def run(self) -> None:
        """Decode the whole text once."""
        raw = self.raw
        at = 0
        while (mark := _MARK.search(raw, at)) is not None:
            match mark.group():
                case b"<![CDATA[":
                    stop = raw.find(b"]]>", mark.end())
                    self._take_until(mark.start())
                    stop = len(raw) if stop < 0 else stop
                    self.out.append(_decode_plain(raw[mark.end() : stop]))
                    at = self.at = min(len(raw), stop + 3)
                case b"&":
                    at = self._decode_reference(mark.start())
                case b"]]>":
                    self.loose_end = True
                    at = mark.end()
                case b"<!--":
                    at = self._skip_markup(mark, b"-->")
                case _:
                    at = self._skip_markup(mark, b"?>")
        self._take_until(len(raw))

    def _take_until(self, stop: int) -> None:
        """Add the bytes from the current offset on, unchanged."""
        if b"<" in self.raw[self.at : stop]:
            self.odd["syntax"] = None
        self.out.append(_decode_plain(self.raw[self.at : stop]))
        self.at = stop

    def _skip_markup(self, mark: re.Match[bytes], ending: bytes) -> int:
        stop = -1 if ending in self.missing else self.raw.find(ending, mark.end())
        if stop < 0:
            self.missing.add(ending)
            return mark.end()
        self._take_until(mark.start())
        self.at = stop + len(ending)
        return self.at

    def _decode_reference(self, start: int) -> int:
        found = _REFERENCE.match(self.raw, start)
        char = None if found is None else _resolve_reference(found)
        if found is None or char is None:
            self.odd["syntax"] = None
            return start + 1
        self._take_until(start)
        self.out.append(char)
        self.at = found.end()
        return self.at


def _resolve_reference(found: re.Match[bytes]) -> str | None:
    decimal, hexadecimal, name = found.groups()
    if name is not None:
        return _NAMED[name]
    code = int(decimal) if decimal is not None else int(hexadecimal, 16)
    if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
        return None
    return chr(code)


def _decode_plain(raw: bytes) -> str:
    text = utf8.decode(raw)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _find_odd_bytes(raw: bytes) -> tuple[str, ...]:
    if raw.isascii():
        return ("control",) if raw.translate(None, _NO_CONTROL) else ()
    try:
        raw.decode()
    except UnicodeDecodeError:
        return ("utf8", "control") if CONTROL.search(raw) else ("utf8",)
    # Searching for the first byte of what is not allowed takes a tenth of the time.
    suspect = b"\xef\xbf" in raw or raw.translate(None, _NO_CONTROL)
    return ("control",) if suspect and CONTROL.search(raw) else ()


def decode_attribute(raw: bytes) -> Words:
    """Return the value of an attribute: blanks of any kind are spaces unless they were escaped."""
    return decode(re.sub(rb"\r\n|[\r\n\t]", b" ", raw).replace(b"<", b"&lt;"))


def can_write(text: str) -> bool:
    """Whether XML can represent this text."""
    return _UNHOLDABLE.search(text) is None


def encode(text: str, *, section: bool = False) -> bytes:
    """Return the bytes between the tags of an element, as one section or with escapes."""
    if not section:
        escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return escaped.replace("\r", "&#13;").encode()
    # A carriage return in a section would be read as a line feed, so it is written between two.
    inside = text.replace("]]>", "]]]]><![CDATA[>").replace("\r", "]]>&#13;<![CDATA[")
    return f"<![CDATA[{inside}]]>".encode()


def encode_attribute(text: str) -> bytes:
    """Return the bytes between the quotes of an attribute, for either kind of quote."""
    out = encode(text)
    for char, code in ((b'"', b"&#34;"), (b"'", b"&#39;"), (b"\n", b"&#10;"), (b"\t", b"&#9;")):
        out = out.replace(char, code)
    return out


COMMENT, COMMENTS, CHILDREN, EXTRA = "comment", "comments", "children", "extra"
CONTENT = "content"
FIELDS = {
    COMMENT: (
        "id",
        "userId",
        "type",
        "timestamp",
        "contentHash",
        CONTENT,
        "parentId",
        "deleted",
    ),
    "attachment": ("name", "type", "url"),
    "artifact": ("id", "type", "title", "info", "status", "command", CONTENT),
}
"""The elements that hold text, in the order in which they are written."""
ITEMS = {"attachments": "attachment", "artifacts": "artifact"}
"""The elements that hold a list, and the names of its items."""
KNOWN = frozenset(
    {COMMENT, COMMENTS, CHILDREN, EXTRA, *ITEMS, *ITEMS.values()}.union(*FIELDS.values())
)

_ATTRIBUTE = re.compile(rb"""\s([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


class ElementKind(IntEnum):
    """The kind of an element."""

    LIST = 0
    """Holds comments."""
    COMMENT = 1
    ITEMS = 2
    """Holds attachments or artifacts."""
    ITEM = 3
    LEAF = 4
    """Holds text, whatever is in it."""
    OTHER = 5


class Attribute(NamedTuple):
    """One attribute of a start tag."""

    name: str
    start: int
    """The start of the blank before its name."""
    inside: int
    end: int
    stop: int


class Element:
    """An element and its content."""

    __slots__ = (
        "bare",
        "children",
        "closed",
        "end",
        "fields",
        "filled",
        "holder",
        "inside",
        "kind",
        "name",
        "nested",
        "owner",
        "start",
        "stop",
        "taken",
        "truncated",
    )

    def __init__(
        self, name: str, kind: ElementKind, start: int, inside: int, *, bare: bool
    ) -> None:
        self.name = name
        self.kind = kind
        self.start = start
        self.inside = inside
        """The end of its start tag."""
        self.end = self.stop = inside
        """The start and the end of its end tag."""
        self.bare = bare
        """Whether it is a single tag, as in `<type/>`."""
        self.closed = bare
        self.truncated = False
        """Whether one of its own fields has no end."""
        self.filled = False
        """Whether it contains comments."""
        self.fields: Object | None = None
        """The values of the fields right after its start tag, if they were read together."""
        self.taken = inside
        """The end of those; they are not among its children."""
        self.owner = name
        """The owner of its fields: comment, attachment or artifact."""
        self.holder: Element | None = None
        """The element that contains it."""
        # A file is mostly leaves, and these have no children.
        self.children: list[Element] = NONE if kind is ElementKind.LEAF else []
        self.nested: list[Element] = [] if kind is ElementKind.COMMENT else NONE
        """The records nested in it, if it is a comment."""


NONE: list[Element] = []


def parse_attributes(text: bytes, element: Element) -> list[Attribute]:
    """Return the attributes of an element's start tag, in order."""
    if text.find(b"=", element.start, element.inside) < 0:
        return []
    return [
        Attribute(
            found.group(1).decode("utf-8", "surrogateescape"),
            found.start(),
            *found.span(2 if found.group(2) is not None else 3),
            found.end(),
        )
        for found in _ATTRIBUTE.finditer(text, element.start, element.inside)
    ]


def find_json_mark(text: bytes, element: Element) -> Attribute | None:
    """Return the attribute that marks the text of an element as JSON, or None."""
    for each in parse_attributes(text, element):
        if each.name == "encoding" and text[each.inside : each.end] == b"json":
            return each
    return None
