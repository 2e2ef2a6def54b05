"""Erasing whole sessions: their folders, older files, caches, and the lines of their parents.

`erasure/<name>.json` in the store lists the sessions. Once it is written they are erased, at the
latest when the store is written to next. A folder is moved away before it is removed, so that a
session either exists or does not.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from talktree.errors import LockHeld, TalktreeError
from talktree.files.durable import UNFINISHED, create_whole, sync_folder, write_all
from talktree.files.locking import folder_lock
from talktree.files.sandbox import Anchor
from talktree.session.erasure.erase import ErasureContext, stage_erasure
from talktree.session.erasure.foreign_backups import find_all_backups
from talktree.session.erasure.report import SessionErasure
from talktree.session.erasure.staging import (
    finish_erasure,
    is_decided,
    remove_backup,
    remove_caches,
)
from talktree.session.erasure.targets import ErasureTargets, read_log_lines
from talktree.session.journal.journal import Journal
from talktree.session.legacy import SUFFIX
from talktree.session.names import is_id
from talktree.text.json.decode import decode

FOLDER = b"erasure"
_ENDING = ".json"


class _Listed(Struct, frozen=True):
    """The content of a list."""

    sessions: list[str]
    backups: list[str]
    """Backups of other programs in the store's own folder."""


class WholeErasure:
    """The erasure of a session and its children."""

    def __init__(self, root: Anchor, sessions: Callable[[], Anchor], id: str) -> None:
        self._root = root
        self._sessions = sessions
        self._id = id
        with sessions() as folder:
            self._ids = _find_with_children(folder, id)

    def build_report(self, *, dry_run: bool) -> SessionErasure:
        """Return what is erased."""
        files: list[Path] = []
        messages = snapshots = 0
        with self._sessions() as sessions:
            for id in self._ids:
                older = sessions.path / f"{id}{SUFFIX}"
                files += [older] if older.exists() else []
                if sessions.lstat(id.encode()) is None:
                    continue
                inside = (sessions.path / id).rglob("*")
                files += sorted(each for each in inside if each.is_symlink() or not each.is_dir())
                with sessions.open_anchor(id.encode()) as folder:
                    messages += sum(1 for _ in read_log_lines(folder, "messages"))
                    snapshots += sum(1 for _ in read_log_lines(folder, "snapshots"))
            files += [self._root.path / name[1:] for name in self._find_backups(sessions)]
        return SessionErasure(
            session=self._id,
            dry_run=dry_run,
            sessions=tuple(self._ids),
            snapshots=snapshots,
            files=tuple(files),
            bytes=sum(each.lstat().st_size for each in files),
            not_undoable=(f"anything in it: {messages} messages and {snapshots} file snapshots",),
        )

    def apply(self) -> SessionErasure:
        """Erase the sessions; `LockHeld` if one of them, or the parent, is being written."""
        with self._sessions() as sessions, ExitStack() as held:
            for id in [*self._ids, *_find_parents(sessions, self._ids)]:
                held.enter_context(exclude_other_writers(sessions, id))
            report = self.build_report(dry_run=False)
            text = msgspec.json.encode(_Listed(self._ids, self._find_backups(sessions)))
            with suppress(FileExistsError):
                self._root.mkdir(FOLDER, 0o700)
            with self._root.open_anchor(FOLDER) as folder:
                name = f"{secrets.token_hex(8)}{_ENDING}".encode()
                create_whole(folder.fd, name, lambda fd: write_all(fd, text))
            sync_folder(self._root.fd)
            _finish_list(self._root, sessions, name)
        return report

    def _find_backups(self, sessions: Anchor) -> list[str]:
        found: list[str] = []
        for id in self._ids:
            if sessions.lstat(id.encode()) is not None:
                with sessions.open_anchor(id.encode()) as folder:
                    found += find_all_backups(folder, self._root)
        return found


def finish_whole_erasures(root: Anchor, sessions: Anchor) -> None:
    """Erase the sessions of committed lists that still exist."""
    if root.lstat(FOLDER) is None:
        return
    for name in _find_lists(root):
        with suppress(FileNotFoundError, LockHeld, msgspec.MsgspecError), ExitStack() as held:
            ids = [id for id in _read_list(root, name).sessions if is_id(id)]
            for id in [*ids, *_find_parents(sessions, ids)]:
                held.enter_context(exclude_other_writers(sessions, id))
            _finish_list(root, sessions, name)


def _find_lists(root: Anchor) -> list[bytes]:
    """Return the lists that were written completely."""
    names = [each.name for each in root.entries(FOLDER)]
    return [
        name.encode()
        for name in names
        if name.endswith(_ENDING) and not name.startswith(UNFINISHED)
    ]


