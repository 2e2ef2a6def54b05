"""Contents of files that were kept beside a conversation: backups, and Claude Code's copies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from talktree.errors import TalktreeError
from talktree.files import Source
from talktree.formats.engine import Origin
from talktree.model.entries import FileState, Snapshot
from talktree.session.claude.file_history import ClaudeHistory, history_of
from talktree.web.documents.open_conversation import Opened
from talktree.web.documents.touches import inside, snapshots_of

LARGEST = 4 << 20
"""Bytes of a content that is compared."""
ENDING = ".backup"


class Seen(NamedTuple):
    """What a snapshot tells of a file at a message."""

    message: str
    before: bytes | None
    """What was in it before the message; None if nobody knows."""
    absent: bool
    """It was not there before."""
    after: bytes | None
    changed: bool
    """Whether the message changed it; else it only was so then."""
    warning: str = ""


def seen_in_snapshots(opened: Opened, path: str, folder: str | None) -> Iterator[Seen]:
    """What snapshots and copies tell of a file, in source order."""
    origin = opened.document.origin
    assert isinstance(origin, Origin)
    if opened.kept.format == "claude-code":
        yield from _copies(opened, path, folder)
        return
    for snapshot in snapshots_of(opened.as_read):
        for name, state in snapshot.files.items():
            if inside(name, folder) == path and snapshot.message:
                yield _seen(origin.source, snapshot, state)


def _seen(source: Source, snapshot: Snapshot, state: FileState) -> Seen:
    before, warning = _before(source, state)
    absent = state.absent_before or (state.state == "created" and before is None)
    after = None
    if state.hash is not None:
        after = _checked(source, f"backups/{state.hash}{ENDING}", state.hash)
    if state.state == "deleted":
        after = None
    return Seen(
        message=snapshot.message or "",
        before=before,
        absent=absent,
        after=after,
        changed=state.state not in (None, "unchanged"),
        warning=warning,
    )


def _before(source: Source, state: FileState) -> tuple[bytes | None, str]:
    if state.content_before is not None:
        return state.content_before.encode("utf-8", "surrogatepass"), ""
    if state.backup is None:
        return None, ""
    data = _kept(source, state.backup)
    if data is None:
        return None, "a backup is missing"
    if state.hash_before and sha256(data).hexdigest() != state.hash_before:
        return data, "a backup has another hash than was noted"
    return data, ""


def _kept(source: Source, name: str) -> bytes | None:
    """A file of the source itself; names never lead anywhere else."""
    content = source.files.get(name)
    return None if content is None or content.size > LARGEST else content.read()


def _checked(source: Source, name: str, hash: str) -> bytes | None:
    data = _kept(source, name)
    return data if data is not None and sha256(data).hexdigest() == hash else None


def _copies(opened: Opened, path: str, folder: str | None) -> Iterator[Seen]:
    """What Claude Code's own copies tell: what a file was when a prompt was given."""
    try:
        history = history_of(opened.document, Path(os.fsdecode(opened.kept.raw_path)))
    except TalktreeError:
        return
    try:
        for point in history.points:
            for name, kept in point.files.items():
                if inside(name, folder) == path:
                    data = None if kept.copy is None else _copy(history, kept.copy)
                    lost = "a copy is missing" if kept.copy and data is None else ""
                    yield Seen(point.message, data, kept.absent, None, changed=False, warning=lost)
    finally:
        history.close()


def _copy(history: ClaudeHistory, name: str) -> bytes | None:
    from talktree.session.capture.file_state import File

    state = history.copy_state(name)
    if not isinstance(state, File) or state.size > LARGEST:
        return None
    try:
        with history.open_copy(name) as stream:
            return stream.read(LARGEST)
    except (OSError, TalktreeError):
        return None
