"""What differs between two states of a path, as a unified diff or in a few words."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import unified_diff

from talktree.errors import TalktreeError
from talktree.session.capture.file_state import Absent, File, Folder, Link, State, name_to_json
from talktree.session.undo.merge import LARGEST, is_text
from talktree.session.undo.target_folder import Supply
from talktree.session.undo.three_way import kind


def bytes_of(supply: Supply, state: State) -> bytes | None:
    """The content of a small file; None if it cannot be had or is large."""
    if isinstance(state, Absent):
        return b""
    if not isinstance(state, File) or state.size > LARGEST:
        return None
    try:
        return b"".join(supply.pieces(state))
    except TalktreeError:
        return None


def difference(path: bytes, old: bytes | None, new: bytes | None) -> list[str]:
    """A unified diff of two texts, line by line; empty if they are no texts or equal."""
    if old is None or new is None or not is_text(old) or not is_text(new):
        return []
    name = name_to_json(path)
    found = unified_diff(_lines(old), _lines(new), f"a/{name}", f"b/{name}", lineterm="")
    return list(found)


def _lines(data: bytes) -> list[str]:
    lines = data.decode().split("\n")
    if lines[-1]:
        lines[-1] += "\n\\ No newline at end of file"
    else:
        lines.pop()
    return lines


def in_words(before: State, after: State) -> str:
    """What changes, in a few words."""
    return ", ".join(_words(before, after)) or "nothing"


def _words(before: State, after: State) -> Iterator[str]:
    match before, after:
        case File(), File():
            if before.hash != after.hash:
                yield f"{before.size:,} → {after.size:,} bytes"
            if before.mode != after.mode:
                yield f"mode {before.mode:04o} → {after.mode:04o}"
        case Folder(), Folder():
            if before.mode != after.mode:
                yield f"mode {before.mode:04o} → {after.mode:04o}"
        case _, File():
            yield f"{after.size:,} bytes"
        case File(), Absent():
            yield f"{before.size:,} bytes"
        case _, Link():
            yield f"to {name_to_json(after.target)}"
        case _:
            if type(before) is not type(after):
                yield f"{kind(before)} → {kind(after)}"
