"""Maintenance of a session: problems, disk usage, and removing unused contents.

Only contents that no line names, and temporary files of dead writers, are removed; logs never are.
Nothing expires.
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
"""Seconds for which an unreferenced content is kept: a writer may be about to name it."""


def check_session(
    session: SessionHandle | Anchor, *, read_data: bool = False
) -> list[SessionProblem]:
    """Return all problems of a session; with `read_data` every content is hashed as well."""
    folder = session.folder if isinstance(session, SessionHandle) else session
    return Inspection(folder).run(read_data=read_data)


class CleanupResult(NamedTuple):
    """What was removed, or would be."""

    contents: tuple[tuple[str, int], ...]
    """Hashes of contents that no line names, and their bytes."""
    unfinished: tuple[tuple[str, int], ...]
    """Temporary files of dead writers, and their bytes."""
    waiting: int
    """The number of unreferenced files that are not old enough."""
    dry_run: bool

    @property
    def bytes(self) -> int:
        """The bytes that are freed."""
        return sum(size for _, size in (*self.contents, *self.unfinished))


def gc(opened: SessionHandle, *, dry_run: bool = True, grace: float = GRACE) -> CleanupResult:
    """Remove contents that no line names and that are older than the grace period.

    Raises `LockHeld` if a step or a move is running.
    """
    with nullcontext() if dry_run else _hold_writers_off(opened):
        contents, oldest = opened.contents, time() - grace
        # First list the files, then the references: a file added in between is named by then.
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
    """Hold the lock that prevents steps and moves from storing contents for this session."""
    if opened.workspace is None:
        yield
        return
    with folder_lock(opened.workspace.fd, exclusive=True):
        yield


class DiskUsage(NamedTuple):
    """The size of a session on the disk, in bytes."""

    logs: dict[str, int]
    contents: int
    kept: int
    """The number of contents."""
    unnamed: int
    """The size of the contents that no line names."""
    quarantine: int
    cache: int

    @property
    def total(self) -> int:
        """The total size."""
        return sum(self.logs.values()) + self.contents + self.quarantine + self.cache


def measure_usage(opened: SessionHandle) -> DiskUsage:
    """Return the size of a session on the disk."""
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
    """Return the size of the cache files: SQLite has up to three."""
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
