"""Masking secrets in bytes with stars, so that files keep their length and stay readable.

Every byte of a secret becomes a star, apart from line ends and the zeros of UTF-16. That is valid
in JSON and XML, even in place of an escape, and no other byte moves: versions, edits and the tree
stay the same.
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
"""How many bytes before an offset are searched for the beginning of an escape."""
_QUOTE = re.compile(rb'(?<!\\)(?:\\\\)*"')


def mask_spans(data: bytes, spans: Iterable[Span]) -> bytes:
    """Return the data with some spans masked."""
    made = bytearray(data)
    for start, stop in spans:
        made[start:stop] = data[start:stop].translate(_STARS)
    return bytes(made)


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Return the same spans in order, with overlapping ones merged."""
    found: list[Span] = []
    for start, stop in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(stop, found[-1][1])
        elif start < stop:
            found.append((start, stop))
    return found


def clip_to_string(data: bytes, span: Span) -> Span | None:
    """Return the part of a span in JSON that is whole escapes and characters of one string.

    None if the bytes are something else: the span begins within an escape, or contains the
    quotation mark that ends a string.
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
    """Return how many backslashes are directly before an offset."""
    at = stop
    while at > 0 and data[at - 1] == 0x5C:
        at -= 1
    return stop - at
