"""Three-way merges of text by lines, and differences as text.

Overlapping changes are not merged. The difference between two states of a path is a unified diff or
a short description.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher, unified_diff
from typing import NamedTuple

from talktree.errors import TalktreeError
from talktree.session.capture.file_state import (
    AbsentState,
    FileContentState,
    Folder,
    LinkState,
    State,
    name_to_json,
)
from talktree.session.undo.target_folder import Supply
from talktree.session.undo.three_way import describe_kind

LARGEST = 1 << 20
"""Maximum number of bytes that are merged by lines."""


class _Edit(NamedTuple):
    """Lines of the base that one side replaced."""

    start: int
    stop: int
    lines: tuple[bytes, ...]


def is_text(data: bytes) -> bool:
    """Whether the bytes are text."""
    if b"\0" in data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def merge_texts(base: bytes, one: bytes, other: bytes) -> bytes | None:
    """Return a text with both changes to the base; None if they overlap, or it is not text.

    Adjacent changes without a line between them overlap, unless they are equal.
    """
    if not all(map(is_text, (base, one, other))):
        return None
    if one == other or other == base:
        return one
    if one == base:
        return other
    lines = _split_byte_lines(base)
    found = _combine_edits(
        _find_edits(lines, _split_byte_lines(one)), _find_edits(lines, _split_byte_lines(other))
    )
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


def _split_byte_lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True) if b"\r" not in data else _split_at_newlines(data)


def _split_at_newlines(data: bytes) -> list[bytes]:
    """Split at newlines only, so that a carriage return stays part of its line."""
    parts = data.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _find_edits(base: Sequence[bytes], changed: Sequence[bytes]) -> Iterator[_Edit]:
    matcher = SequenceMatcher(None, base, changed, autojunk=False)
    for tag, start, stop, first, last in matcher.get_opcodes():
        if tag != "equal":
            yield _Edit(start, stop, tuple(changed[first:last]))


def _combine_edits(ours: Iterator[_Edit], theirs: Iterator[_Edit]) -> list[_Edit] | None:
    """Return the edits of both sides in order, each once; None if two different ones overlap."""
    found: list[_Edit] = []
    for edit in sorted({*ours, *theirs}):
        if found and edit.start <= found[-1].stop:
            return None
        found.append(edit)
    return found


def read_bytes(supply: Supply, state: State) -> bytes | None:
    """Return the content of a small file; None if it is not available or is large."""
    if isinstance(state, AbsentState):
        return b""
    if not isinstance(state, FileContentState) or state.size > LARGEST:
        return None
    try:
        return b"".join(supply.pieces(state))
    except TalktreeError:
        return None


def diff_texts(path: bytes, old: bytes | None, new: bytes | None) -> list[str]:
    """Return a unified diff of two texts; empty if they are equal or not texts."""
    if old is None or new is None or not is_text(old) or not is_text(new):
        return []
    name = name_to_json(path)
    found = unified_diff(
        _split_lines(old), _split_lines(new), f"a/{name}", f"b/{name}", lineterm=""
    )
    return list(found)


def _split_lines(data: bytes) -> list[str]:
    lines = data.decode().split("\n")
    if lines[-1]:
        lines[-1] += "\n\\ No newline at end of file"
    else:
        lines.pop()
    return lines


def describe_change(before: State, after: State) -> str:
    """Return a short description of a change."""
    return ", ".join(_describe_parts(before, after)) or "nothing"


def _describe_parts(before: State, after: State) -> Iterator[str]:
    match before, after:
        case FileContentState(), FileContentState():
            if before.hash != after.hash:
                yield f"{before.size:,} → {after.size:,} bytes"
            if before.mode != after.mode:
                yield f"mode {before.mode:04o} → {after.mode:04o}"
        case Folder(), Folder():
            if before.mode != after.mode:
                yield f"mode {before.mode:04o} → {after.mode:04o}"
        case _, FileContentState():
            yield f"{after.size:,} bytes"
        case FileContentState(), AbsentState():
            yield f"{before.size:,} bytes"
        case _, LinkState():
            yield f"to {name_to_json(after.target)}"
        case _:
            if type(before) is not type(after):
                yield f"{describe_kind(before)} → {describe_kind(after)}"
