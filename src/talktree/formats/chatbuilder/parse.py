"""A message file taken apart: header lines, separator and body. Joining them gives the file.

The document's rule is one split, at the first triple newline. Files that lack it, or whose header
is a comment, are read liberally: header lines first, then what follows.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from talktree.formats.chatbuilder.parse_header import (
    Line,
    comment_lines,
    is_header,
    scan,
    without_newline,
)

BOM = "\ufeff"
TRIPLE = re.compile(r"(?:\r?\n){3}")
_GAP = re.compile(r"[ \t]*\r?\n(?:[ \t]*\r?\n){0,2}")
_BLANK_START = re.compile(r"(?:[ \t]*\r?\n){0,2}")


SHORT = 1 << 14
"""Texts of so many characters are remembered: reading, each rule and each round of a repair ask
for the same ones again. A longer one has a header that is short beside it."""
MOST_KNOWN = 256


class Layout(NamedTuple):
    """The pieces of a message file."""

    prefix: str = ""
    """A byte order mark and blank lines before the header."""
    lines: tuple[Line, ...] = ()
    separator: str = ""
    body: str = ""
    comment: int = 0
    """How many of the lines are an HTML comment."""

    @property
    def text(self) -> str:
        """The file."""
        return (
            f"{self.prefix}{''.join(line.text for line in self.lines)}{self.separator}{self.body}"
        )

    @property
    def split(self) -> bool:
        """Whether the document's separator stands where it should."""
        return TRIPLE.fullmatch(self.separator) is not None

    @property
    def newline(self) -> str:
        """How the file ends its lines."""
        ends = self.separator or self.body
        at = ends.find("\n")
        return "\r\n" if at > 0 and ends[at - 1] == "\r" else "\n"


def take_apart(text: str) -> Layout:
    """The layout of any text."""
    return _known(text) if len(text) <= SHORT else _taken_apart(text)


@lru_cache(maxsize=MOST_KNOWN)
def _known(text: str) -> Layout:
    return _taken_apart(text)


def _taken_apart(text: str) -> Layout:
    mark = BOM if text.startswith(BOM) else ""
    blanks = _BLANK_START.match(text, len(mark))
    start = blanks.end() if blanks else len(mark)
    comment = comment_lines(text, start)
    behind = start + _length(comment)
    triple = _first_triple(text, behind)
    stop = triple.start() if triple else len(text)
    found = scan(text, behind, stop, closed=triple is not None, behind_comment=bool(comment))
    lines = [*comment, *found]
    end = start + _length(lines)
    closed = triple is not None and end == stop
    if not comment and not is_header(lines, closed=closed):
        return Layout(mark, (), "", text[len(mark) :])
    if not closed:
        end -= len(lines[-1].text)
        lines[-1] = without_newline(lines[-1])
        end += len(lines[-1].text)
    gap = (TRIPLE if closed else _GAP).match(text, end)
    behind = gap.end() if gap else end
    return Layout(text[:start], tuple(lines), text[end:behind], text[behind:], len(comment))


def _first_triple(text: str, start: int) -> re.Match[str] | None:
    # Most texts that are no messages have no empty line at all; that is seen much faster.
    if "\n\n" not in text and "\n\r\n" not in text:
        return None
    return TRIPLE.search(text, start)


def _length(lines: list[Line]) -> int:
    return sum(len(line.text) for line in lines)
