"""What many JSON values are made of, seen in one walk: to know quickly that nothing is odd there.

A reader that takes the last of two members with one name drops the other without a word. Each
string has two quotes in the text, so where the text has just the quotes that the strings of its
value account for, nothing was dropped, however it is laid out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from talktree.text.json.value import Json
from talktree.text.numpy_scan import QUOTE, count_byte, count_escaped_quotes, is_worth

SHALLOW = 100
"""Values that are not nested deeper are surely not too deep for anybody."""
LARGE = 1e15
"""Numbers nearer to nought have fewer than sixteen digits, and every reader holds them."""
PIECE = 1 << 16
"""How much of a text is looked at together."""
_ESCAPED = re.compile(rb'\\[\\"]')
"""A backslash or a quote inside of a string."""


def is_fully_represented(data: bytes, values: Sequence[Json]) -> bool:
    """Whether values hold all that their texts say, and all readers take them alike."""
    strings, largest, depth = _survey_values(values)
    if depth > SHALLOW or largest >= LARGE:
        return False
    quotes = (count_byte(data, QUOTE) if is_worth(len(data)) else data.count(b'"')) - 2 * strings
    return not quotes or quotes == _count_quotes_inside(data)


def _count_quotes_inside(data: bytes) -> int:
    """How many quotes stand inside of strings, where they are not written by their number."""
    found = count_escaped_quotes(data) if is_worth(len(data)) else None
    return count_escaped_quotes_by_byte(data) if found is None else found


def count_escaped_quotes_by_byte(data: bytes) -> int:
    """The same, byte by byte."""
    count = at = 0
    while at < len(data):
        end = at + PIECE
        while data[end - 1 : end] == b"\\":
            end += 1
        # What follows a backslash that is escaped itself is not escaped, so both are passed over.
        count += _ESCAPED.findall(data, at, end).count(b'\\"')
        at = end
    return count


def _survey_values(values: Sequence[Json]) -> tuple[int, float, int]:
    """How many strings there are, names among them, the largest number, and how deep it goes."""
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
    """All strings in one, names of members among them, to ask all of them at once."""
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
