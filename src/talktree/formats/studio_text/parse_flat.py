"""Splitting a text in our own dialect: one part after the other, each with its depth."""

from __future__ import annotations

import re

from talktree.formats.lens import Object
from talktree.formats.studio_text import parse_own
from talktree.formats.studio_text.parse import NO_BLANK_LINE, Places, Tear, TextLayout, TextPiece
from talktree.formats.studio_text.parse_multipart import (
    BoundaryLine,
    PartHead,
    end_line,
    find_next_boundary,
    get_newline,
    read_head,
)
from talktree.text.json.scanner import MOST_PROBLEMS, Problem

_TOP = re.compile(rb"^(?:MIME-Version|Studio-Text|Content-Type):", re.IGNORECASE | re.MULTILINE)
_LINE = re.compile(rb"^--(\S+)[ \t]*\r?\n(?=Content-Type:)", re.IGNORECASE | re.MULTILINE)
NEAR = 4096
"""Maximum offset of the first headers if something was inserted before them."""


def find_first_head(text: bytes) -> PartHead | None:
    """Return the headers that identify a text in our dialect, or None."""
    dashes = 0 if text.startswith(b"--") else text.find(b"\n--", 0, NEAR)
    # After the first boundary line, the same words would be content.
    for found in _TOP.finditer(text, 0, NEAR if dashes < 0 else dashes):
        head = read_head(text, found.start())
        if parse_own.is_own(head) and (head.boundary or _LINE.search(text, head.body)):
            return head
    return None


class FlatTextParser:
    """Parses one text."""

    def __init__(self, text: bytes, head: PartHead) -> None:
        self.text = text
        self.name = head.boundary or b""
        self.head = head
        self.pieces: list[TextPiece] = []
        self.problems: list[Problem] = []
        self.seen = (0, head)
        """The headers read last, and their offset."""
        self.end = 0
        """The end of the last piece."""

    def run(self) -> TextLayout:
        """Return the pieces of the text."""
        text = self.text
        line = self._find_first_line()
        framed = self.end = line.start
        newline = get_newline(text, BoundaryLine(0, self.head.headers[0].end, b"", False))
        if self.head.text(parse_own.MARK.lower()) != parse_own.VERSION:
            self._add_problem("header", 0, "a version of the dialect that is not known here")
        if text[: self.head.headers[0].at].strip() or text[self.head.body : line.start].strip():
            self._add_problem("separator", 0, "text before the first part")
        tears: list[Tear] = []
        while not line.last:
            line = self._read_part(line)
        if not line.name:
            self._add_problem("torn", line.start, "the text ends before its last boundary line")
            tears = [Tear(line.start, line.stop, (self.name,))]
        elif text[line.stop :].strip():
            self._add_problem("separator", line.stop, "text behind the last part")
        return TextLayout(
            "own",
            self.pieces,
            (text[:framed], text[self.end :]),
            self.problems,
            self.name,
            newline,
            tears,
        )

    def _add_problem(self, code: str, at: int, what: str) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(code, at, what))

    def _find_first_line(self) -> BoundaryLine:
        """Return the first boundary line; the headers may name a wrong boundary."""
        # The blank line after the headers is the newline before the boundary line.
        at = self.head.stop
        line = self._find_next_line(at) if self.name else end_line(self.text, at, len(self.text))
        seen = _LINE.search(self.text, at) if not line.name else None
        if seen is None:
            return line
        self.name = seen.group(1)
        self._add_problem("separator", seen.start(), "not the boundary that the headers name")
        return self._find_next_line(at)

    def _find_next_line(self, at: int) -> BoundaryLine:
        """Return the next boundary line; one without a name represents a missing one."""
        found = find_next_boundary(self.text, at, (self.name,))
        return found if found is not None else end_line(self.text, at, len(self.text))

    def _read_head(self, at: int) -> PartHead:
        if self.seen[0] != at:
            self.seen = (at, read_head(self.text, at, parse_own.KNOWN))
        return self.seen[1]

    def _read_part(self, line: BoundaryLine) -> BoundaryLine:
        """Read the part after a boundary line; return the line after it."""
        text = self.text
        head = self._read_head(line.stop)
        after = self._find_next_line(head.body)
        if not parse_own.is_comment(head):
            self._add_problem("header", line.stop, "a part without the headers of a comment")
            raw = text[line.stop : after.start]
            self._add_piece(
                line, TextPiece(None, raw, depth=self._compute_depth(None), usable=False)
            )
            self.end = after.start
            return after
        start, stop = line.stop, after.start
        body = text[head.body : stop]
        after, rest, extras = self._read_details(after)
        value, sound = parse_own.read_value(head, body, rest)
        if not sound:
            self._add_problem("syntax", head.body, "a body that is not the JSON it should be")
        elif not isinstance(value, dict):
            self._add_problem("unknown-record", start, "a value that is no comment")
        if not head.blank:
            self._add_problem("header", start, NO_BLANK_LINE)
        if "" in head.texts:
            self._add_problem("header", start, "a damaged header")
        end = after.start
        places = Places(0, head.body - start, stop - start, extras and (stop - start,), end - start)
        usable = sound or isinstance(value, dict)
        piece = TextPiece(value, text[start:end], end - start, usable=usable, places=places)
        piece.depth = self._compute_depth(head)
        self._add_piece(line, piece)
        self.end = end
        return after

    def _read_details(self, line: BoundaryLine) -> tuple[BoundaryLine, Object, tuple[int, ...]]:
        """Return the next line and the members in the part after a line, if it holds members."""
        if not line.last:
            head = self._read_head(line.stop)
            if parse_own.is_details(head):
                after = self._find_next_line(head.body)
                rest = parse_own.read_rest(head, self.text[head.body : after.start])
                if rest is not None:
                    return after, rest, (line.start,)
                self._add_problem("syntax", head.body, "details that are no JSON object")
        return line, {}, ()

    def _compute_depth(self, head: PartHead | None) -> int:
        """Return the depth of the next piece, at most one below the piece before."""
        before = self.pieces[-1] if self.pieces else None
        deepest = -1 if before is None else before.depth - (not isinstance(before.value, dict))
        if head is None:
            return deepest + 1
        said = parse_own.read_depth(head)
        if said is None or said > deepest + 1:
            self._add_problem("header", head.body, "a depth that does not fit")
            return deepest + 1
        return said

    def _add_piece(self, line: BoundaryLine, piece: TextPiece) -> None:
        piece.gap = self.text[self.end : line.stop]
        piece.first = not self.pieces
        piece.within = piece.boundary = self.name
        self.pieces.append(piece)
