"""Find the records of a JSONL file, including truncated, concatenated, spliced or interleaved
lines.

Only byte 0x0A ends a line. A line that is not one JSON value is searched: complete records on one
line become separate spans, and so do the remains of others. Every byte is in exactly one span or is
whitespace between spans.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from talktree.text.json.decode import Decoded, decode
from talktree.text.json.scanner import NodeKind, scan_json
from talktree.text.json.value import REFUSALS, Json

_decoder = msgspec.json.Decoder()
_first_value = json.JSONDecoder().raw_decode

BLANKS = b" \t\r\n"
MOST_ATTEMPTS = 64
"""Maximum number of places inside a broken line that are tried as the start of a whole record."""
LOOKED_INTO = 1 << 20
"""Size of a broken line that is scanned repeatedly; a longer one is scanned a few times."""
IsRecord = Callable[[Json], bool]


class LineSpan(NamedTuple):
    """A range of a line, relative to its start."""

    start: int
    stop: int
    note: str
    """Why the line was split here: `fused`, `spliced`, `interleaved`, or `junk` after a record;
    empty for the first range."""


def is_blank(line: bytes) -> bool:
    """Whether a line contains no record."""
    return not line.strip(BLANKS)


def split_line(line: bytes, is_record: IsRecord) -> list[LineSpan]:
    """Return the records inside a line that did not decode as one."""
    return _split_fused(line) or _Search(line, is_record).run()


class _Search:
    """Searches a broken line for whole records, within a bounded number of passes."""

    def __init__(self, line: bytes, is_record: IsRecord) -> None:
        self._line = line
        # Every byte becomes one character, so that offsets stay the same.
        self._text = line.decode("latin-1")
        self._is_record = is_record
        self._left = LOOKED_INTO + 4 * len(line)

    def run(self) -> list[LineSpan]:
        """Return all spans of the line."""
        found: list[LineSpan] = []
        here = 0
        for _ in range(MOST_ATTEMPTS):
            spans = self._split_from(here)
            if here:
                spans[0] = spans[0]._replace(note="fused" if len(spans) > 1 else "junk")
            found += spans[:-1]
            last = spans[-1]
            if last.note != "junk" or last.start == here:
                return [*found, last]
            here = last.start
        return [*found, LineSpan(here, len(self._line), "junk")]

    def _split_from(self, here: int) -> list[LineSpan]:
        """Return the spans from a place on; the last one may be junk that contains more."""
        line = self._line
        at = line.find(b'{"', here)
        for _ in range(MOST_ATTEMPTS):
            if at < 0 or self._left < 0:
                break
            # A record quoted inside a string has its quotes escaped, so it does not decode.
            end = _find_object_end(self._text, at)
            self._left -= (end or at) - at
            if end and self._is_record(decode(line[at:end]).value):
                spans = self._split_around(here, at, end)
                if spans:
                    return spans
            at = line.find(b'{"', at + 1)
        return [LineSpan(here, len(line), "")]

    def _split_around(self, here: int, at: int, end: int) -> list[LineSpan]:
        """Return the spans around a whole record; empty if that is a part of another."""
        line, stop = self._line, len(self._line)
        before, rest = line[here:at], line[end:]
        if at == here:
            return (
                [LineSpan(at, end, ""), LineSpan(end, stop, "junk")] if not is_blank(rest) else []
            )
        self._left -= stop - here
        if self._is_record(_decode_whole(before + rest)):
            marked = LineSpan(at, end, "interleaved"), LineSpan(end, stop, "interleaved")
            return [LineSpan(here, at, ""), *marked]
        # A line that ends directly after a record was ended by the writer of that record.
        if _is_nested(before) and not (is_blank(rest) and rest.endswith(b"\n")):
            return []
        if is_blank(rest):
            return [LineSpan(here, at, ""), LineSpan(at, stop, "spliced")]
        self._left -= stop - at
        more = [
            LineSpan(at + start, at + end, note or "spliced")
            for start, end, note in _split_fused(line[at:])
        ]
        return [LineSpan(here, at, ""), *more] if more else []


def _is_nested(before: bytes) -> bool:
    """Whether what follows a piece of a record is a value inside it."""
    found = scan_json(before)
    if any(problem.code == "torn" for problem in found.problems):
        return False
    last = before.rstrip(BLANKS)[-1:]
    if last in (b":", b"["):
        return True
    here = found.roots[-1] if found.roots else None
    while here is not None and here.children and not here.children[-1].closed:
        if here.children[-1].kind is NodeKind.SCALAR:
            break
        here = here.children[-1]
    return last == b"," and here is not None and here.kind is NodeKind.ARRAY


def _find_object_end(text: str, at: int) -> int:
    """Return where the object that starts at a place ends; 0 if it is incomplete."""
    try:
        _, end = _first_value(text, at)
    except (ValueError, RecursionError):
        return 0
    return end


def _split_fused(line: bytes) -> list[LineSpan]:
    """Return the spans of several whole records on one line, if that is what it is."""
    found = scan_json(line)
    roots = found.roots
    plain = found.complete and not found.problems
    if len(roots) < 2 or not plain or any(root.kind is not NodeKind.OBJECT for root in roots):
        return []
    starts = [0, *(root.start for root in roots[1:])]
    stops = [*starts[1:], len(line)]
    notes = ["", *("fused" for _ in roots[1:])]
    return [LineSpan(*each) for each in zip(starts, stops, notes, strict=True)]


def _decode_whole(text: bytes) -> Json:
    """Return the value if the text is one plain JSON value; fast to fail."""
    try:
        value: Json = _decoder.decode(text)
    except REFUSALS:
        return None
    return value


def diagnose_line(line: bytes, decoded: Decoded) -> tuple[str, str]:
    """Return what is wrong with a line without a whole record: the key of the oddity, and words."""
    if b"\0" in line:
        bare = line.replace(b"\0", b"")
        if is_blank(bare) or decode(bare).usable:
            return "nul", f"{len(line) - len(bare)} NUL bytes"
    codes = {problem.code for problem in decoded.problems}
    if codes and codes <= {"nul", "comment", "bom"}:
        return decoded.problems[0].code, decoded.problems[0].what
    for key in ("torn", "syntax"):
        for problem in decoded.problems:
            if problem.code == key:
                return key, problem.what
    return "syntax", "this is not a record"
