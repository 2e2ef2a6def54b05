"""The walk over the boundary lines of an exported text: what is open, and how far it went."""

from __future__ import annotations

import re

from talktree.formats.studio_text.boundaries import Line, end_line, last_lines, next_line
from talktree.formats.studio_text.drafts import Draft, Level
from talktree.formats.studio_text.pieces import Dialect, Tear
from talktree.text.json.scanner import MOST_PROBLEMS, Problem

DOCUMENT = re.compile(
    rb"^(?:Content-Type:[ \t]*multipart/[^\n]*boundary="
    rb"|--[^\s][^\r\n]*\r?\n(?:Content-Type|Content-Disposition|User-Id):)",
    re.IGNORECASE | re.MULTILINE,
)
"""How a text starts, or in older exports each comment that answers nobody."""


class Walk:
    """What is known while a text is taken apart."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.last = last_lines(text)
        self.drafts: list[Draft] = []
        self.levels: list[Level] = []
        self.names: dict[bytes, int] = {}
        self.problems: list[Problem] = []
        self.tears: list[Tear] = []
        self.dialect: Dialect = "none"
        self.root = b""
        self.newline = b"\n"
        self.resume = 0
        """Where the last comment that answers nobody ended."""
        self.framed = 0
        """Where what stands before all comments ends."""
        self.reached = 0
        """How far headers and boundary lines were read."""
        self.checked = 0
        """How far text between parts was looked for."""

    def problem(self, code: str, at: int, what: str) -> None:
        """Take down what is odd."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(code, at, what))

    def stray(self, start: int, stop: int) -> None:
        """Tell of text that is in no part."""
        start, self.checked = max(start, self.checked), max(stop, self.checked)
        lines = self.text[start:stop].split(b"\n")
        if any(line.strip() and not line.startswith(b"--") for line in lines):
            self.problem("separator", start, "text between the parts; kept as it is")

    def next(self, at: int) -> Line | None:
        """The next boundary line of an open multipart."""
        self.reached = max(at, self.reached)
        if self.levels[-1].reach < at:
            return None
        return next_line(self.text, at, self.names)

    def open(self, name: bytes, start: int) -> Level:
        """Step into a multipart."""
        reach = max(self.last.get(name, -1), self.levels[-1].reach if self.levels else -1)
        level = Level(name, "wrap", start, reach)
        self.names[name] = len(self.levels)
        self.levels.append(level)
        return level

    def missing_line(self) -> Line:
        """What stands for the boundary line that never came: the end, or the next start."""
        found = DOCUMENT.search(self.text, self.reached)
        return end_line(self.text, self.reached, found.start() if found else len(self.text))
