"""The layout of a message file: header lines, separator and body. Joining them gives the file.

The specification's rule is a single split at the first triple newline. Files that lack it, or whose
header is a comment, are read liberally: header lines first, then the rest.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from talktree.formats.chatbuilder.parse_header import (
    HeaderLine,
    is_header,
    parse_comment_lines,
    scan_header,
    without_newline,
)

BOM = "\ufeff"
TRIPLE = re.compile(r"(?:\r?\n){3}")
_GAP = re.compile(r"[ \t]*\r?\n(?:[ \t]*\r?\n){0,2}")
_BLANK_START = re.compile(r"(?:[ \t]*\r?\n){0,2}")


SHORT = 1 << 14
"""Maximum length of a text whose layout is cached: reading, each rule and each round of a repair
ask for the same ones again. The header of a longer text is short compared with the text."""
MOST_KNOWN = 256


class MessageLayout(NamedTuple):
    """The pieces of a message file."""

    prefix: str = ""
    """A byte order mark and blank lines before the header."""
    lines: tuple[HeaderLine, ...] = ()
    separator: str = ""
    body: str = ""
    comment: int = 0
    """Number of lines that are an HTML comment."""

    @property
    def text(self) -> str:
        """Return the text of the file."""
        return (
            f"{self.prefix}{''.join(line.text for line in self.lines)}{self.separator}{self.body}"
        )

    @property
    def has_separator(self) -> bool:
        """Whether the specification's separator is where it should be."""
        return TRIPLE.fullmatch(self.separator) is not None

    @property
    def newline(self) -> str:
        """The newline that the file uses."""
        ends = self.separator or self.body
        at = ends.find("\n")
        return "\r\n" if at > 0 and ends[at - 1] == "\r" else "\n"


def parse_layout(text: str) -> MessageLayout:
    """Return the layout of any text."""
    return _parse_layout(text) if len(text) <= SHORT else _parse_any_layout(text)


@lru_cache(maxsize=MOST_KNOWN)
def _parse_layout(text: str) -> MessageLayout:
    return _parse_any_layout(text)


def _parse_any_layout(text: str) -> MessageLayout:
    mark = BOM if text.startswith(BOM) else ""
    blanks = _BLANK_START.match(text, len(mark))
    start = blanks.end() if blanks else len(mark)
    comment = parse_comment_lines(text, start)
    behind = start + _text_length(comment)
    triple = _find_triple_newline(text, behind)
    stop = triple.start() if triple else len(text)
    found = scan_header(text, behind, stop, closed=triple is not None, behind_comment=bool(comment))
    lines = [*comment, *found]
    end = start + _text_length(lines)
    closed = triple is not None and end == stop
    if not comment and not is_header(lines, closed=closed):
        return MessageLayout(mark, (), "", text[len(mark) :])
    if not closed:
        end -= len(lines[-1].text)
        lines[-1] = without_newline(lines[-1])
        end += len(lines[-1].text)
    gap = (TRIPLE if closed else _GAP).match(text, end)
    behind = gap.end() if gap else end
    return MessageLayout(text[:start], tuple(lines), text[end:behind], text[behind:], len(comment))


def _find_triple_newline(text: str, start: int) -> re.Match[str] | None:
    # Most texts that are not messages have no empty line at all, which is much faster to check.
    if "\n\n" not in text and "\n\r\n" not in text:
        return None
    return TRIPLE.search(text, start)


def _text_length(lines: list[HeaderLine]) -> int:
    return sum(len(line.text) for line in lines)