@contextmanager
def exclude_other_writers(sessions: Anchor, id: str) -> Iterator[None]:
    """Prevent other handles from writing, and steps and moves from running, meanwhile."""
    if sessions.lstat(id.encode()) is None:
        yield
        return
    with sessions.open_anchor(id.encode()) as folder:
        journal = Journal(folder)
        try:
            with journal.exclude_other_writers(), folder_lock(folder.fd, exclusive=True):
                yield
        finally:
            journal.close()


def _finish_list(root: Anchor, sessions: Anchor, name: bytes) -> None:
    """Erase the sessions of a list; each part of this can be repeated."""
    listed = _read_list(root, name)
    ids = [id for id in listed.sessions if is_id(id)]
    for parent in _find_parents(sessions, ids):
        _forget_children(root, sessions, parent, ids)
    with root.open_anchor(FOLDER) as waste:
        for id in ids:
            if sessions.lstat(id.encode()) is not None:
                away = secrets.token_hex(8).encode()
                os.rename(id.encode(), away, src_dir_fd=sessions.fd, dst_dir_fd=waste.fd)
            with suppress(FileNotFoundError):
                sessions.unlink(f"{id}{SUFFIX}".encode())
        sync_folder(sessions.fd)
        for entry in list(waste.entries()):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(os.fsencode(entry.name), dir_fd=waste.fd)
            elif entry.name.startswith(UNFINISHED):
                waste.unlink(os.fsencode(entry.name))
        for place in listed.backups:
            remove_backup(root, place.removeprefix("/"))
        for id in ids:
            remove_caches(root, id)
            with suppress(FileNotFoundError):
                root.unlink(f"cache/{id}.lock".encode())
        waste.unlink(name)
        sync_folder(waste.fd)
    with suppress(OSError):
        # Another erasure may be running.
        root.rmdir(FOLDER)
    sync_folder(root.fd)


def _read_list(root: Anchor, name: bytes) -> _Listed:
    with os.fdopen(root.open(FOLDER + b"/" + name, os.O_RDONLY), "rb") as file:
        return msgspec.json.decode(file.read(), type=_Listed)


def _forget_children(root: Anchor, sessions: Anchor, parent: str, ids: Iterable[str]) -> None:
    with sessions.open_anchor(parent.encode()) as folder:
        if is_decided(folder):
            finish_erasure(sessions, parent, folder, root)
        targets = ErasureTargets(session=parent, children=frozenset(ids))
        stage_erasure(ErasureContext(folder, root, targets))
        finish_erasure(sessions, parent, folder, root)


# which sessions


def _find_with_children(sessions: Anchor, id: str) -> list[str]:
    """Return a session with all its direct and indirect children."""
    found: list[str] = []
    waiting = [id]
    while waiting:
        each = waiting.pop()
        if each in found:
            continue
        found.append(each)
        waiting += [
            child for child in _find_children(sessions, each) if _is_child(sessions, child, each)
        ]
    return found


def _find_children(sessions: Anchor, id: str) -> list[str]:
    return [str(value.get("child")) for value in _read_operations(sessions, id, "child")]


def _is_child(sessions: Anchor, id: str, parent: str) -> bool:
    """Whether the session itself names its parent: the parent's claim is not enough."""
    if not is_id(id) or sessions.lstat(id.encode()) is None:
        return False
    begins = (value.get("parent") for value in _read_operations(sessions, id, "begin"))
    return any(isinstance(each, dict) and each.get("session") == parent for each in begins)


def _find_parents(sessions: Anchor, ids: Iterable[str]) -> list[str]:
    """Return the sessions that stay and name one of these as a child."""
    gone = set(ids)
    found: list[str] = []
    for entry in sessions.entries():
        is_other = is_id(entry.name) and entry.name not in gone
        if is_other and entry.is_dir(follow_symlinks=False):
            with suppress(OSError, TalktreeError):
                if not gone.isdisjoint(_find_children(sessions, entry.name)):
                    found.append(entry.name)
    return found


def _read_operations(sessions: Anchor, id: str, kind: str) -> list[dict[str, Any]]:
    if not is_id(id) or sessions.lstat(id.encode()) is None:
        return []
    mark = f'"{kind}"'.encode()
    with sessions.open_anchor(id.encode()) as folder:
        raws = [line.raw for line in read_log_lines(folder, "operations") if mark in line.raw]
    values = (decode(raw).value for raw in raws)
    return [each for each in values if isinstance(each, dict) and each.get("kind") == kind]
