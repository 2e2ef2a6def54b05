"""A fast check in one pass over many JSON values: whether there can be any oddity.

A reader that takes the last of two members with the same name silently drops the other. Each string
has two quotes in the text, so if the text has exactly as many quotes as the strings of its value,
nothing was dropped, whatever its layout.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from talktree.text.json.value import Json
from talktree.text.numpy_scan import QUOTE, count_byte, count_escaped_quotes, is_worth

SHALLOW = 100
"""Values nested at most this deep are not too deep for any reader."""
LARGE = 1e15
"""Numbers closer to zero have fewer than sixteen digits, so that every reader holds them
exactly."""
PIECE = 1 << 16
"""How much of a text is processed at a time."""
_ESCAPED = re.compile(rb'\\[\\"]')
"""An escaped backslash or quote inside a string."""


def is_fully_represented(data: bytes, values: Sequence[Json]) -> bool:
    """Whether values contain everything in their texts, and all readers read them alike."""
    strings, largest, depth = _survey_values(values)
    if depth > SHALLOW or largest >= LARGE:
        return False
    quotes = (count_byte(data, QUOTE) if is_worth(len(data)) else data.count(b'"')) - 2 * strings
    return not quotes or quotes == _count_quotes_inside(data)


def _count_quotes_inside(data: bytes) -> int:
    """Return how many quotes are inside strings, without those escaped by number."""
    found = count_escaped_quotes(data) if is_worth(len(data)) else None
    return count_escaped_quotes_by_byte(data) if found is None else found


def count_escaped_quotes_by_byte(data: bytes) -> int:
    """Return the same, counted byte by byte."""
    count = at = 0
    while at < len(data):
        end = at + PIECE
        while data[end - 1 : end] == b"\\":
            end += 1
        # What follows an escaped backslash is not escaped, so both are skipped.
        count += _ESCAPED.findall(data, at, end).count(b'\\"')
        at = end
    return count


def _survey_values(values: Sequence[Json]) -> tuple[int, float, int]:
    """Return the number of strings, names included, the largest number, and the depth."""
    strings, depth = 0, 0
    numbers: list[float] = [0]
    number = numbers.append
    level: list[Json] = [list(values)]
    while level:
        deeper: list[Json] = []
        depth += 1
        for held in level:
            if type(held) is dict:
                strings += len(held)
            for item in held.values() if type(held) is dict else held:  # type: ignore[union-attr]
                kind = type(item)
                if kind is str:
                    strings += 1
                elif kind is dict or kind is list:
                    deeper.append(item)
                elif kind is int or kind is float:
                    number(item)  # type: ignore[arg-type]
        level = deeper
    return strings, max(max(numbers), -min(numbers)), depth


def join_strings(values: Sequence[Json]) -> str:
    """Return all strings joined, member names included, to test all of them together."""
    found: list[str] = []
    pending: list[Json] = [list(values)]
    while pending:
        held = pending.pop()
        if type(held) is dict:
            found += held
        for item in held.values() if type(held) is dict else held:  # type: ignore[union-attr]
            kind = type(item)
            if kind is str:
                found.append(item)  # type: ignore[arg-type]
            elif kind is dict or kind is list:
                pending.append(item)
    return "".join(found)
