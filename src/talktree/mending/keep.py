"""Writing what was repaired: the log first, then the files; the input only if that is asked for."""

from __future__ import annotations

import os
from glob import escape
from pathlib import Path

from talktree.errors import UsageError
from talktree.files import Source, load, save
from talktree.files.guarded import (
    backed_up,
    on_disk,
    refuse_changed,
    refuse_if_written,
    stamp,
    wait_until_settled,
)
from talktree.mending.log import SUFFIX, logged, undone
from talktree.mending.repair import Repair


def keep(repair: Repair, target: Path) -> list[Path]:
    """Write the repaired files, and their log beside them."""
    source = _first(repair)
    refuse_if_written(source)
    log = target.with_name(target.name + SUFFIX)
    if target.exists() and any(_is_same(target, path) for path in on_disk(source)):
        raise UsageError(
            f"{target}: this is the input", hint="name another place, or use --in-place"
        )
    files = {path: content.blocks() for path, content in repair.source.files.items()}
    save({log.name: logged(repair)}, log, folder=False)
    try:
        written = save(files, target, folder=source.folder, agreed=lambda: refuse_changed(source))
    except BaseException:
        log.unlink(missing_ok=True)
        raise
    return [*written, log]


def keep_in_place(repair: Repair, root: Path) -> list[Path]:
    """Replace the repaired files by themselves, once a backup of each has been verified."""
    source = _first(repair)
    refuse_if_written(source)
    wait_until_settled(source)
    changed = {
        path: content
        for path, content in repair.source.files.items()
        if content is not source.files.get(path)
    }
    places = {path: root / path if source.folder else root for path in changed}
    when = stamp()
    backups = [backed_up(places[path], when) for path in changed if path in source.files] + [
        backed_up(root / path, when) for path in _gone(repair)
    ]
    log = root.with_name(f"{root.name}.{when}{SUFFIX}")
    save({log.name: logged(repair)}, log, folder=False)
    refuse_changed(source)
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


def _is_same(one: Path, two: Path) -> bool:
    try:
        return os.path.samefile(one, two)
    except OSError:
        return False
