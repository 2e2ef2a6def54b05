"""A three-way merge of text by lines; what overlaps is left to people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

LARGEST = 1 << 20
"""Bytes above which nobody waits for a merge by lines."""


class _Edit(NamedTuple):
    """Lines of the base that one side replaced."""

    start: int
    stop: int
    lines: tuple[bytes, ...]


def is_text(data: bytes) -> bool:
    """Whether lines are what this is made of."""
    if b"\0" in data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def merged(base: bytes, one: bytes, other: bytes) -> bytes | None:
    """Both changes to the base in one text; None if they meet in the same lines, or it is no text.

    Changes that touch without a line between them count as meeting, unless they are the same.
    """
    if not all(map(is_text, (base, one, other))):
        return None
    if one == other or other == base:
        return one
    if one == base:
        return other
    lines = _lines(base)
    found = _together(_edits(lines, _lines(one)), _edits(lines, _lines(other)))
    if found is None:
        return None
    result: list[bytes] = []
    at = 0
    for edit in found:
        result += lines[at : edit.start]
        result += edit.lines
        at = edit.stop
    result += lines[at:]
    return b"".join(result)


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True) if b"\r" not in data else _by_newline(data)


def _by_newline(data: bytes) -> list[bytes]:
    """Lines end with a newline only, so that a carriage return stays where it is."""
    parts = data.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _edits(base: Sequence[bytes], changed: Sequence[bytes]) -> Iterator[_Edit]:
    matcher = SequenceMatcher(None, base, changed, autojunk=False)
    for tag, start, stop, first, last in matcher.get_opcodes():
        if tag != "equal":
            yield _Edit(start, stop, tuple(changed[first:last]))


def _together(ours: Iterator[_Edit], theirs: Iterator[_Edit]) -> list[_Edit] | None:
    """The edits of both sides in order, each once; None if two different ones meet."""
    found: list[_Edit] = []
    for edit in sorted({*ours, *theirs}):
        if found and edit.start <= found[-1].stop:
            return None
        found.append(edit)
    return found
