"""The text of elements and attributes: bytes to characters and back.

Reading follows XML: entities, sections, line ends. Entities nobody declared and a bare `&` are
taken as text. Writing gives only what every XML parser reads back as the same characters; text
that XML cannot hold (control characters, halves of surrogate pairs) is not written here at all.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from talktree.text import utf8

CDATA = b"<![CDATA["
_MARK = re.compile(rb"<!\[CDATA\[|<!--|<\?|&|\]\]>")
_REFERENCE = re.compile(rb"&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));")
_NAMED = {b"amp": "&", b"lt": "<", b"gt": ">", b"quot": '"', b"apos": "'"}
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]")
_NO_CONTROL = bytes({*range(0x20, 0x100), *b"\t\n\r"})
_UNHOLDABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class Words(NamedTuple):
    """A text and what was odd about its bytes: problem codes."""

    text: str
    odd: tuple[str, ...] = ()


def decode(raw: bytes) -> Words:
    """The text between the tags of an element."""
    if b"<" not in raw and b"&" not in raw and b"]]>" not in raw:
        return Words(_plain(raw), _odd_bytes(raw))
    if raw.startswith(CDATA) and raw.find(b"]]>") == len(raw) - 3:
        return Words(_plain(raw[len(CDATA) : -3]), _odd_bytes(raw))
    found = _Decoder(raw)
    found.run()
    if found.loose_end and raw.startswith(CDATA) and raw.endswith(b"]]>"):
        # XML has no `]]>` in text: somebody wrapped a text that holds it without splitting it.
        return Words(_plain(raw[len(CDATA) : -3]), ("syntax", *_odd_bytes(raw)))
    return Words("".join(found.out), (*found.odd, *_odd_bytes(raw)))


class _Decoder:
    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.at = 0
        self.out: list[str] = []
        self.odd: dict[str, None] = {}
        self.loose_end = False
        self.missing: set[bytes] = set()

    def run(self) -> None:
        """Go through the whole text once."""
        raw = self.raw
        at = 0
        while (mark := _MARK.search(raw, at)) is not None:
            match mark.group():
                case b"<![CDATA[":
                    stop = raw.find(b"]]>", mark.end())
                    self._take(mark.start())
                    stop = len(raw) if stop < 0 else stop
                    self.out.append(_plain(raw[mark.end() : stop]))
                    at = self.at = min(len(raw), stop + 3)
                case b"&":
                    at = self._reference(mark.start())
                case b"]]>":
                    self.loose_end = True
                    at = mark.end()
                case b"<!--":
                    at = self._skip(mark, b"-->")
                case _:
                    at = self._skip(mark, b"?>")
        self._take(len(raw))

    def _take(self, stop: int) -> None:
        """The bytes from where we are, as they stand."""
        if b"<" in self.raw[self.at : stop]:
            self.odd["syntax"] = None
        self.out.append(_plain(self.raw[self.at : stop]))
        self.at = stop

    def _skip(self, mark: re.Match[bytes], ending: bytes) -> int:
        stop = -1 if ending in self.missing else self.raw.find(ending, mark.end())
        if stop < 0:
            self.missing.add(ending)
            return mark.end()
        self._take(mark.start())
        self.at = stop + len(ending)
        return self.at

    def _reference(self, start: int) -> int:
        found = _REFERENCE.match(self.raw, start)
        char = None if found is None else _referred(found)
        if found is None or char is None:
            self.odd["syntax"] = None
            return start + 1
        self._take(start)
        self.out.append(char)
        self.at = found.end()
        return self.at


def _referred(found: re.Match[bytes]) -> str | None:
    decimal, hexadecimal, name = found.groups()
    if name is not None:
        return _NAMED[name]
    code = int(decimal) if decimal is not None else int(hexadecimal, 16)
    if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
        return None
    return chr(code)


def _plain(raw: bytes) -> str:
    text = utf8.decode(raw)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _odd_bytes(raw: bytes) -> tuple[str, ...]:
    if raw.isascii():
        return ("control",) if raw.translate(None, _NO_CONTROL) else ()
    try:
        raw.decode()
    except UnicodeDecodeError:
        return ("utf8", "control") if CONTROL.search(raw) else ("utf8",)
    # Looking for the first byte of what is not allowed is a tenth of the search for it.
    suspect = b"\xef\xbf" in raw or raw.translate(None, _NO_CONTROL)
    return ("control",) if suspect and CONTROL.search(raw) else ()


def decode_attribute(raw: bytes) -> Words:
    """The value of an attribute: blanks of any kind are spaces unless they were escaped."""
    return decode(re.sub(rb"\r\n|[\r\n\t]", b" ", raw).replace(b"<", b"&lt;"))


def holds(text: str) -> bool:
    """Whether XML has a way to write this text."""
    return _UNHOLDABLE.search(text) is None


def encode(text: str, *, section: bool = False) -> bytes:
    """The bytes between the tags of an element, as one section or with escapes."""
    if not section:
        escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return escaped.replace("\r", "&#13;").encode()
    # A carriage return in a section would be read as a line feed, so it stands between two.
    inside = text.replace("]]>", "]]]]><![CDATA[>").replace("\r", "]]>&#13;<![CDATA[")
    return f"<![CDATA[{inside}]]>".encode()


def encode_attribute(text: str) -> bytes:
    """The bytes between the quotes of an attribute, fit for either kind of quote."""
    out = encode(text)
    for char, code in ((b'"', b"&#34;"), (b"'", b"&#39;"), (b"\n", b"&#10;"), (b"\t", b"&#9;")):
        out = out.replace(char, code)
    return out
