"""Making the bytes of a text of comments sound: its end, marks, NUL bytes, blank lines, JSON.

Each change mends one thing that reading told. Where the text would be read otherwise after it, or
where it is not clear what was meant, nothing is changed.

Boundary lines and headers that were damaged, found again by what stands around them.

Content may quote an export, so nothing in a content is taken for a boundary line unless the
comment's own hash proves that the content ends before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from talktree.files.splice import Splice
from talktree.formats.record_file import Mending
from talktree.formats.studio.hashing import recognise
from talktree.formats.studio_text.lens import Part
from talktree.formats.studio_text.parse import NO_BLANK_LINE, Cut
from talktree.formats.studio_text.parse_multipart import Line, read_head
from talktree.text.json.decode import decode
from talktree.text.json.repair import REPLACEMENT, applied, mended, strange_bytes
from talktree.text.json.scanner import Problem
from talktree.text.json.syntax import NULS
from talktree.text.json.value import same
from talktree.text.utf8 import BOM

Cutting = Callable[[bytes], Cut]
MOST_TEARS = 16


class Mender:
    """Knows what mends each thing that is odd about a text."""

    def __init__(self, text: bytes, found: Cut, cut: Cutting) -> None:
        self._text = text
        self._found = found
        self._cut = cut
        self._tears = 0

    def mended(self, problems: Sequence[Problem], keys: Collection[str]) -> Iterator[Mending]:
        """What makes the text sound, for some of what is odd about it."""
        for problem in problems:
            if problem.code in keys:
                for splice in self.mending(problem):
                    yield Mending(problem.code, splice, problem.what)

    def mending(self, problem: Problem) -> list[Splice]:
        """What mends one thing; nothing if it cannot be mended."""
        if problem.code == "torn":
            self._tears += 1
            # Each is tried out on the whole text, so there must be an end to it.
            few = self._tears <= MOST_TEARS
            return _ended(self._text, problem.at, self._found, self._cut) if few else []
        return _mending(self._text, problem, self._found.root)


def _mending(text: bytes, problem: Problem, root: bytes) -> list[Splice]:
    match problem.code:
        case "bom":
            return [Splice(0, len(BOM))]
        case "nul":
            return [Splice(*found.span()) for found in NULS.finditer(text)]
        case "utf8":
            found = strange_bytes(text, 0, len(text))
            return [Splice(start, stop, REPLACEMENT) for start, stop in found]
        case "header" if problem.what == NO_BLANK_LINE:
            return _parted(text, problem.at)
        case "syntax":
            return _as_json(text, problem.at, root)
        case _:
            return []


def _ended(text: bytes, at: int, before: Cut, cut: Cutting) -> list[Splice]:
    """The boundary lines that are missing where a text breaks off."""
    tear = next((each for each in before.tears if each.at == at), None)
    if tear is None:
        return []
    newline, start = before.newline, _before_cut_line(text, tear.at, tear.stop, tear.names)
    lines = b"".join(newline + b"--" + name + b"--" for name in tear.names) + newline
    splice = Splice(start, tear.stop, lines)
    again = cut(text[:start] + lines + text[tear.stop :])
    kept = [piece.value for piece in before.pieces]
    made = [piece.value for piece in again.pieces]
    left = sum(problem.code == "torn" for problem in again.problems)
    told = sum(problem.code == "torn" for problem in before.problems)
    sound = len(made) == len(kept) and all(map(_alike, kept, made)) and left < told
    return [splice] if sound else []


def _before_cut_line(text: bytes, start: int, stop: int, names: Sequence[bytes]) -> int:
    """Where the text ends without a boundary line that was cut off in the middle."""
    here = text.rfind(b"\n", 0, stop)
    last = text[here + 1 : stop]
    if here >= 0 and last and any((b"--" + name + b"--").startswith(last) for name in names):
        return here
    return max(start, len(text[:stop].rstrip(b"\r\n")))


def _alike(one: object, two: object) -> bool:
    """Whether two comments differ in nothing but the end of their text."""
    if isinstance(one, dict) and isinstance(two, dict):
        one, two = ({**each, "content": ""} for each in (one, two))
    return same(one, two)  # type: ignore[arg-type]


def _parted(text: bytes, at: int) -> list[Splice]:
    """A blank line between headers and the text that follows them."""
    head = read_head(text, at)
    if head.blank or not head.headers:
        return []
    newline = b"\r\n" if text[: head.stop].endswith(b"\r\n") else b"\n"
    ended = text[: head.stop].endswith(b"\n")
    return [Splice(head.stop, head.stop, newline if ended else newline * 2)]


def _as_json(text: bytes, at: int, root: bytes) -> list[Splice]:
    """The JSON in a body, made sound if it can be read at all."""
    line = text.find(b"\n--" + root, at) if root else -1
    stop = len(text) if line < 0 else line
    body = text[at:stop]
    changes = mended(body).changes
    if not changes or not decode(applied(body, changes)).usable:
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
"""How many places in one content are tried."""


def first_line(text: bytes, start: int, stop: int, name: bytes) -> Line | None:
    """The first boundary line of a multipart, if something like it stands where it should."""
    found = _LINE.search(text, start, stop)
    return _as_line(text, found, start, name) if found else None


def proven_line(part: Part, name: bytes) -> Line | None:
    """The boundary line inside a content that, by its hash, ends before it."""
    hash = part.head.text("hash")
    candidates = _LINE.finditer(part.text, part.head.body, part.stop)
    first = next(candidates, None)
    if first is None or hash is None or recognise(hash, part.body(part.stop)) is not None:
        return None
    found: re.Match[bytes] | None = first
    for _ in range(MOST):
        if found is None:
            break
        line = _as_line(part.text, found, part.head.body, name)
        if recognise(hash, part.body(line.start)) is not None:
            return line
        found = next(candidates, None)
    return None


def inner_name(text: bytes, start: int, stop: int) -> bytes | None:
    """The boundary of a multipart whose header is damaged: that of the line right behind it."""
    found = _INSIDE.match(text, start, stop)
    return found.group(1) if found else None


def _as_line(text: bytes, found: re.Match[bytes], at: int, name: bytes) -> Line:
    start = found.start()
    both = found.group().endswith(b"\r\n") and text.endswith(b"\r\n", at, start)
    before = 2 if both else 1 if text.endswith(b"\n", at, start) else 0
    return Line(start - before, found.end(), name, False)
