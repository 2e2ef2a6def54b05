"""Backups that other programs keep for erased messages and paths.

Where such a file is, is the word of a line. So one is removed only if it lies in a folder
`backups` of the session or of the store, has the content that the line says, and no other line of
any session names it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import file_digest

from talktree.errors import Escapes
from talktree.files.sandbox import Anchor
from talktree.session.capture.snapshots import Backup, taken
from talktree.session.erasure.targets import Targets, log_lines
from talktree.text.json.decode import decode

_FOLDER = "backups/"


def foreign_backups(folder: Anchor, root: Anchor, targets: Targets) -> list[str]:
    """The files to remove: below the session's folder, or with a `/` below the root."""
    gone, kept = set[tuple[str, str | None]](), set[str]()
    for message, backup in _backups(folder):
        if message in targets.messages or targets.has_path(backup.path):
            gone.add((backup.place, backup.hash))
        else:
            kept.add(_inside(backup.place, folder, root))
    found = [
        name
        for place, hash in gone
        if (name := _found(place, hash, folder, root)) is not None
        and _inside(place, folder, root) not in kept
    ]
    return [name for name in found if not name.startswith("/") or not _is_shared(name, folder)]


def all_backups(folder: Anchor, root: Anchor) -> list[str]:
    """The backups in the store's own folder that only this session names."""
    found = {_found(each.place, each.hash, folder, root) for _, each in _backups(folder)}
    outside = [name for name in found if name is not None and name.startswith("/")]
    return [name for name in outside if not _is_shared(name, folder)]


def _backups(folder: Anchor) -> Iterator[tuple[str, Backup]]:
    for log in ("snapshots", "messages"):
        for line in log_lines(folder, log):
            value = decode(line.raw).value
            if isinstance(value, dict) and "snapshot" in value:
                one = taken(value)
                for backup in one.backups:
                    yield one.message, backup


def _inside(place: str, folder: Anchor, root: Anchor) -> str:
    """A place without the folders that lead to the session or to the store."""
    for start in (f"{folder.path}/", f"{root.path}/", f"{root.path.name}/"):
        place = place.removeprefix(start)
    return place


def _found(place: str, hash: str | None, folder: Anchor, root: Anchor) -> str | None:
    name = _inside(place, folder, root)
    if hash is None or not name.startswith(_FOLDER):
        return None
    for anchor, mark in ((folder, ""), (root, "/")):
        try:
            fd = anchor.open(name.encode("utf-8", "surrogateescape"), os.O_RDONLY | os.O_NONBLOCK)
        except (OSError, Escapes):
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
            with sessions.beneath(other) as each:
                for log in ("snapshots", "messages"):
                    if any(wanted in line.raw for line in log_lines(each, log)):
                        return True
    return False
