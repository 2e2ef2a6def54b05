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
    Trouble,
    named_anywhere,
)
from talktree.session.handle import Opened
from talktree.session.journal.journal import LOGS

__all__ = ["SEVERITIES", "Freed", "Trouble", "Usage", "check", "gc", "usage"]

GRACE = 86_400.0
"""Seconds for which what nobody names is left alone: a writer may be about to name it."""


def check(session: Opened | Anchor, *, read_data: bool = False) -> list[Trouble]:
    """Everything that is wrong with a session; with `read_data` every content is hashed as well."""
    folder = session.folder if isinstance(session, Opened) else session
    return Inspection(folder).run(read_data=read_data)


class Freed(NamedTuple):
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


def gc(opened: Opened, *, dry_run: bool = True, grace: float = GRACE) -> Freed:
    """Remove contents that no line names and that are older than a time of grace.

    No step and no move is at work meanwhile; `Busy` if one is.
    """
    with nullcontext() if dry_run else _quiet(opened):
        contents, oldest = opened.contents, time() - grace
        # First what is there, then what is named: whatever comes in between has a name by then.
        found = list(contents.names())
        named = named_anywhere(opened.folder)
        unnamed = [name for name in found if name not in named]
        unfinished = list(contents.unfinished())
        old = [name for name in (*unnamed, *unfinished) if contents.changed_at(name) < oldest]
        sizes = {name: contents.size_of(name) for name in old}
        if not dry_run:
            for name in old:
                contents.remove(name)
    return Freed(
        tuple((name, sizes[name]) for name in unnamed if name in sizes),
        tuple((name, sizes[name]) for name in unfinished if name in sizes),
        len(unnamed) + len(unfinished) - len(old),
        dry_run,
    )


@contextmanager
def _quiet(opened: Opened) -> Iterator[None]:
    """Nobody keeps contents for this session: neither a step nor a move is at work."""
    if opened.workspace is None:
        yield
        return
    with folder_lock(opened.workspace.fd, exclusive=True):
        yield


class Usage(NamedTuple):
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


def usage(opened: Opened) -> Usage:
    """What a session takes on the disk."""
    contents = opened.contents
    sizes = {name: contents.size_of(name) for name in contents.names()}
    named = named_anywhere(opened.folder)
    return Usage(
        {log: opened.journal.length(log) for log in LOGS},
        sum(sizes.values()) + sum(map(contents.size_of, contents.unfinished())),
        len(sizes),
        sum(size for name, size in sizes.items() if name not in named),
        _quarantined(opened.folder),
        _cached(opened),
    )


def _quarantined(folder: Anchor) -> int:
    path = QUARANTINE.encode()
    if folder.lstat(path) is None:
        return 0
    return sum(entry.stat(follow_symlinks=False).st_size for entry in folder.entries(path))


def _cached(opened: Opened) -> int:
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
