"""Repairs of the bytes of a text of comments: its end, marks, NUL bytes, blank lines, JSON.

Each change repairs one problem that reading reported. If the text would be read differently after
it, or if the intention is unclear, nothing is changed.

Damaged boundary lines and headers are found by the lines around them. Content may quote an export,
so nothing in a content is taken for a boundary line unless the comment's own hash proves that the
content ends before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from talktree.files.splice import Splice
from talktree.formats.record_file import ByteRepair
from talktree.formats.studio.hashing import detect_algorithm
from talktree.formats.studio_text.lens import CommentPart
from talktree.formats.studio_text.parse import NO_BLANK_LINE, TextLayout
from talktree.formats.studio_text.parse_multipart import BoundaryLine, read_head
from talktree.text.json.decode import decode
from talktree.text.json.repair import REPLACEMENT, apply_repairs, find_invalid_utf8, repair_values
from talktree.text.json.scanner import Problem
from talktree.text.json.syntax import NULS
from talktree.text.json.value import is_same
from talktree.text.utf8 import BOM

Cutting = Callable[[bytes], TextLayout]
MOST_TEARS = 16


class TextRepairs:
    """Finds the repair of each oddity of a text."""

    def __init__(self, text: bytes, found: TextLayout, cut: Cutting) -> None:
        self._text = text
        self._found = found
        self._cut = cut
        self._tears = 0

    def find_repairs(
        self, problems: Sequence[Problem], keys: Collection[str]
    ) -> Iterator[ByteRepair]:
        """Yield the repairs of some of the text's oddities."""
        for problem in problems:
            if problem.code in keys:
                for splice in self.find_splices(problem):
                    yield ByteRepair(problem.code, splice, problem.what)

    def find_splices(self, problem: Problem) -> list[Splice]:
        """Return the repair of one problem; empty if it cannot be repaired."""
        if problem.code == "torn":
            self._tears += 1
            # Each repair is tried on the whole text, so their number must be limited.
            few = self._tears <= MOST_TEARS
            return _complete_ending(self._text, problem.at, self._found, self._cut) if few else []
        return _find_splices(self._text, problem, self._found.root)


def _find_splices(text: bytes, problem: Problem, root: bytes) -> list[Splice]:
    match problem.code:
        case "bom":
            return [Splice(0, len(BOM))]
        case "nul":
            return [Splice(*found.span()) for found in NULS.finditer(text)]
        case "utf8":
            found = find_invalid_utf8(text, 0, len(text))
            return [Splice(start, stop, REPLACEMENT) for start, stop in found]
        case "header" if problem.what == NO_BLANK_LINE:
            return _separate_headers(text, problem.at)
        case "syntax":
            return _repair_json_body(text, problem.at, root)
        case _:
            return []


def _complete_ending(text: bytes, at: int, before: TextLayout, cut: Cutting) -> list[Splice]:
    """Return the boundary lines that are missing at the end of a truncated text."""
    tear = next((each for each in before.tears if each.at == at), None)
    if tear is None:
        return []
    newline, start = before.newline, _find_cut_line_start(text, tear.at, tear.stop, tear.names)
    lines = b"".join(newline + b"--" + name + b"--" for name in tear.names) + newline
    splice = Splice(start, tear.stop, lines)
    again = cut(text[:start] + lines + text[tear.stop :])
    kept = [piece.value for piece in before.pieces]
    made = [piece.value for piece in again.pieces]
    left = sum(problem.code == "torn" for problem in again.problems)
    diagnostic = sum(problem.code == "torn" for problem in before.problems)
    sound = (
        len(made) == len(kept) and all(map(_is_same_but_for_end, kept, made)) and left < diagnostic
    )
    return [splice] if sound else []


def _find_cut_line_start(text: bytes, start: int, stop: int, names: Sequence[bytes]) -> int:
    """Return where the text ends without a boundary line that was cut off in the middle."""
    here = text.rfind(b"\n", 0, stop)
    last = text[here + 1 : stop]
    if here >= 0 and last and any((b"--" + name + b"--").startswith(last) for name in names):
        return here
    return max(start, len(text[:stop].rstrip(b"\r\n")))


def _is_same_but_for_end(one: object, two: object) -> bool:
    """Whether two comments differ only in the end of their text."""
    if isinstance(one, dict) and isinstance(two, dict):
        one, two = ({**each, "content": ""} for each in (one, two))
    return is_same(one, two)  # type: ignore[arg-type]


def _separate_headers(text: bytes, at: int) -> list[Splice]:
    """Return a blank line between headers and the text that follows them."""
    head = read_head(text, at)
    if head.blank or not head.headers:
        return []
    newline = b"\r\n" if text[: head.stop].endswith(b"\r\n") else b"\n"
    ended = text[: head.stop].endswith(b"\n")
    return [Splice(head.stop, head.stop, newline if ended else newline * 2)]


def _repair_json_body(text: bytes, at: int, root: bytes) -> list[Splice]:
    """Return the repairs of the JSON in a body, if it can be read at all."""
    line = text.find(b"\n--" + root, at) if root else -1
    stop = len(text) if line < 0 else line
    body = text[at:stop]
    changes = repair_values(body).changes
    if not changes or not decode(apply_repairs(body, changes)).usable:
        return []
    return [Splice(at + start, at + end, new) for _, start, end, new in changes]


_LINE = re.compile(
    rb"^[^\r\n]{1,100}\r?\n"
    rb"(?=Content-Type: (?:multipart/mixed; boundary=|text/plain; charset=)|Content-Disposition: )",
    re.MULTILINE,
)
_INSIDE = re.compile(
    rb"(?:[^\r\n]*\r?\n){0,4}?--([^\s]+)[ \t]*\r?\n(?=Content-Type: text/plain)", re.ASCII
)
MOST = 16
"""Maximum number of offsets in one content that are tried."""


def find_first_line(text: bytes, start: int, stop: int, name: bytes) -> BoundaryLine | None:
    """Return the first boundary line of a multipart, if something like it is there, or None."""
    found = _LINE.search(text, start, stop)
    return _make_line(text, found, start, name) if found else None


def find_proven_line(part: CommentPart, name: bytes) -> BoundaryLine | None:
    """Return the boundary line in a content that ends before it according to its hash, or None."""
    hash = part.head.text("hash")
    candidates = _LINE.finditer(part.text, part.head.body, part.stop)
    first = next(candidates, None)
    if first is None or hash is None or detect_algorithm(hash, part.body(part.stop)) is not None:
        return None
    found: re.Match[bytes] | None = first
    for _ in range(MOST):
        if found is None:
            break
        line = _make_line(part.text, found, part.head.body, name)
        if detect_algorithm(hash, part.body(line.start)) is not None:
            return line
        found = next(candidates, None)
    return None


def find_inner_name(text: bytes, start: int, stop: int) -> bytes | None:
    """Return the boundary of a multipart with a damaged header: that of the line right after it."""
    found = _INSIDE.match(text, start, stop)
    return found.group(1) if found else None


def _make_line(text: bytes, found: re.Match[bytes], at: int, name: bytes) -> BoundaryLine:
    start = found.start()
    both = found.group().endswith(b"\r\n") and text.endswith(b"\r\n", at, start)
    before = 2 if both else 1 if text.endswith(b"\n", at, start) else 0
    return BoundaryLine(start - before, found.end(), name, False)
