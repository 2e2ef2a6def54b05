"""Backups that other programs keep for erased messages and paths.

The path of such a file comes from a line and is not trusted. The file is removed only if it is in a
folder `backups` of the session or of the store, has the content that the line says, and no other
line of any session names it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import file_digest

from talktree.errors import PathEscapes
from talktree.files.sandbox import Anchor
from talktree.session.capture.snapshots import ForeignBackup, parse_snapshot
from talktree.session.erasure.targets import ErasureTargets, read_log_lines
from talktree.text.json.decode import decode

_FOLDER = "backups/"


def find_foreign_backups(folder: Anchor, root: Anchor, targets: ErasureTargets) -> list[str]:
    """Return the files to remove: below the session's folder, or with a `/` below the root."""
    gone, kept = set[tuple[str, str | None]](), set[str]()
    for message, backup in _read_backups(folder):
        if message in targets.messages or targets.has_path(backup.path):
            gone.add((backup.place, backup.hash))
        else:
            kept.add(_strip_folder(backup.place, folder, root))
    found = [
        name
        for place, hash in gone
        if (name := _find_file(place, hash, folder, root)) is not None
        and _strip_folder(place, folder, root) not in kept
    ]
    return [name for name in found if not name.startswith("/") or not _is_shared(name, folder)]


def find_all_backups(folder: Anchor, root: Anchor) -> list[str]:
    """Return the backups in the store's own folder that only this session names."""
    found = {_find_file(each.place, each.hash, folder, root) for _, each in _read_backups(folder)}
    outside = [name for name in found if name is not None and name.startswith("/")]
    return [name for name in outside if not _is_shared(name, folder)]


def _read_backups(folder: Anchor) -> Iterator[tuple[str, ForeignBackup]]:
    for log in ("snapshots", "messages"):
        for line in read_log_lines(folder, log):
            value = decode(line.raw).value
            if isinstance(value, dict) and "snapshot" in value:
                one = parse_snapshot(value)
                for backup in one.backups:
                    yield one.message, backup


def _strip_folder(place: str, folder: Anchor, root: Anchor) -> str:
    """Return a path without the folders that lead to the session or to the store."""
    for start in (f"{folder.path}/", f"{root.path}/", f"{root.path.name}/"):
        place = place.removeprefix(start)
    return place


def _find_file(place: str, hash: str | None, folder: Anchor, root: Anchor) -> str | None:
    name = _strip_folder(place, folder, root)
    if hash is None or not name.startswith(_FOLDER):
        return None
    for anchor, mark in ((folder, ""), (root, "/")):
        try:
            fd = anchor.open(name.encode("utf-8", "surrogateescape"), os.O_RDONLY | os.O_NONBLOCK)
        except (OSError, PathEscapes):
            continue
        with os.fdopen(fd, "rb") as file:
            if file_digest(file, "sha256").hexdigest() == hash:
                return mark + name
    return None


def _is_shared(name: str, folder: Anchor) -> bool:
    """Whether another session of the store names the file."""
    wanted = name.removeprefix("/").encode("utf-8", "surrogateescape")
    with Anchor(folder.path.parent) as sessions:
        for entry in sessions.entries():
            other = os.fsencode(entry.name)
            if entry.name == folder.path.name or not entry.is_dir(follow_symlinks=False):
                continue
            with sessions.open_anchor(other) as each:
                for log in ("snapshots", "messages"):
                    if any(wanted in line.raw for line in read_log_lines(each, log)):
                        return True
    return False
