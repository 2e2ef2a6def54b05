"""Changing a session's folder atomically.

New files are written into `.unfinished-erasure/` and synced. Renaming that folder to `erasure/`
commits the change: from then on it happens, at the latest when the session is opened next.
Finishing moves each file to its place, removes what `remove.json` lists, and then the folder. Each
of these steps can be repeated.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress

import msgspec
from msgspec import Struct

from talktree.files.durable import UNFINISHED, create_whole, sync_folder, write_all
from talktree.files.sandbox import Anchor
from talktree.session.capture.blobs import FOLDER as BACKUPS
from talktree.session.care.inspection import ERASURE
from talktree.session.index.schema import clear_cache
from talktree.session.journal.quarantine import FOLDER as QUARANTINE

STAGED = b".unfinished-erasure"
DECIDED = ERASURE
EMBEDDED = b"x-talktree.jsonl"
"""The source data that a conversion embedded; it may hold any text of the source."""
_LIST = b"remove.json"
_OUTSIDE = b"beside.json"
"""The older file beside the folder of the session."""


class _Removal(Struct, frozen=True):
    """What is removed once the new files are in their places."""

    files: list[str]
    """Below the session's folder, or with a `/` below the root."""
    leftovers: bool


class Staging:
    """New files of a session, before the commit."""

    def __init__(self, folder: Anchor) -> None:
        self._session = folder
        discard_staged(folder)
        folder.mkdir(STAGED, 0o700)
        self._folder = folder.open_anchor(STAGED)

    def add(self, name: bytes, chunks: Iterable[bytes], *, mode: int = 0o600) -> None:
        """Write a new file that replaces the one with this name."""

        def fill(fd: int) -> None:
            """Write one chunk after the other."""
            for chunk in chunks:
                write_all(fd, chunk)

        create_whole(self._folder.fd, name, fill, mode)

    def add_older_file(self, data: bytes) -> None:
        """Write a new version of the older file beside the session's folder."""
        self.add(_OUTSIDE, [data])

    def drop(self, name: bytes) -> None:
        """Discard a new file, because it is unchanged."""
        self._folder.unlink(name)

    def descriptor(self, name: bytes) -> int | None:
        """Return a descriptor of a file as it will be; None if there will be none."""
        for folder in (self._folder, self._session):
            with suppress(FileNotFoundError):
                return folder.open(name, os.O_RDONLY | os.O_NONBLOCK)
        return None

    def decide(self, remove: Iterable[str], *, leftovers: bool) -> None:
        """Commit the change; with `leftovers` the files of dead writers are removed as well."""
        self.add(_LIST, [msgspec.json.encode(_Removal(list(remove), leftovers))])
        self._folder.close()
        self._session.rename(STAGED, DECIDED)
        sync_folder(self._session.fd)

    def discard(self) -> None:
        """Discard the change."""
        self._folder.close()
        discard_staged(self._session)


def discard_staged(folder: Anchor) -> None:
    """Remove files that were written and not committed."""
    if folder.lstat(STAGED) is not None:
        shutil.rmtree(STAGED, dir_fd=folder.fd)


def is_staged(folder: Anchor) -> bool:
    """Whether there are files that were written and not committed."""
    return folder.lstat(STAGED) is not None


def is_decided(folder: Anchor) -> bool:
    """Whether there is a committed erasure that is not finished."""
    return folder.lstat(DECIDED) is not None


def finish_erasure(sessions: Anchor, id: str, folder: Anchor, root: Anchor) -> None:
    """Finish a committed erasure; no other handle may write meanwhile."""
    decided = folder.open_anchor(DECIDED)
    try:
        for entry in list(decided.entries()):
            name = os.fsencode(entry.name)
            if name == _LIST or entry.name.startswith(UNFINISHED):
                continue
            if name == _OUTSIDE:
                target = os.fsencode(f"{id}.json")
                os.rename(name, target, src_dir_fd=decided.fd, dst_dir_fd=sessions.fd)
                sync_folder(sessions.fd)
            else:
                os.rename(name, name, src_dir_fd=decided.fd, dst_dir_fd=folder.fd)
        sync_folder(folder.fd)
        removal = _read_removal(decided)
    finally:
        decided.close()
    _apply_removal(removal, folder, root)
    remove_caches(root, id)
    # Once the list is removed, only the empty folder is left to remove.
    shutil.rmtree(DECIDED, dir_fd=folder.fd)
    sync_folder(folder.fd)


def _read_removal(decided: Anchor) -> _Removal:
    try:
        fd = decided.open(_LIST, os.O_RDONLY)
    except FileNotFoundError:
        # It is removed last.
        return _Removal([], leftovers=False)
    with os.fdopen(fd, "rb") as file:
        return msgspec.json.decode(file.read(), type=_Removal)


def _apply_removal(removal: _Removal, folder: Anchor, root: Anchor) -> None:
    for name in removal.files:
        remove_backup(root if name.startswith("/") else folder, name.removeprefix("/"))
    for anchor in (folder, root) if removal.files else ():
        if anchor.lstat(BACKUPS) is not None:
            with anchor.open_anchor(BACKUPS) as backups:
                sync_folder(backups.fd)
    if removal.leftovers:
        remove_leftovers(folder)


def remove_backup(anchor: Anchor, name: str) -> None:
    """Remove a stored content or embedded data; other names in a list are ignored."""
    path = name.encode("utf-8", "surrogateescape")
    if path.startswith(BACKUPS + b"/") or path == EMBEDDED:
        with suppress(FileNotFoundError):
            anchor.unlink(path)


def remove_leftovers(folder: Anchor) -> None:
    """Remove the files of dead writers: unfinished files, and bytes that were cut off logs."""
    for inside in (b".", BACKUPS):
        if inside != b"." and folder.lstat(inside) is None:
            continue
        for entry in list(folder.entries(inside)):
            if entry.name.startswith(UNFINISHED) and entry.is_file(follow_symlinks=False):
                name = os.fsencode(entry.name)
                folder.unlink(name if inside == b"." else inside + b"/" + name)
    if folder.lstat(QUARANTINE.encode()) is not None:
        shutil.rmtree(QUARANTINE, dir_fd=folder.fd)


def remove_caches(root: Anchor, id: str) -> None:
    """Remove the cache of a session, even if others have it open."""
    if root.lstat(b"cache") is None:
        return
    clear_cache(root.path / "cache" / f"{id}.sqlite")
    start = (f"{id}.files", f"{UNFINISHED}")
    for entry in list(root.entries(b"cache")):
        is_ours = entry.name == start[0] or (
            entry.name.startswith(start[1]) and entry.name.endswith(f"-{id}.files")
        )
        if is_ours:
            with suppress(FileNotFoundError):
                root.unlink(b"cache/" + os.fsencode(entry.name))
