"""Text as HTML text: no character is active, and invisible ones are shown."""

from __future__ import annotations

import re

_ODD = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff"
    "\U000e0000-\U000e0fff]"
)
"""Control characters, surrogates, direction marks, invisible tags."""
_ODD_BYTES = bytes([*range(9), *range(11, 32), 127])
_PICTURES = 0x2400


def escape(text: str) -> str:
    """Return the text as HTML text, also valid inside double or single quotes."""
    text = escape_visible(text)
    if "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text:
        text = text.replace("<", "&lt;")
    if ">" in text:
        text = text.replace(">", "&gt;")
    if '"' in text:
        text = text.replace('"', "&quot;")
    if "'" in text:
        text = text.replace("'", "&#39;")
    return text


def escape_visible(text: str) -> str:
    """Return the text with every active or invisible character written out."""
    if text.isascii():
        if text.isprintable():
            return text
        raw = text.encode("ascii")
        if len(raw.translate(None, _ODD_BYTES)) == len(raw):
            return text
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    return _ODD.sub(_escape_character, text)


def _escape_character(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x20:
        return chr(_PICTURES + code)
    if code == 0x7F:
        return "\u2421"
    if 0xD800 <= code < 0xE000:
        return "\ufffd"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
