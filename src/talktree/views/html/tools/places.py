"""Where in a file a replaced text stood, as far as the tool's answer tells it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from talktree.model.parts import ToolResult

MOST_HUNKS = 200
MOST_LINES = 5_000
SIGNS = ("", " ", "+", "-", "\\")
"""What lines of a stretch begin with: the same, came, went, or a remark."""
LAST = 1 << 40
"""No file has so many lines."""


class Place(NamedTuple):
    """The numbers of the first line before and after, from 1."""

    old: int
    new: int


class Hunk(NamedTuple):
    """A stretch of a file as it was and as it is, from some lines on."""

    old_start: int
    new_start: int
    old: str
    new: str
    lines: tuple[str, ...]


def hunks(result: ToolResult | None) -> list[Hunk]:
    """The stretches that the answer of an editing tool tells of; what makes no sense is none."""
    detail = None if result is None or result.error else result.detail
    told = detail.get("structuredPatch") if isinstance(detail, Mapping) else None
    return list(_hunks(told)) if isinstance(told, list | tuple) else []


def _hunks(told: list[object] | tuple[object, ...]) -> Iterator[Hunk]:
    for each in told[:MOST_HUNKS]:
        if not isinstance(each, Mapping):
            continue
        first, second = _number(each.get("oldStart")), _number(each.get("newStart"))
        lines = _lines(each.get("lines"))
        if first is None or second is None or lines is None:
            continue
        old, new = ("\n".join(_side(lines, sign)) for sign in "-+")
        yield Hunk(first, second, old, new, lines)


def _number(told: object) -> int | None:
    return told if type(told) is int and 0 <= told < LAST else None


def _lines(told: object) -> tuple[str, ...] | None:
    if not isinstance(told, list | tuple) or len(told) > MOST_LINES:
        return None
    lines = tuple(line for line in told if isinstance(line, str) and line[:1] in SIGNS)
    return lines if len(lines) == len(told) else None


def _side(lines: tuple[str, ...], sign: str) -> list[str]:
    return [line[1:] for line in lines if line[:1] in ("", " ", sign)]


def place_of(old: str, new: str, found: list[Hunk]) -> Place | None:
    """Where a text stood that was replaced by another; None if no stretch has both of them."""
    for hunk in found:
        at, there = hunk.old.find(old), hunk.new.find(new)
        if at >= 0 and there >= 0 and (old or new):
            if old:
                return _at_old(hunk, hunk.old.count("\n", 0, at))
            return Place(max(1, hunk.old_start), hunk.new_start + hunk.new.count("\n", 0, there))
    return None


def _at_old(hunk: Hunk, skipped: int) -> Place:
    """The place behind so many lines of the old side, on both sides."""
    before = after = 0
    for line in hunk.lines:
        sign = line[:1]
        if before == skipped and sign != "+":
            break
        before += sign in ("", " ", "-")
        after += sign in ("", " ", "+")
    return Place(hunk.old_start + skipped, hunk.new_start + after)
