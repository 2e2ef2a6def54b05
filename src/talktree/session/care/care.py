"""Care of a session: what is wrong with it, what it takes, what nobody needs any more.

Only contents that no line names are removed here, and temporary files of dead writers; logs never
are. Nothing expires.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from time import time
from typing import NamedTuple

from talktree.files.locking import folder_lock
from talktree.files.sandbox import Anchor
from talktree.session.care.inspection import (
    QUARANTINE,
    SEVERITIES,
    Inspection,
    SessionProblem,
    find_named_hashes,
)
from talktree.session.handle import SessionHandle
from talktree.session.journal.journal import LOGS

__all__ = [
    "SEVERITIES",
    "CleanupResult",
    "DiskUsage",
    "SessionProblem",
    "check_session",
    "gc",
    "measure_usage",
]

GRACE = 86_400.0
"""Seconds for which what nobody names is left alone: a writer may be about to name it."""


def check_session(
    session: SessionHandle | Anchor, *, read_data: bool = False
) -> list[SessionProblem]:
    """Everything that is wrong with a session; with `read_data` every content is hashed as well."""
    folder = session.folder if isinstance(session, SessionHandle) else session
    return Inspection(folder).run(read_data=read_data)


class CleanupResult(NamedTuple):
    """What was removed, or would be."""

    contents: tuple[tuple[str, int], ...]
    """Hashes of contents that no line names, and their bytes."""
    unfinished: tuple[tuple[str, int], ...]
    """Temporary files of writers that are gone, and their bytes."""
    waiting: int
    """How many are not named and not old enough."""
    dry_run: bool

    @property
    def bytes(self) -> int:
        """How much space that is."""
        return sum(size for _, size in (*self.contents, *self.unfinished))


def gc(opened: SessionHandle, *, dry_run: bool = True, grace: float = GRACE) -> CleanupResult:
    """Remove contents that no line names and that are older than a time of grace.

    No step and no move is at work meanwhile; `LockHeld` if one is.
    """
    with nullcontext() if dry_run else _hold_writers_off(opened):
        contents, oldest = opened.contents, time() - grace
        # First what is there, then what is named: whatever comes in between has a name by then.
        found = list(contents.list_hashes())
        named = find_named_hashes(opened.folder)
        unnamed = [name for name in found if name not in named]
        unfinished = list(contents.list_unfinished())
        old = [name for name in (*unnamed, *unfinished) if contents.modified_at(name) < oldest]
        sizes = {name: contents.size_of(name) for name in old}
        if not dry_run:
            for name in old:
                contents.remove(name)
    return CleanupResult(
        tuple((name, sizes[name]) for name in unnamed if name in sizes),
        tuple((name, sizes[name]) for name in unfinished if name in sizes),
        len(unnamed) + len(unfinished) - len(old),
        dry_run,
    )


@contextmanager
def _hold_writers_off(opened: SessionHandle) -> Iterator[None]:
    """Nobody keeps contents for this session: neither a step nor a move is at work."""
    if opened.workspace is None:
        yield
        return
    with folder_lock(opened.workspace.fd, exclusive=True):
        yield


class DiskUsage(NamedTuple):
    """What a session takes on the disk, in bytes."""

    logs: dict[str, int]
    contents: int
    kept: int
    """How many contents there are."""
    unnamed: int
    """Of the contents, those that no line names."""
    quarantine: int
    cache: int

    @property
    def total(self) -> int:
        """All of it."""
        return sum(self.logs.values()) + self.contents + self.quarantine + self.cache


def measure_usage(opened: SessionHandle) -> DiskUsage:
    """What a session takes on the disk."""
    contents = opened.contents
    sizes = {name: contents.size_of(name) for name in contents.list_hashes()}
    named = find_named_hashes(opened.folder)
    return DiskUsage(
        {log: opened.journal.length(log) for log in LOGS},
        sum(sizes.values()) + sum(map(contents.size_of, contents.list_unfinished())),
        len(sizes),
        sum(size for name, size in sizes.items() if name not in named),
        _measure_quarantine(opened.folder),
        _measure_cache(opened),
    )


def _measure_quarantine(folder: Anchor) -> int:
    path = QUARANTINE.encode()
    if folder.lstat(path) is None:
        return 0
    return sum(entry.stat(follow_symlinks=False).st_size for entry in folder.entries(path))


def _measure_cache(opened: SessionHandle) -> int:
    """The files of the cache: SQLite has up to three."""
    start = f"{opened.id}.sqlite"
    try:
        with os.scandir(opened.root / "cache") as found:
            return sum(
                entry.stat(follow_symlinks=False).st_size
                for entry in found
                if entry.name.startswith(start)
            )
    except OSError:
        return 0
