"""Reads values in their notations: quoted, over several lines, or bare."""

from __future__ import annotations

import re
from typing import NamedTuple

LONGEST = 8192
LONGEST_BARE = 1024
"""The same for unquoted values, unless they are entirely base64."""
_BASE64 = re.compile(rb"[A-Za-z0-9+/]+={0,2}")
_OPENING = re.compile(rb"[bBrRfFuUL@$]{0,2}(\\{0,7})(\"|'|`|&quot;)")
_BODY = {
    quote: re.compile(rb"[^%b\\\n]*(?:\\.[^%b\\\n]*)*" % (quote, quote))
    for quote in (b'"', b"'", b"`")
}
_JOINT = re.compile(
    rb"\\{0,7}[\"'`](?:[ \t]*(?:\+|\.|&|\\)[ \t]*(?:\\?\r?\n|\\n)?|[ \t]*(?:\r?\n|\\n))[ \t+]*"
    rb"[bru]?\\{0,7}[\"'`]"
)
_BARE = re.compile(rb"(?:[^ \t\n\r\f\v\"'`<>\\]+|[\"'`](?=[\w!@#%^&*+-])|\\(?![nrt\"'\\/u\s]))+")
_CONTINUED = re.compile(rb"\\\r?\n[ \t]*([\w+/=.~-]+)")
_LINE = re.compile(rb"[^\r\n\\\"'`]+")
BLOCK = re.compile(rb"[|>][+-]?[0-9]?[ \t]*(?:\r?\n|\\n)([ \t]+)")
_FOLDED = re.compile(rb"[^\s\"'\\]+(?:\n[ \t]+[^\s\"':\\]+(?=\n|\Z))*")


class WrittenValue(NamedTuple):
    """A value in a text."""

    start: int
    stop: int
    text: bytes
    """Without the text that joins its pieces."""
    quoted: bool
    end: int
    """Where its text ends, including its closing quote."""


def read_value(data: bytes, at: int) -> WrittenValue | None:
    """Return the value at this place, quoted or bare."""
    opening = _OPENING.match(data, at)
    if opening is not None:
        return _read_quoted(data, opening)
    block = BLOCK.match(data, at)
    if block is not None:
        folded = _FOLDED.match(data, block.end(), block.end() + LONGEST)
        if folded is None:
            return None
        text = b"".join(folded.group().split())
        return WrittenValue(folded.start(), folded.end(), text, True, folded.end())
    if data[at : at + 1] == b"(":
        # Python puts strings of several lines in parentheses.
        inside = at + 1 + len(data[at + 1 : at + 40]) - len(data[at + 1 : at + 40].lstrip())
        opening = _OPENING.match(data, inside)
        return None if opening is None or inside == at + 1 else _read_quoted(data, opening)
    return _read_bare(data, at)


def read_line(data: bytes, at: int) -> WrittenValue | None:
    """Return the rest of the line."""
    found = _LINE.match(data, at, at + LONGEST)
    if found is None:
        return None
    text = found.group().rstrip(b" \t.,;")
    return WrittenValue(at, at + len(text), text, False, at + len(text))


def _read_bare(data: bytes, at: int) -> WrittenValue | None:
    found = _BARE.match(data, at, at + LONGEST_BARE)
    if found is not None and found.end() == at + LONGEST_BARE and _BASE64.fullmatch(found.group()):
        found = _BARE.match(data, at, at + LONGEST)
    if found is None:
        return None
    text, stop = found.group(), found.end()
    while (more := _CONTINUED.match(data, stop)) is not None:
        text, stop = text + more.group(1), more.end()
    return WrittenValue(at, stop, text, False, stop)


def _read_quoted(data: bytes, opening: re.Match[bytes]) -> WrittenValue | None:
    start = opening.end()
    first = _find_closing_quote(data, start, *opening.groups())
    if first is None:
        return None
    pieces, stop = [data[start:first]], first
    while len(pieces) < 64 and (joint := _JOINT.match(data, stop)) is not None:
        opened = _OPENING.match(data, joint.end() - len(opening.group(2)) - len(opening.group(1)))
        following = (
            None if opened is None else _find_closing_quote(data, opened.end(), *opened.groups())
        )
        if opened is None or following is None:
            break
        pieces.append(data[opened.end() : following])
        stop = following
    end = stop + len(opening.group(1)) + len(opening.group(2))
    return WrittenValue(start, stop, b"".join(pieces), True, end)


def _find_closing_quote(data: bytes, start: int, escapes: bytes, quote: bytes) -> int | None:
    """Return where the quoted text ends; the end of the text if it was cut off there."""
    limit = start + LONGEST
    if quote == b"&quot;":
        found = data.find(quote, start, limit)
        return found if found >= 0 else None
    if not escapes:
        body = _BODY[quote].match(data, start, limit)
        assert body is not None
        if data[body.end() : body.end() + 1] == quote:
            return body.end()
        return body.end() if body.end() == len(data) else None
    closing = _closing_pattern(len(escapes), quote).search(data, start, limit)
    return None if closing is None else closing.start()


_closings: dict[tuple[int, bytes], re.Pattern[bytes]] = {}


def _closing_pattern(escapes: int, quote: bytes) -> re.Pattern[bytes]:
    """Return a pattern for a quote after exactly as many backslashes as the opening one has."""
    found = _closings.get((escapes, quote))
    if found is None:
        found = re.compile(rb"(?<!\\)\\{%d}%b" % (escapes, quote))
        _closings[escapes, quote] = found
    return found
