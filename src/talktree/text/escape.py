r"""The one gate to a terminal: every active character is escaped.

Control characters, surrogates, and characters without a glyph (text direction, zero width, tags)
become `\x1b`, `\u202e`, `\U000e0041`. Everything a command prints, including titles, ids, names and
errors, passes through here.
"""

from __future__ import annotations

import re
from functools import cache

_FORMAT = (
    "\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Format characters, line and paragraph separators, and the plane of invisible tags."""
_ACTING = f"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_FORMAT}]"
_ACTING_IN_LINE = f"[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff{_FORMAT}]"
_NAMED = {"\n": "\\n", "\r": "\\r"}
_COLOURS = re.compile(r"\x1b\[[0-9;:]{0,64}m")


def escape_text(text: str) -> str:
    """Return the text with every active character escaped; tabs and newlines stay."""
    return text if _is_plain(text) else _compile_pattern(_ACTING).sub(_escape_match, text)


def escape_line(text: str) -> str:
    """Return the text as one line: newlines are escaped as well."""
    return text if _is_plain(text) else _compile_pattern(_ACTING_IN_LINE).sub(_escape_match, text)


def strip_colors(text: str) -> str:
    """Return the output of a program without colour sequences."""
    return _COLOURS.sub("", text) if "\x1b" in text else text


def escape_json(text: str) -> str:
    """Return JSON text with such characters escaped, which does not change its meaning."""
    return _compile_pattern(_ACTING).sub(_escape_characters, text)


@cache
def _compile_pattern(acting: str) -> re.Pattern[str]:
    """Compile a pattern on first use: most output does not need it."""
    return re.compile(acting)


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _escape_match(found: re.Match[str]) -> str:
    char = found.group()
    code = ord(char)
    if char in _NAMED:
        return _NAMED[char]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape_characters(found: re.Match[str]) -> str:
    units = found.group().encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
