"""The inside of JSON strings: escapes to characters, whatever the bytes are."""

from __future__ import annotations

import re

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
        out.append(_escaped(found.group(1)))
        at = found.end()
    out.append(raw[at:].decode("utf-8", "surrogateescape"))
    return "".join(out)


def _escaped(code: bytes) -> str:
    if len(code) == 11:
        high, low = int(code[1:5], 16), int(code[7:11], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    if len(code) == 5:
        return chr(int(code[1:], 16))
    # An escape JSON does not know keeps its backslash, as the text shows it.
    return _SIMPLE.get(code, "\\" + code.decode("utf-8", "surrogateescape"))
