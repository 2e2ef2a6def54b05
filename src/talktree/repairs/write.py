"""Writing a repair: the log first, then the files; the input is replaced only on request."""

from __future__ import annotations

import os
from glob import escape
from pathlib import Path

from talktree.errors import Unreadable, UsageError
from talktree.files import OutputGate, Source, input_paths, load, save
from talktree.files.outputs import OVERWRITE
from talktree.files.safe_replace import (
    back_up_file,
    find_free_path,
    make_backup_stamp,
    refuse_changed,
    refuse_if_written,
    wait_until_settled,
)
from talktree.repairs.log import SUFFIX, digest_files, read_repaired_digests, undo_repair, write_log
from talktree.repairs.run import Repair


def save_repair(
    repair: Repair, target: str | Path, *, gate: OutputGate | None = None
) -> list[Path]:
    """Write the repaired files, and their log beside them; an existing log is never replaced."""
    source = _original_source(repair)
    gate = gate or OutputGate(input_paths(source))
    refuse_if_written(source)
    gate.check(target, folder=source.folder)
    files = {path: content.blocks() for path, content in repair.source.files.items()}
    log = _choose_log_path(Path(target))
    save({log.name: write_log(repair)}, log, folder=False)
    try:
        written = save(
            files,
            target,
            folder=source.folder,
            gate=gate,
            agreed=lambda _: refuse_changed(source),
        )
    except BaseException:
        log.unlink(missing_ok=True)
        raise
    return [*written, log]


def save_in_place(repair: Repair, root: Path) -> list[Path]:
    """Replace the files with the repaired ones, after a backup of each has been verified."""
    source = _original_source(repair)
    refuse_if_written(source)
    wait_until_settled(source)
    changed = {
        path: content
        for path, content in repair.source.files.items()
        if content is not source.files.get(path)
    }
    places = {path: root / path if source.folder else root for path in changed}
    when = make_backup_stamp()
    backups = [back_up_file(places[path], when) for path in changed if path in source.files] + [
        back_up_file(root / path, when) for path in _find_removed_files(repair)
    ]
    log = find_free_path(root, when, SUFFIX)
    save({log.name: write_log(repair)}, log, folder=False)
    refuse_changed(source)
    for path, content in changed.items():
        save({path: content.blocks()}, places[path], folder=False, gate=OVERWRITE)
    for path in _find_removed_files(repair):
        (root / path).unlink()
    return [*places.values(), log, *backups]


def _choose_log_path(target: Path) -> Path:
    """Return the path for the log of a repair: beside its output, under an unused name."""
    log = target.with_name(target.name + SUFFIX)
    return find_free_path(target, make_backup_stamp(), SUFFIX) if os.path.lexists(log) else log


def find_log(target: Path) -> Path:
    """Return the log that leads to a file or folder as it is now; else the last one beside it."""
    first = target.with_name(target.name + SUFFIX)
    found = sorted(target.parent.glob(f"{escape(target.name)}.*{SUFFIX}"))
    logs = [*found, *([first] if first.exists() else [])]
    if len(logs) > 1:
        now = sorted(digest_files(load(target)).values())
        logs = [log for log in logs if read_repaired_digests(log) == now] or logs
    return logs[-1] if logs else first


def revert_source(target: str | Path, log: str | Path) -> Source:
    """Return the files as they were before a repair."""
    try:
        with open(log, "rb") as lines:
            return undo_repair(load(target), lines)
    except FileNotFoundError:
        raise UsageError(
            f"{log}: there is no log of the repair", hint="name it with --log"
        ) from None
    except OSError as error:
        raise Unreadable(f"{log}: {error.strerror or error}", hint="name another log") from None


def _original_source(repair: Repair) -> Source:
    source = repair.before.origin.source  # type: ignore[attr-defined]
    assert isinstance(source, Source)
    return source


def _find_removed_files(repair: Repair) -> list[str]:
    return sorted(
        path for path in _original_source(repair).files if path not in repair.source.files
    )
