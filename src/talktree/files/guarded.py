"""Replacing files that people work with: only if they are what was read, and nobody writes them."""

from __future__ import annotations

import filecmp
import os
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from talktree.errors import ChangedMeanwhile, Unreadable, UsageError
from talktree.files.content import OnDisk
from talktree.files.in_use import writer_of
from talktree.files.save import save
from talktree.files.source import Source

SETTLED = 2.0
"""Seconds a file must have been left alone before it is replaced."""


def on_disk(source: Source) -> list[Path]:
    """The files of a source that lie on the disk."""
    return [content.path for content in source.files.values() if type(content) is OnDisk]


def refuse_if_written(source: Source) -> None:
    """Raise if another process is writing one of the files."""
    for path in on_disk(source):
        writer = writer_of(path)
        if writer is not None:
            raise ChangedMeanwhile(
                f"{path}: {writer} has it open for writing",
                hint="close it there first, or work on a copy",
            )


def refuse_changed(source: Source) -> None:
    """Raise if a file is no longer what was read, grown ones included."""
    for content in source.files.values():
        content.read(0, 1)
        if type(content) is OnDisk and content.path.stat().st_size != content.size:
            raise ChangedMeanwhile(
                f"{content.path}: the file grew meanwhile",
                hint="run the command again when its writer is done",
            )


def wait_until_settled(source: Source) -> None:
    """Wait for files that were changed just now; their writer may only be between two lines."""
    newest = max((path.stat().st_mtime for path in on_disk(source)), default=0.0)
    left = SETTLED - (time.time() - newest)
    if 0 < left <= SETTLED:
        time.sleep(left)
    refuse_changed(source)


def stamp() -> str:
    """What backups made now have in their names."""
    return time.strftime("%Y%m%d-%H%M%S")


def backed_up(path: Path, when: str) -> Path:
    """A copy of a file beside it, compared with it byte by byte."""
    backup = path.with_name(f"{path.name}.{when}.backup")
    if backup.exists():
        raise UsageError(f"{backup}: already exists", hint="try again in a second")
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


def replaced(
    source: Source, root: Path, make: Callable[[], Mapping[str, Iterable[bytes]]]
) -> list[Path]:
    """Put new contents in the place of files that were read; gives those that changed.

    Each is built beside the old one and takes its place only if all are still what was read. The
    contents are made twice, so that none has to be held to see which of them differ. Files of a
    folder that are not made any more go last.
    """
    refuse_if_written(source)
    places = {path: root / path if source.folder else root for path in make()}
    gone = [path for path in source.files if source.folder and path not in places]
    changed = [path for path, pieces in make().items() if not _holds(places[path], pieces)]
    refuse_changed(source)
    for path, pieces in make().items():
        if path in changed:
            save({path: pieces}, places[path], folder=False)
    for path in gone:
        (root / path).unlink(missing_ok=True)
    return [places[path] for path in changed]


def _holds(place: Path, pieces: Iterable[bytes]) -> bool:
    """Whether a file has just these bytes."""
    try:
        with open(place, "rb") as file:
            return all(file.read(len(piece)) == piece for piece in pieces) and not file.read(1)
    except FileNotFoundError:
        return False
