"""The fast way to split a JSON text into nested records, for plain texts only.

It walks over the brackets and decodes each record without its nested records with a compiled
decoder, so the nesting depth does not matter. Everything that is not plain JSON of this shape, with
a record in every place and one list of further records in each, is left to `scanner`.

A record on a line of its own, up to its list or to its end, is decoded without that walk.
"""

from __future__ import annotations

import re
from functools import cache

import msgspec
from msgspec import Struct

from talktree.text.json.value import REFUSALS, Json

BLANKS = b" \t\r\n"
_START = re.compile(rb"[ \t\r\n]*([\[{])")
_OBJECT, _END_OF_OBJECT, _LIST, _END_OF_LIST = b"{}[]"
_decode = msgspec.json.Decoder().decode


class JsonRecordSpan(Struct):
    """One record of the text."""

    start: int
    gap_from: int
    """Start of the bytes between it and what comes before it."""
    depth: int
    first: bool
    """Whether it is the first in its list."""
    stop: int = -1
    hole: int = -1
    """Where its list of records opens, if it has one."""
    hole_end: int = -1
    tail_from: int = -1
    """Where the last record in that list ends."""
    raw: bytes = b""
    """Its text without the records in its list."""
    value: Json = None


class JsonRecordSpans(Struct):
    """All records in order, and their range in the text."""

    cuts: list[JsonRecordSpan]
    listed: bool
    start: int
    stop: int
    tail_from: int


def cut_records(text: bytes, name: str) -> JsonRecordSpans | None:
    """Return the records of a text, each nested in the member of another with this name, or
    None."""
    found = _START.match(text)
    if found is None:
        return None
    listed = found.group(1) == b"["
    start = found.end() if listed else 0
    walk = _Walk(text, name, start)
    try:
        if not walk.run(listed=listed):
            return None
    except REFUSALS:
        return None
    stop = walk.at - 1 if listed else len(text)
    if text[walk.at :].strip(BLANKS):
        return None
    return JsonRecordSpans(walk.cuts, listed, start, stop, walk.gap_from)


@cache
def _landmark_pattern(name: str) -> re.Pattern[bytes]:
    """Match everything up to and including the next bracket; group 1 is the list with the given
    name."""
    named = b'"' + re.escape(name.encode()) + rb'"\s*+:\s*+\['
    string = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
    boring = rb'(?:[^"\[\]{}]++|(?!' + named + rb")" + string + rb")*+"
    return re.compile(boring + rb"(?:(" + named + rb")|[\[\]{}])", re.DOTALL)


class _Walk:
    def __init__(self, text: bytes, name: str, start: int) -> None:
        self.text = text
        self.name = name
        self.landmark = _landmark_pattern(name)
        self.quoted = b'"%b"' % name.encode()
        self.opening = self.quoted + b":["
        """How a list begins at the end of a line."""
        self.at = start
        self.walked_until = -1
        """The end of a line that does not contain exactly one record."""
        self.gap_from = start
        self.first = True
        self.cuts: list[JsonRecordSpan] = []
        self.open: list[JsonRecordSpan] = []

    def run(self, *, listed: bool) -> bool:
        """Walk to the end of the text's one value; False if it is not plain."""
        text, match, open = self.text, self.landmark.match, self.open
        inner, in_list = 0, True
        while True:
            found = match(text, self.at)
            if found is None:
                return False
            self.at = found.end()
            byte = text[self.at - 1]
            if in_list:
                if byte == _OBJECT and self._open_record():
                    in_list = self._is_line()
                elif byte == _END_OF_LIST and self._end_list():
                    if not open:
                        return listed
                    in_list = False
                else:
                    return False
            elif inner or not (found.group(1) or byte == _END_OF_OBJECT):
                inner += 1 if byte in (_OBJECT, _LIST) else -1
                if inner < 0:
                    return False
            elif byte == _LIST:
                if open[-1].hole >= 0:
                    return False
                open[-1].hole = self.gap_from = self.at
                in_list = self.first = True
            else:
                if not self._close_record():
                    return False
                in_list = True
            if in_list and not open and not listed:
                return True

    def _open_record(self) -> bool:
        start = self.at - 1
        gap = self.text[self.gap_from : start].strip(BLANKS)
        record = JsonRecordSpan(start, self.gap_from, len(self.open), self.first)
        self.cuts.append(record)
        self.open.append(record)
        return gap == (b"" if self.first else b",")

    def _end_list(self) -> bool:
        end = self.at - 1
        if self.open:
            self.open[-1].hole_end = end
            self.open[-1].tail_from = self.gap_from
        return not self.text[self.gap_from : end].strip(BLANKS)

    def _is_line(self) -> bool:
        """Decode the opened record if it fills the rest of the line.

        It may end with its list of records, which then follow on further lines.
        """
        start = self.at - 1
        if start < self.walked_until:
            return False
        end = self.text.find(b"\n", start)
        line = self.text[start:end].removesuffix(b",") if end >= 0 else b""
        stop = start + len(line)
        if line.endswith(self.opening):
            taken = self._is_taken(line + b"]}", stop, hole=stop)
        elif line.endswith(self.opening + b"]}"):
            taken = self._is_taken(line, stop, hole=stop - 2)
        else:
            taken = line.endswith(b"}") and self._is_taken(line, stop)
        if not taken:
            self.walked_until = end if end >= 0 else len(self.text)
        return taken

    def _is_taken(self, raw: bytes, stop: int, *, hole: int = -1) -> bool:
        """Decode the text of one record, and return whether it is one; its list comes last in
        it."""
        # Elsewhere in the record, the name may be that of another list.
        if raw.count(self.quoted) != (hole >= 0):
            return False
        try:
            value = _decode(raw)
        except REFUSALS:
            return False
        if not isinstance(value, dict) or not self._has_only_list(value, hole):
            return False
        if hole >= 0 and next(reversed(value)) != self.name:
            return False
        record = self.open[-1]
        record.raw, record.value, record.hole = raw, value, hole
        self.at = self.gap_from = stop
        self.first = hole == stop
        if not self.first:
            record.stop = stop
            record.hole_end = record.tail_from = hole
            self.open.pop()
        return True

    def _close_record(self) -> bool:
        record = self.open.pop()
        record.stop = self.gap_from = self.at
        self.first = False
        text = self.text
        if record.raw and text[record.hole_end : record.stop] == b"]}":
            # It was decoded with its line.
            return True
        if record.hole < 0:
            record.raw = text[record.start : record.stop]
        else:
            record.raw = text[record.start : record.hole] + text[record.hole_end : record.stop]
        record.value = _decode(record.raw)
        return self._has_only_list(record.value, record.hole)

    def _has_only_list(self, value: Json, hole: int) -> bool:
        """Whether a record has the list that was seen in its text, and no other."""
        # An unseen list, whose name is written with escapes, is not empty.
        held = value.get(self.name) if isinstance(value, dict) else None
        return held == [] if hole >= 0 else not isinstance(held, list)
