"""Writing what was repaired: the log first, then the files; the input only if that is asked for."""

from __future__ import annotations

import os
import shutil
import time
from glob import escape
from pathlib import Path

from talktree.errors import ChangedMeanwhile, Unreadable, UsageError
from talktree.files import OnDisk, Source, load, save
from talktree.files.in_use import writer_of
from talktree.mending.log import SUFFIX, digests, logged, undone
from talktree.mending.repair import Repair

SETTLED = 2.0
"""Seconds a file must have been left alone before it is replaced."""


def refuse_if_written(source: Source) -> None:
    """Raise if another process is writing one of the files."""
    for path in _on_disk(source):
        writer = writer_of(path)
        if writer is not None:
            raise ChangedMeanwhile(
                f"{path}: {writer} has it open for writing",
                hint="close it there first, or repair a copy",
            )


def keep(repair: Repair, target: Path) -> list[Path]:
    """Write the repaired files, and their log beside them."""
    source = _first(repair)
    refuse_if_written(source)
    log = target.with_name(target.name + SUFFIX)
    if target.exists() and any(_is_same(target, path) for path in _on_disk(source)):
        raise UsageError(
            f"{target}: this is the input", hint="name another place, or use --in-place"
        )
    files = {path: content.blocks() for path, content in repair.source.files.items()}
    save({log.name: logged(repair)}, log, folder=False)
    try:
        written = save(files, target, folder=source.folder, agreed=lambda: _refuse_changed(source))
    except BaseException:
        log.unlink(missing_ok=True)
        raise
    return [*written, log]


def keep_in_place(repair: Repair, root: Path) -> list[Path]:
    """Replace the repaired files by themselves, once a backup of each has been verified."""
    source = _first(repair)
    refuse_if_written(source)
    _wait_until_settled(source)
    changed = {
        path: content
        for path, content in repair.source.files.items()
        if content is not source.files.get(path)
    }
    places = {path: root / path if source.folder else root for path in changed}
    stamp = time.strftime("%Y%m%d-%H%M%S")
    backups = [_backed_up(places[path], stamp) for path in changed if path in source.files] + [
        _backed_up(root / path, stamp) for path in _gone(repair)
    ]
    log = root.with_name(f"{root.name}.{stamp}{SUFFIX}")
    save({log.name: logged(repair)}, log, folder=False)
    _refuse_changed(source)
    for path, content in changed.items():
        save({path: content.blocks()}, places[path], folder=False)
    for path in _gone(repair):
        (root / path).unlink()
    return [*places.values(), log, *backups]


def log_of(target: Path) -> Path:
    """The log of the last repair of a file or folder."""
    beside = target.with_name(target.name + SUFFIX)
    found = sorted(target.parent.glob(f"{escape(target.name)}.*{SUFFIX}"))
    return beside if beside.exists() or not found else found[-1]


def brought_back(target: Path, log: Path) -> Source:
    """The files as they were before a repair."""
    try:
        with open(log, "rb") as lines:
            return undone(load(target), lines)
    except FileNotFoundError:
        raise UsageError(
            f"{log}: there is no log of the repair", hint="name it with --log"
        ) from None


def _first(repair: Repair) -> Source:
    source = repair.before.origin.source  # type: ignore[attr-defined]
    assert isinstance(source, Source)
    return source


def _gone(repair: Repair) -> list[str]:
    return sorted(path for path in _first(repair).files if path not in repair.source.files)


def _on_disk(source: Source) -> list[Path]:
    return [content.path for content in source.files.values() if type(content) is OnDisk]


def _is_same(one: Path, two: Path) -> bool:
    try:
        return os.path.samefile(one, two)
    except OSError:
        return False


def _refuse_changed(source: Source) -> None:
    """Raise if a file is no longer what was read, grown ones included."""
    for content in source.files.values():
        content.read(0, 1)
        if type(content) is OnDisk and content.path.stat().st_size != content.size:
            raise ChangedMeanwhile(
                f"{content.path}: the file grew meanwhile",
                hint="run the command again when its writer is done",
            )


def _wait_until_settled(source: Source) -> None:
    """Wait for files that were changed just now; their writer may only be between two lines."""
    newest = max((path.stat().st_mtime for path in _on_disk(source)), default=0.0)
    left = SETTLED - (time.time() - newest)
    if 0 < left <= SETTLED:
        time.sleep(left)
    _refuse_changed(source)


def _backed_up(path: Path, stamp: str) -> Path:
    """A copy of a file beside it, compared with it byte by byte."""
    backup = path.with_name(f"{path.name}.{stamp}.backup")
    if backup.exists():
        raise UsageError(f"{backup}: already exists", hint="try again in a second")
    try:
        shutil.copy2(path, backup)
        with open(backup, "rb") as file:
            os.fsync(file.fileno())
        same = digests(load(path)).values(), digests(load(backup)).values()
    except OSError as error:
        backup.unlink(missing_ok=True)
        raise Unreadable(
            f"{backup}: no backup could be made: {error.strerror or error}",
            hint="nothing was changed",
        ) from None
    if list(same[0]) != list(same[1]):
        raise Unreadable(f"{backup}: the backup differs from the file", hint="nothing was changed")
    return backup
