"""Replacing secrets in bytes by stars, so that files stay as long and as readable as they were.

Every byte of a secret becomes a star, apart from line ends and the zeros of UTF-16. That is valid
in JSON and XML, also in the place of an escape, and no other byte moves: versions, edits and the
tree stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

Span = tuple[int, int]
STAR = ord("*")
KEPT = frozenset(b"\0\n\r")
_STARS = bytes(each if each in KEPT else STAR for each in range(256))
_IN_UNIT = re.compile(rb"(\\+)u[0-9a-fA-F]{0,3}$")
_LOOK_BACK = 64
"""How many bytes before a place are looked at, if they are not backslashes."""
_QUOTE = re.compile(rb'(?<!\\)(?:\\\\)*"')


def mask_spans(data: bytes, spans: Iterable[Span]) -> bytes:
    """The data with stars in some places."""
    made = bytearray(data)
    for start, stop in spans:
        made[start:stop] = data[start:stop].translate(_STARS)
    return bytes(made)


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """The same places in order, those that overlap as one."""
    found: list[Span] = []
    for start, stop in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(stop, found[-1][1])
        elif start < stop:
            found.append((start, stop))
    return found


def clip_to_string(data: bytes, span: Span) -> Span | None:
    """The part of a place in JSON that is whole escapes and characters of one string.

    None if the bytes there are something else: the place begins within an escape, or the quotation
    mark that ends a string is in it.
    """
    start, stop = span
    if _count_backslashes(data, start) % 2:
        return None
    unit = _IN_UNIT.search(data, max(0, start - _LOOK_BACK), start)
    if unit is not None and _count_backslashes(data, unit.end(1)) % 2:
        return None
    if data.find(b'"', start, stop) >= 0 and _QUOTE.search(data[start:stop]):
        return None
    return start, stop - _count_backslashes(data, stop) % 2


def _count_backslashes(data: bytes, stop: int) -> int:
    """How many backslashes are right before a place."""
    at = stop
    while at > 0 and data[at - 1] == 0x5C:
        at -= 1
    return stop - at
