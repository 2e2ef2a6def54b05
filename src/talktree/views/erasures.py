"""What an erasure removes, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.session_care import format_space
from talktree.views.width import format_count


class ErasureReport(Protocol):
    """What is erased from a store."""

    @property
    def session(self) -> str: ...
    @property
    def dry_run(self) -> bool: ...
    @property
    def sessions(self) -> Sequence[str]: ...
    @property
    def messages(self) -> Sequence[str]: ...
    @property
    def emptied(self) -> Sequence[str]: ...
    @property
    def paths(self) -> Sequence[str]: ...
    @property
    def snapshots(self) -> int: ...
    @property
    def moves(self) -> int: ...
    @property
    def files(self) -> Sequence[Path]: ...
    @property
    def bytes(self) -> int: ...
    @property
    def not_undoable(self) -> Sequence[str]: ...
    @property
    def warnings(self) -> Sequence[str]: ...


def format_erasure_lines(done: ErasureReport) -> Iterator[Line]:
    """Yield what is removed, what can no longer be undone, and what remains."""
    verb = "would erase" if done.dry_run else "erased"
    for session in done.sessions:
        yield line(f"{verb} session {session}")
    for message in done.messages:
        yield line(f"{verb} message {message}")
    for message in done.emptied:
        yield line(f"{verb} the content of message {message}, the result of a call that stays")
    for path in done.paths:
        yield line(f"{verb} the history of {path}")
    if done.files:
        yield line(
            f"{verb} {format_count(len(done.files), 'file')} of the store, "
            f"{format_space(done.bytes)}"
        )
    for sentence in done.not_undoable:
        yield line(f"cannot be undone any more: {sentence}")
    for sentence in done.warnings:
        yield line(f"stays: {sentence}")


def build_erasure_shape(done: ErasureReport) -> dict[str, Json]:
    """Return the erasure as JSON values."""
    return {
        "session": done.session,
        "dry_run": done.dry_run,
        "sessions": list(done.sessions),
        "messages": list(done.messages),
        "emptied": list(done.emptied),
        "paths": list(done.paths),
        "snapshots": done.snapshots,
        "moves": done.moves,
        "files": [str(path) for path in done.files],
        "bytes": done.bytes,
        "not_undoable": list(done.not_undoable),
        "warnings": list(done.warnings),
    }
