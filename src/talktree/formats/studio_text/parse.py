"""Shared state of the parsers of exported texts: open multiparts, pieces, and how far they read.

A text is cut into pieces that know their boundaries; oddities on the way become problems.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from talktree.formats.nested_file import FilePiece
from talktree.formats.studio_text.parse_multipart import (
    BoundaryLine,
    end_line,
    find_last_lines,
    find_next_boundary,
)
from talktree.text.json.scanner import MOST_PROBLEMS, Problem
from talktree.text.json.value import Json

Dialect = Literal["own", "app", "worker", "older", "none"]


class Places(NamedTuple):
    """Offsets in the bytes of a comment."""

    head: int
    """The start of its own headers."""
    body: int
    stop: int
    """The end of its content."""
    extras: tuple[int, ...] = ()
    """The starts of the attachments or details after its content."""
    end: int = 0
    """The end of those."""


class TextPiece(FilePiece):
    """A comment or another part."""

    boundary: bytes = b""
    """The boundary between the parts that are its replies."""
    within: bytes = b""
    """The boundary between it and its siblings."""
    places: Places | None = None

    @property
    def is_wrapped(self) -> bool:
        """Whether it is a multipart of its own."""
        return self.within != self.boundary


NO_BLANK_LINE = "no blank line between headers and content"


class Tear(NamedTuple):
    """The place where a text ends, or another one starts, before its multiparts are closed."""

    at: int
    stop: int
    names: tuple[bytes, ...]
    """Their boundaries, the innermost first."""


class TextLayout(Struct):
    """A text that was split."""

    dialect: Dialect
    pieces: list[TextPiece]
    frame: tuple[bytes, bytes] = (b"", b"")
    problems: Sequence[Problem] = ()
    root: bytes = b""
    """The boundary between the comments at the top."""
    newline: bytes = b"\n"
    tears: Sequence[Tear] = ()


class PieceDraft(Struct):
    """A piece that is being built."""

    start: int
    gap: bytes
    depth: int
    container: PieceDraft | None
    first: bool
    within: bytes
    boundary: bytes
    reply: str | None = None
    value: dict[str, Json] | None = None
    places: Places | None = None
    attachments: list[int] = []
    """The starts of the attachments that are parts."""
    hole: int | None = None
    """The start of the first reply."""
    resume: int = 0
    """The end of the last reply."""
    end: int = 0

    @property
    def is_wrapped(self) -> bool:
        """Whether it is a multipart of its own."""
        return self.within != self.boundary

    @property
    def is_awaiting_comment(self) -> bool:
        """Whether the next comment is the one that it wraps."""
        return self.value is None and self.hole is None


class Level(Struct):
    """An open multipart."""

    name: bytes
    kind: Literal["list", "wrap", "undecided"]
    start: int
    reach: int
    """The last line that belongs to it or to one around it."""
    owner: PieceDraft | None = None
    """The comment that further parts belong to."""


def make_piece(text: bytes, draft: PieceDraft) -> TextPiece:
    """Return the finished piece."""
    hole = draft.end if draft.hole is None else draft.hole
    return TextPiece(
        draft.value,
        text[draft.start : hole] + text[draft.resume : draft.end],
        hole=hole - draft.start,
        gap=draft.gap,
        depth=draft.depth,
        first=draft.first,
        usable=draft.value is not None,
        boundary=draft.boundary,
        within=draft.within,
        places=_shift_places(draft, hole),
    )


def _shift_places(draft: PieceDraft, hole: int) -> Places | None:
    """Return offsets relative to the start of the piece."""
    found, start = draft.places, draft.start
    if found is None:
        return None
    extras = tuple(place - start for place in (*found.extras, *draft.attachments))
    return Places(found.head - start, found.body - start, found.stop - start, extras, hole - start)


DOCUMENT = re.compile(
    rb"^(?:Content-Type:[ \t]*multipart/[^\n]*boundary="
    rb"|--[^\s][^\r\n]*\r?\n(?:Content-Type|Content-Disposition|User-Id):)",
    re.IGNORECASE | re.MULTILINE,
)
"""The start of a text, or in older exports of each comment at the top."""


class TextParser:
    """The state of parsing a text."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.last = find_last_lines(text)
        self.drafts: list[PieceDraft] = []
        self.levels: list[Level] = []
        self.names: dict[bytes, int] = {}
        self.problems: list[Problem] = []
        self.tears: list[Tear] = []
        self.dialect: Dialect = "none"
        self.root = b""
        self.newline = b"\n"
        self.resume = 0
        """The end of the last comment at the top."""
        self.framed = 0
        """The end of the bytes before all comments."""
        self.reached = 0
        """How far headers and boundary lines were read."""
        self.checked = 0
        """How far text between parts was checked."""

    def add_problem(self, code: str, at: int, what: str) -> None:
        """Note an oddity."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(code, at, what))

    def report_stray_text(self, start: int, stop: int) -> None:
        """Report text that is in no part."""
        start, self.checked = max(start, self.checked), max(stop, self.checked)
        lines = self.text[start:stop].split(b"\n")
        if any(line.strip() and not line.startswith(b"--") for line in lines):
            self.add_problem("separator", start, "text between the parts; kept as it is")

    def find_next_line(self, at: int) -> BoundaryLine | None:
        """Return the next boundary line of an open multipart, or None."""
        self.reached = max(at, self.reached)
        if self.levels[-1].reach < at:
            return None
        return find_next_boundary(self.text, at, self.names)

    def open_multipart(self, name: bytes, start: int) -> Level:
        """Enter a multipart."""
        reach = max(self.last.get(name, -1), self.levels[-1].reach if self.levels else -1)
        level = Level(name, "wrap", start, reach)
        self.names[name] = len(self.levels)
        self.levels.append(level)
        return level

    def make_missing_line(self) -> BoundaryLine:
        """Return a replacement for a missing boundary line, at the end or the next document."""
        found = DOCUMENT.search(self.text, self.reached)
        return end_line(self.text, self.reached, found.start() if found else len(self.text))
