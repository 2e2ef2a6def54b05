"""File history snapshots, in both directions.

A file may be tracked, backed up, or both; the entries of both lists for a file are joined here.
`created` is kept as the state it is: Sage also writes it for changed files that it could not read
as text, so it does not prove that the file did not exist before.
"""

from __future__ import annotations

from talktree.formats.lens import Object, take_flag, take_text, with_rest
from talktree.formats.sage.detect_kinds import SNAPSHOT
from talktree.formats.sage.lens_members import get_inner_object, put_back, take_object, take_time
from talktree.model.entries import FileState, Snapshot
from talktree.text.json.value import Json
from talktree.text.times import to_iso

TRACKED = "trackedFiles"
BACKUPS = "fileBackups"


def get_snapshot(left: Object, id: str) -> Snapshot:
    """Return the snapshot of a line."""
    del left["type"]
    held = take_object(left, "snapshot")
    tracked = backups = None
    if held is not None:
        tracked, backups = take_object(held, TRACKED), take_object(held, BACKUPS)
        put_back(left, "snapshot", held)
    tracked, backups = tracked or {}, backups or {}
    return Snapshot(
        id=id,
        message=take_text(left, "messageId") or None,
        time_ns=take_time(left),
        update=take_flag(left, "isSnapshotUpdate"),
        files={path: _read_file_state(path, tracked, backups) for path in {**tracked, **backups}},
        extra=left,
    )


def _read_file_state(path: str, tracked: Object, backups: Object) -> FileState:
    extra: Object = {}
    now = _read_section(path, tracked, TRACKED, extra)
    before = _read_section(path, backups, BACKUPS, extra)
    state = FileState(
        state=take_text(now, "state"),
        backup=take_text(before, "backupPath"),
        hash=take_text(now, "contentHash"),
        hash_before=take_text(before, "originalHash"),
        size=_take_size(now),
        content_before=take_text(now, "originalContent"),
        extra=extra,
    )
    put_back(extra, TRACKED, now)
    put_back(extra, BACKUPS, before)
    return state


def _read_section(path: str, section: Object, name: str, extra: Object) -> Object:
    """Return the entry of one list for a file; values that are not objects are kept whole."""
    found = section.get(path)
    if isinstance(found, dict):
        return dict(found)
    if path in section:
        extra[name] = found
    return {}


def _take_size(now: Object) -> int | None:
    size = now.get("size")
    if type(size) is int:
        del now["size"]
        return size
    if size is None:
        now.pop("size", None)
    return None


# writing


def snapshot_value(snapshot: Snapshot) -> Object:
    """Return a snapshot line with all required members."""
    value: Object = {"type": SNAPSHOT, "messageId": snapshot.message or ""}
    if snapshot.time_ns is not None:
        value["timestamp"] = to_iso(snapshot.time_ns)
    value["isSnapshotUpdate"] = snapshot.update
    tracked: Object = {}
    backups: Object = {}
    for path, file in snapshot.files.items():
        _write_file(path, file, tracked, backups)
    value["snapshot"] = {
        TRACKED: tracked,
        BACKUPS: backups,
        **get_inner_object(snapshot.extra, "snapshot"),
    }
    return with_rest(value, snapshot.extra)


def _write_file(path: str, file: FileState, tracked: Object, backups: Object) -> None:
    now = _select_known(
        originalContent=file.content_before,
        contentHash=file.hash,
        size=file.size,
        state=file.state,
    )
    before = _select_known(backupPath=file.backup, originalHash=file.hash_before)
    if before or BACKUPS in file.extra:
        backups[path] = _with_left(before, file, BACKUPS)
    if now or TRACKED in file.extra or path not in backups:
        tracked[path] = _with_left(now, file, TRACKED)


def _select_known(**members: Json) -> Object:
    return {name: item for name, item in members.items() if item is not None}


def _with_left(known: Object, file: FileState, name: str) -> Json:
    left = file.extra.get(name, {})
    return {**known, **left} if isinstance(left, dict) else known or left
