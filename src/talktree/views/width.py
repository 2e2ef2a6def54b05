"""The width of text on a terminal, and how to fit it.

Also: times in UTC, sizes and durations as text, and removing the tag that some programs put around
a whole text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from talktree.text.escape import escape_line
from talktree.text.times import SECOND, to_iso

_WORD = re.compile(r"\s*\S+")
_NEWLINE = re.compile("\r?\n")
TAB = 4


def count_cells(text: str) -> int:
    """Return the width of a text; wide characters take two cells."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # only here: it is slow to import

    return cell_len(text)


def split_text_lines(text: str) -> list[str]:
    """Return the lines of a text; a newline at its end does not begin another one."""
    found = _NEWLINE.split(text) if "\r" in text else text.split("\n")
    if len(found) > 1 and not found[-1]:
        found.pop()
    return found


def to_one_line(text: str, most: int) -> str:
    """Return the first words of a text in one line, cut to a width."""
    line = " ".join(text[: 4 * most + 4].split())
    if len(line) <= most and line.isascii() and line.isprintable():
        return line
    return clip_text(line, most)


def clip_text(text: str, most: int) -> str:
    """Return a text cut to a width, with a mark at the cut."""
    shown = escape_line(text[: most + 1]) if len(text) > most else escape_line(text)
    if count_cells(shown) <= most and len(text) <= most:
        return shown
    while shown and count_cells(shown) >= most:
        shown = shown[: max(0, len(shown) - max(1, (count_cells(shown) - most) // 2))]
    return shown + "…"


def wrap_text(text: str, width: int | None) -> Iterator[str]:
    """Return the lines of a text, broken between words where they are too wide."""
    for each in split_text_lines(text):
        if width is None:
            yield each
        else:
            yield from _break_line(escape_line(each).expandtabs(TAB), max(width, 20))


def _break_line(text: str, width: int) -> Iterator[str]:
    if len(text) <= width // 2 or count_cells(text) <= width:
        yield text
        return
    indent = text[: len(text) - len(text.lstrip())][: width // 2]
    current, taken = "", 0
    for word in _WORD.findall(text):
        size = count_cells(word)
        if current and taken + size > width:
            yield current
            word = indent + word.lstrip()
            size = count_cells(word)
            current, taken = "", 0
        at, plain = 0, word.isascii()
        while size > width and at < len(word):
            # A word without end: cut anywhere; two cells for each character is the worst case.
            room = max(1, (width - taken) if plain else (width - taken) // 2)
            piece = word[at : at + room]
            yield current + piece
            current, taken, at, size = "", 0, at + room, size - count_cells(piece)
        word = word[at:] if at else word
        current, taken = current + word, taken + size
    yield current


def format_size(count: int) -> str:
    """Return a number of bytes as text."""
    amount = float(count)
    for unit in ("bytes", "KB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError(count)


def format_count(number: int, what: str, many: str = "") -> str:
    """Return a number with its noun: 1 message, 2,000 messages."""
    return f"{number:,} {what if number == 1 else many or what + 's'}"


def format_duration(seconds: float) -> str:
    """Return a duration as text."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    if seconds < 172_800:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86_400:.1f} days"


def format_moment(time: int | None) -> str:
    """Return date and time to the second, or an empty text."""
    return format_stamp(time)[:19].replace("T", " ")


def format_day(number: int) -> str:
    """Return a day by its number since 1970."""
    return format_stamp(number * 86_400 * SECOND)[:10] or f"day {number}"


def format_stamp(time: int | None) -> str:
    """Return the full ISO form, or an empty text where the calendar does not reach."""
    if time is None:
        return ""
    try:
        return to_iso(time)
    except OverflowError:
        return ""


_WRAPPED = re.compile(r"\s*<([\w-]{1,60})>(.*)</\1>\s*", re.DOTALL)


def unwrap_tag(text: str) -> str:
    """Return the text without a tag around all of it."""
    found = _WRAPPED.fullmatch(text) if "</" in text else None
    return found[2] if found else text
