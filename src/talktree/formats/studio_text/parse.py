"""The walk over the boundary lines of an exported text: what is open, and how far it went.

What a text is cut into: pieces that know their boundaries, and what was odd on the way.

Pieces of an exported text in the making, and the multiparts that are open around them.
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
    """Where things stand in the bytes of a comment."""

    head: int
    """Its own headers."""
    body: int
    stop: int
    """The end of its content."""
    extras: tuple[int, ...] = ()
    """The starts of the attachments or details behind its content."""
    end: int = 0
    """The end of those."""


class TextPiece(FilePiece):
    """A comment or another part."""

    boundary: bytes = b""
    """Between the parts that are its replies."""
    within: bytes = b""
    """Between it and its siblings."""
    places: Places | None = None

    @property
    def is_wrapped(self) -> bool:
        """Whether it is a multipart of its own."""
        return self.within != self.boundary


NO_BLANK_LINE = "no blank line between headers and content"


class Tear(NamedTuple):
    """Where a text ends, or another one starts, before its multiparts are closed."""

    at: int
    stop: int
    names: tuple[bytes, ...]
    """Their boundaries, the innermost first."""


class TextLayout(Struct):
    """A text taken apart."""

    dialect: Dialect
    pieces: list[TextPiece]
    frame: tuple[bytes, bytes] = (b"", b"")
    problems: Sequence[Problem] = ()
    root: bytes = b""
    """The boundary between the comments that answer nobody."""
    newline: bytes = b"\n"
    tears: Sequence[Tear] = ()


class PieceDraft(Struct):
    """A piece in the making."""

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
    """Where each attachment that is a part starts."""
    hole: int | None = None
    """Where the first reply starts."""
    resume: int = 0
    """Where the last reply ended."""
    end: int = 0

    @property
    def is_wrapped(self) -> bool:
        """Whether it is a multipart of its own."""
        return self.within != self.boundary

    @property
    def is_awaiting_comment(self) -> bool:
        """Whether the next comment is what it wraps."""
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
    """The finished piece."""
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
    """Places counted from the start of the piece."""
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
"""How a text starts, or in older exports each comment that answers nobody."""


class TextParser:
    """What is known while a text is taken apart."""

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
        """Where the last comment that answers nobody ended."""
        self.framed = 0
        """Where what stands before all comments ends."""
        self.reached = 0
        """How far headers and boundary lines were read."""
        self.checked = 0
        """How far text between parts was looked for."""

    def add_problem(self, code: str, at: int, what: str) -> None:
        """Take down what is odd."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(code, at, what))

    def report_stray_text(self, start: int, stop: int) -> None:
        """Tell of text that is in no part."""
        start, self.checked = max(start, self.checked), max(stop, self.checked)
        lines = self.text[start:stop].split(b"\n")
        if any(line.strip() and not line.startswith(b"--") for line in lines):
            self.add_problem("separator", start, "text between the parts; kept as it is")

    def find_next_line(self, at: int) -> BoundaryLine | None:
        """The next boundary line of an open multipart."""
        self.reached = max(at, self.reached)
        if self.levels[-1].reach < at:
            return None
        return find_next_boundary(self.text, at, self.names)

    def open_multipart(self, name: bytes, start: int) -> Level:
        """Step into a multipart."""
        reach = max(self.last.get(name, -1), self.levels[-1].reach if self.levels else -1)
        level = Level(name, "wrap", start, reach)
        self.names[name] = len(self.levels)
        self.levels.append(level)
        return level

    def make_missing_line(self) -> BoundaryLine:
        """What stands for the boundary line that never came: the end, or the next start."""
        found = DOCUMENT.search(self.text, self.reached)
        return end_line(self.text, self.reached, found.start() if found else len(self.text))
