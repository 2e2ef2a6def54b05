"""Excerpts: a few words of a text around its matches, and where the matches are.

An excerpt is plain text on one line; the caller escapes it for its output. It is cut between words
where possible, and never inside what readers see as one character.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

from talktree.library.fulltext.tokenizer import keeps_positions
from talktree.library.search.match import (
    Needle,
    NeedleMatch,
    NeedleText,
    find_needles,
    find_occurrences,
)

WIDTH = 200
"""How many characters of a text are shown."""
LEAD = 60
"""How many of them come before the first match."""
_BLOCK = 1_000
"""How much of a text that is not ASCII is folded in one step when searching for a match."""
_TRIES = 32
"""How many places of a word are compared to find where most needles are close together."""
_BLANKS = re.compile(r"\s+")
_JOINER = "\u200d"
ELLIPSIS = "…"


class HitExcerpt(Struct, frozen=True):
    """Plain text, and its matching spans, as pairs of offsets."""

    text: str
    marks: tuple[tuple[int, int], ...]


def make_excerpt(text: str, needles: list[Needle], width: int = WIDTH) -> HitExcerpt:
    """Return the part of a text that contains most of the needles."""
    centre = _find_centre(text, needles, width)
    reach = max(width, 40)
    start, end = max(0, centre - reach), min(len(text), centre + 2 * reach)
    # One word more on each side, so that no mark covers half a word.
    start, end = _widen_to_blanks(text, start, end)
    marks = [
        NeedleMatch(start + mark.start, start + mark.end, mark.needle)
        for mark in find_needles(text[start:end], needles)
    ]
    first, last = _choose_window(text, marks, centre, width)
    return _to_one_line(
        text, first, last, [mark for mark in marks if _is_inside(mark, first, last)]
    )


def _is_inside(mark: NeedleMatch, first: int, last: int) -> bool:
    return mark.start < last and mark.end > first


def _find_centre(text: str, needles: list[Needle], width: int) -> int:
    """Return approximately where most of the needles are close together."""
    if not needles:
        return 0
    # For a single needle, its first place is as good as any other.
    tries = _TRIES if len(needles) > 1 else 1
    places: list[list[int]] = [[] for _ in needles]
    for start, block in _split_into_blocks(text):
        for number, needle in enumerate(needles):
            _collect_places(places[number], start, block, needle, tries)
        if all(places):
            break
    for found in places:
        found.sort()  # blocks overlap
    best, most = 0, 0
    for at in sorted(place for found in places for place in found):
        near = sum(_has_between(found, at, at + width) for found in places)
        if near > most:
            best, most = at, near
            if most == len(needles):
                break
    return best


def _has_between(places: list[int], start: int, end: int) -> bool:
    """Whether one of the sorted places is in a span."""
    first = bisect_left(places, start)
    return first < len(places) and places[first] < end


def _collect_places(
    places: list[int], start: int, block: NeedleText, needle: Needle, tries: int
) -> None:
    """Collect the first places of a needle in a block; approximate where folding moves text."""
    size, made = len(block.text), len(block.text_for(needle))
    for at, _ in islice(find_occurrences(block, needle), tries - len(places)):
        places.append(start + (at if made == size else at * size // made))


def _split_into_blocks(text: str) -> Iterator[tuple[int, NeedleText]]:
    """Yield a text in blocks, with the offset of each."""
    if keeps_positions(text):
        yield 0, NeedleText(text)
        return
    for start in range(0, len(text), _BLOCK):
        # Each includes some of the next block, so that nothing is missed at the border.
        yield start, NeedleText(text[start : start + _BLOCK + 80])


def _widen_to_blanks(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span widened to blanks, if there are some near."""
    for step in range(64):
        if start - step <= 0 or text[start - step - 1].isspace():
            start = max(0, start - step)
            break
    for step in range(64):
        if end + step >= len(text) or text[end + step].isspace():
            end = min(len(text), end + step)
            break
    return start, end


def _choose_window(text: str, marks: list[NeedleMatch], centre: int, width: int) -> tuple[int, int]:
    """Return the span to show: from a little before the first match of the best part."""
    if len(text) <= width:
        return 0, len(text)
    first = _find_best_start(marks, centre, width)
    start = max(0, first - min(LEAD, width // 3))
    end = min(len(text), start + width)
    start = max(0, min(start, end - width))
    return _find_cut(text, start, first, -1), _find_cut(text, end, start, 1)


def _find_best_start(marks: list[NeedleMatch], centre: int, width: int) -> int:
    """Return the mark from which on most different needles, then most marks, are visible."""
    if not marks:
        return centre
    sight = width - min(LEAD, width // 3)
    ends = [mark.end for mark in marks]
    best, most = 0, (0, 0)
    for place, mark in enumerate(marks[:_TRIES]):
        # Marks are in order and do not overlap, so those visible from one are consecutive.
        behind = bisect_right(ends, mark.start + sight)
        seen = len({each.needle for each in marks[place:behind]}), max(0, behind - place)
        if seen > most:
            best, most = place, seen
    return marks[best].start


def _find_cut(text: str, at: int, other: int, side: int) -> int:
    """Return a place to cut near an offset: between words, otherwise between characters."""
    if at <= 0 or at >= len(text):
        return max(0, min(at, len(text)))
    # A start moves towards the match, an end back to it: no half word is shown.
    for step in range(24):
        place = at - step * side
        if not 0 < place < len(text) or (place - other) * side <= 0:
            break
        if text[place - 1].isspace() or text[place].isspace():
            return place
    while 0 < at < len(text) and is_joined(text, at):
        at -= 1
    return at


def is_joined(text: str, at: int) -> bool:
    """Whether the text before and after an offset is seen as one character."""
    before, behind = text[at - 1], text[at]
    if before.isascii() and behind.isascii():
        return before == "\r" and behind == "\n"
    if unicodedata.category(behind)[0] == "M" or _JOINER in (before, behind):
        return True
    if "\U0001f3fb" <= behind <= "\U0001f3ff" or "\U000e0020" <= behind <= "\U000e007f":
        return True  # a skin colour, the letters of a flag
    if _is_flag(before) and _is_flag(behind):
        start = at
        while start and _is_flag(text[start - 1]):
            start -= 1
        return (at - start) % 2 == 1
    return _is_jamo(behind) and (_is_jamo(before) or "\uac00" <= before <= "\ud7a3")


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _is_jamo(char: str) -> bool:
    return "\u1100" <= char <= "\u11ff"


def _to_one_line(text: str, first: int, last: int, marks: list[NeedleMatch]) -> HitExcerpt:
    """Return the span with single blanks, and dots where something is left out."""
    line: list[str] = [ELLIPSIS] if text[:first].strip() else []
    length = sum(map(len, line))
    places: list[tuple[int, int]] = []
    at = first
    for mark in marks:
        gap = _collapse_blanks(text[at : max(at, mark.start)], begins=not length)
        found = _collapse_blanks(text[max(at, mark.start) : min(mark.end, last)], begins=False)
        if not found:
            continue
        places.append((length + len(gap), length + len(gap) + len(found)))
        line += [gap, found]
        length += len(gap) + len(found)
        at = max(at, min(mark.end, last))
    rest = _collapse_blanks(text[at:last], begins=not length).rstrip()
    line += [rest, ELLIPSIS if text[last:].strip() else ""]
    return HitExcerpt("".join(line), tuple(places))


def _collapse_blanks(text: str, *, begins: bool) -> str:
    single = _BLANKS.sub(" ", text)
    return single.lstrip() if begins else single
