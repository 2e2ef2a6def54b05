"""Replaces files in use: only if they are unchanged, and no other process writes them."""

from __future__ import annotations

import filecmp
import os
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from talktree.errors import ChangedMeanwhile, Unreadable
from talktree.files.content import OnDisk
from talktree.files.open_files import find_writer
from talktree.files.outputs import BACKUP, OVERWRITE
from talktree.files.placement import place_in_source
from talktree.files.save import save
from talktree.files.source import Source

SETTLED = 2.0
"""Seconds without a change before a file is replaced."""


def list_disk_files(source: Source) -> list[Path]:
    """Return the files of a source that are on disk."""
    return [content.path for content in source.files.values() if type(content) is OnDisk]


def refuse_if_written(source: Source) -> None:
    """Raise if another process is writing one of the files."""
    for path in list_disk_files(source):
        writer = find_writer(path)
        if writer is not None:
            raise ChangedMeanwhile(
                f"{path}: {writer} has it open for writing",
                hint="close it there first, or work on a copy",
            )


def refuse_changed(source: Source) -> None:
    """Raise if a file has changed since it was read; growth counts as well."""
    for content in source.files.values():
        content.read(0, 1)
        if type(content) is OnDisk and content.path.stat().st_size != content.size:
            raise ChangedMeanwhile(
                f"{content.path}: the file grew meanwhile",
                hint="run the command again when its writer is done",
            )


def wait_until_settled(source: Source) -> None:
    """Wait for files that were changed just now; their writer may be between two lines."""
    newest = max((path.stat().st_mtime for path in list_disk_files(source)), default=0.0)
    left = SETTLED - (time.time() - newest)
    if 0 < left <= SETTLED:
        time.sleep(left)
    refuse_changed(source)


def make_backup_stamp() -> str:
    """Return the timestamp in the names of backups made now."""
    return time.strftime("%Y%m%d-%H%M%S")


def find_free_path(path: Path, when: str, suffix: str) -> Path:
    """Return an unused path beside a file for something made now."""
    number, free = 2, path.with_name(f"{path.name}.{when}{suffix}")
    while os.path.lexists(free):
        free = path.with_name(f"{path.name}.{when}-{number}{suffix}")
        number += 1
    return free


def back_up_file(path: Path, when: str) -> Path:
    """Copy a file beside it, and compare the copy byte by byte."""
    backup = find_free_path(path, when, BACKUP)
    try:
        shutil.copy2(path, backup)
        with open(backup, "rb") as file:
            os.fsync(file.fileno())
        same = filecmp.cmp(path, backup, shallow=False)
    except OSError as error:
        backup.unlink(missing_ok=True)
        raise Unreadable(
            f"{backup}: no backup could be made: {error.strerror or error}",
            hint="nothing was changed",
        ) from None
    if not same:
        raise Unreadable(f"{backup}: the backup differs from the file", hint="nothing was changed")
    return backup


def _list_backups(paths: Iterable[Path]) -> list[Path]:
    when = make_backup_stamp()
    return [back_up_file(path, when) for path in paths]


class Replacement(NamedTuple):
    """Files that were replaced, and their backups."""

    changed: list[Path]
    backups: list[Path]


def replace_files(
    source: Source,
    root: Path,
    make: Callable[[], Mapping[str, Iterable[bytes]]],
    *,
    backup: bool = True,
) -> Replacement:
    """Replace the contents of files that were read, and return those that changed.

    Each is built beside the old one and replaces it only if all are still unchanged, and after a
    verified backup unless the caller keeps the old content elsewhere. The contents are made twice,
    so that none has to be held in memory to see which of them differ. Files of a folder that are no
    longer made are removed last.
    """
    refuse_if_written(source)
    places = {path: place_in_source(source, root, path) for path in make()}
    gone = [path for path in source.files if source.folder and path not in places]
    changed = [path for path, pieces in make().items() if not _has_bytes(places[path], pieces)]
    refuse_changed(source)
    leaving = [place_in_source(source, root, path) for path in gone]
    old = [*(places[path] for path in changed), *leaving]
    backups = _list_backups(path for path in old if backup and path.exists())
    try:
        refuse_changed(source)
    except BaseException:
        for each in backups:
            each.unlink(missing_ok=True)
        raise
    for path, pieces in make().items():
        if path in changed:
            save({path: pieces}, places[path], folder=False, gate=OVERWRITE)
    for place in leaving:
        place.unlink(missing_ok=True)
    return Replacement([places[path] for path in changed], backups)


def find_differing_files(source: Source, root: Path, written: Iterable[Path]) -> list[Path]:
    """Return those of the written files that differ from the source's files they were made from."""
    found = []
    for place in written:
        name = place.relative_to(root).as_posix() if source.folder else next(iter(source.files))
        old = source.files.get(name)
        if old is None or not _has_bytes(place, old.blocks()):
            found.append(place)
    return found


def _has_bytes(place: Path, pieces: Iterable[bytes]) -> bool:
    """Whether a file has exactly these bytes."""
    try:
        with open(place, "rb") as file:
            return all(file.read(len(piece)) == piece for piece in pieces) and not file.read(1)
    except FileNotFoundError:
        return False
