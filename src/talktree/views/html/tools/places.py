"""Where in a file a replaced text was, as far as the tool's answer contains it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from talktree.model.parts import ToolResult

MOST_HUNKS = 200
MOST_LINES = 5_000
SIGNS = ("", " ", "+", "-", "\\")
"""First characters of the lines of a hunk: unchanged, added, removed, or a remark."""
LAST = 1 << 40
"""No file has this many lines."""


class LineNumbers(NamedTuple):
    """The numbers of the first line before and after, from 1."""

    old: int
    new: int


class Hunk(NamedTuple):
    """A range of a file before and after an edit, from these lines on."""

    old_start: int
    new_start: int
    old: str
    new: str
    lines: tuple[str, ...]


def read_hunks(result: ToolResult | None) -> list[Hunk]:
    """Return the hunks in the answer of an editing tool; none if they are inconsistent."""
    detail = None if result is None or result.error else result.detail
    words = detail.get("structuredPatch") if isinstance(detail, Mapping) else None
    return list(_parse_hunks(words)) if isinstance(words, list | tuple) else []


def _parse_hunks(words: list[object] | tuple[object, ...]) -> Iterator[Hunk]:
    for each in words[:MOST_HUNKS]:
        if not isinstance(each, Mapping):
            continue
        first, second = _parse_number(each.get("oldStart")), _parse_number(each.get("newStart"))
        lines = _parse_lines(each.get("lines"))
        if first is None or second is None or lines is None:
            continue
        old, new = ("\n".join(_select_side(lines, sign)) for sign in "-+")
        yield Hunk(first, second, old, new, lines)


def _parse_number(words: object) -> int | None:
    return words if type(words) is int and 0 <= words < LAST else None


def _parse_lines(words: object) -> tuple[str, ...] | None:
    if not isinstance(words, list | tuple) or len(words) > MOST_LINES:
        return None
    lines = tuple(line for line in words if isinstance(line, str) and line[:1] in SIGNS)
    return lines if len(lines) == len(words) else None


def _select_side(lines: tuple[str, ...], sign: str) -> list[str]:
    return [line[1:] for line in lines if line[:1] in ("", " ", sign)]


def find_line_numbers(old: str, new: str, found: list[Hunk]) -> LineNumbers | None:
    """Return where the replaced text was; None if no hunk contains both texts."""
    for hunk in found:
        at, there = hunk.old.find(old), hunk.new.find(new)
        if at >= 0 and there >= 0 and (old or new):
            if old:
                return _skip_old_lines(hunk, hunk.old.count("\n", 0, at))
            return LineNumbers(
                max(1, hunk.old_start), hunk.new_start + hunk.new.count("\n", 0, there)
            )
    return None


def _skip_old_lines(hunk: Hunk, skipped: int) -> LineNumbers:
    """Return the place after a number of lines of the old side, on both sides."""
    before = after = 0
    for line in hunk.lines:
        sign = line[:1]
        if before == skipped and sign != "+":
            break
        before += sign in ("", " ", "-")
        after += sign in ("", " ", "+")
    return LineNumbers(hunk.old_start + skipped, hunk.new_start + after)
