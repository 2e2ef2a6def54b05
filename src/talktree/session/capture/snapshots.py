"""Reading and writing lines of `snapshots.jsonl`: the states of paths before and after a step.

`paths` has all states. `trackedFiles` and `fileBackups` hold what the format document defines.
`seen` lists what a scan found, so that contents are referenced and an interrupted step can be
understood; it does not mean a change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from talktree.errors import PathEscapes
from talktree.files.sandbox import check_path
from talktree.session.capture.blobs import build_content_path
from talktree.session.capture.file_state import (
    ABSENT,
    HASH_LENGTH,
    AbsentState,
    FileContentState,
    State,
    UnknownState,
    from_json,
    is_same,
    name_from_json,
    name_to_json,
    to_json,
)
from talktree.text.json.encode import encode_new
from talktree.text.times import to_iso

SNAPSHOT = "file_history_snapshot"
FOREIGN_MODE = 0o644
"""The mode of files in snapshots of other programs, which do not record modes."""


class FileChange(NamedTuple):
    """A path with its states before and after; None where a line does not give one."""

    path: bytes
    before: State | None
    after: State | None


class ForeignBackup(NamedTuple):
    """Where another program says that it keeps the earlier content of a path; not verified."""

    path: bytes
    place: str
    hash: str | None


class SnapshotLine(NamedTuple):
    """The content of one line of the log."""

    message: str
    """The message it belongs to, or the point in the timeline (see `undo/timeline`)."""
    step: str | None
    update: bool
    changes: tuple[FileChange, ...]
    uncovered: tuple[tuple[str, str], ...]
    foreign: bool
    seen: tuple[tuple[bytes, State], ...] = ()
    """What a scan found; not a change."""
    watched: tuple[bytes, ...] | None = None
    """The folders that the step watches; only in the first line of a step."""
    ended: bool = False
    """Whether it is the last line of its step; a step without one was interrupted."""
    backups: tuple[ForeignBackup, ...] = ()
    """Backups of other programs' lines."""


# writing


def format_snapshot_line(
    message: str,
    step: str | None,
    update: bool,  # noqa: FBT001
    changes: Iterable[FileChange],
    uncovered: Iterable[tuple[str, str]],
    time: int,
    *,
    seen: Iterable[tuple[bytes, State]] = (),
    watched: Iterable[bytes] | None = None,
    ended: bool = False,
    point: str | None = None,
) -> bytes:
    """Return one line without its newline and seal; the time is in nanoseconds since 1970.

    With `point` the step belongs to a move back to the message and not to the message itself.
    """
    tracked: dict[str, Any] = {}
    backups: dict[str, Any] = {}
    paths: dict[str, Any] = {}
    for change in changes:
        paths[name_to_json(change.path)] = _encode_sides(change)
        _add_document_fields(change, tracked, backups)
    held: dict[str, Any] = {"trackedFiles": tracked, "fileBackups": backups, "paths": paths}
    held["uncovered"] = [{"path": path, "why": why} for path, why in uncovered]
    found = {name_to_json(path): to_json(state) for path, state in seen}
    if found:
        held["seen"] = found
    if watched is not None:
        held["watched"] = [name_to_json(path) for path in watched]
    line: dict[str, Any] = {
        "type": SNAPSHOT,
        "messageId": message,
        "timestamp": to_iso(time),
        "isSnapshotUpdate": update,
        "snapshot": held,
    }
    if step is not None:
        line["step"] = step
    if point is not None:
        line["point"] = point
    if ended:
        held["ended"] = True
    return encode_new(line)


def _encode_sides(change: FileChange) -> dict[str, Any]:
    sides = (("before", change.before), ("after", change.after))
    return {name: to_json(state) for name, state in sides if state is not None}


def _add_document_fields(
    change: FileChange, tracked: dict[str, Any], backups: dict[str, Any]
) -> None:
    """Add the document's fields for plain files; it has none for anything else.

    A reader that restores from them must not write through a link or over a folder, nor delete what
    may have been there before.
    """
    try:
        name = change.path.decode()
    except UnicodeDecodeError:
        return
    before, after = change.before, change.after
    if not isinstance(before, FileContentState | AbsentState) or not isinstance(
        after, FileContentState | AbsentState | None
    ):
        return
    if isinstance(before, FileContentState) and not before.chunks:
        backups[name] = {"backupPath": build_content_path(before.hash), "originalHash": before.hash}
    match before, after:
        case AbsentState(), FileContentState():
            tracked[name] = {"originalContent": None, **_encode_file_state(after, "created")}
        case FileContentState(), FileContentState():
            tracked[name] = _encode_file_state(
                after, "unchanged" if is_same(before, after) else "modified"
            )
        case FileContentState(), AbsentState():
            tracked[name] = {"state": "deleted"}
        case FileContentState(), None:
            tracked[name] = _encode_file_state(before, "unchanged")


def _encode_file_state(file: FileContentState, state: str) -> dict[str, Any]:
    return {"contentHash": file.hash, "size": file.size, "state": state}


# reading


def parse_snapshot(value: object) -> SnapshotLine:
    """Return the content of a line from any program; invalid states are unknown."""
    line = _as_mapping(value)
    held = _as_mapping(line.get("snapshot"))
    uncovered = list(_parse_uncovered(held.get("uncovered")))
    paths = held.get("paths")
    foreign = not isinstance(paths, Mapping)
    backups: tuple[ForeignBackup, ...] = ()
    if foreign:
        changes, backups = _parse_foreign_changes(held, uncovered)
    else:
        changes = _parse_own_changes(_as_mapping(paths), uncovered)
    step, message = line.get("step"), line.get("point", line.get("messageId"))
    return SnapshotLine(
        message=message if isinstance(message, str) else "",
        step=step if isinstance(step, str) else None,
        update=line.get("isSnapshotUpdate") is True,
        changes=changes,
        uncovered=tuple(uncovered),
        foreign=foreign,
        seen=tuple(_parse_states(_as_mapping(held.get("seen")))),
        watched=_parse_watched(held.get("watched")),
        ended=held.get("ended") is True,
        backups=backups,
    )


def find_named_contents(value: object) -> Iterator[str]:
    """Yield the hashes of all contents that a line needs; none of them may be removed."""
    one = parse_snapshot(value)
    for change in one.changes:
        yield from _find_hashes(change.before)
        yield from _find_hashes(change.after)
    for _, state in one.seen:
        yield from _find_hashes(state)


def _find_hashes(state: State | None) -> Iterator[str]:
    if isinstance(state, FileContentState):
        yield from state.chunks or (state.hash,)


def _as_mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _parse_uncovered(value: object) -> Iterator[tuple[str, str]]:
    for item in value if isinstance(value, list) else ():
        known = _as_mapping(item)
        yield str(known.get("path", "")), str(known.get("why", ""))


def _parse_own_changes(
    paths: Mapping[str, Any], uncovered: list[tuple[str, str]]
) -> tuple[FileChange, ...]:
    found = []
    for name, sides in paths.items():
        path = _check_path(name_from_json(name), name, uncovered)
        known = _as_mapping(sides)
        if path is not None:
            before = from_json(known["before"]) if "before" in known else None
            after = from_json(known["after"]) if "after" in known else None
            found.append(FileChange(path, before, after))
    return tuple(found)


def _check_path(path: bytes, name: str, uncovered: list[tuple[str, str]]) -> bytes | None:
    """Return the path if it is inside a workspace; otherwise report it as not covered."""
    try:
        return check_path(path)
    except PathEscapes as error:
        uncovered.append((name, f"no path inside the workspace: {error.message}"))
        return None


def _parse_states(found: Mapping[str, Any]) -> Iterator[tuple[bytes, State]]:
    for name, state in found.items():
        yield name_from_json(name), from_json(state)


def _parse_watched(value: object) -> tuple[bytes, ...] | None:
    if not isinstance(value, list):
        return None
    return tuple(name_from_json(name) for name in value if isinstance(name, str))


# lines of other programs


def _parse_foreign_changes(
    held: Mapping[str, Any], uncovered: list[tuple[str, str]]
) -> tuple[tuple[FileChange, ...], tuple[ForeignBackup, ...]]:
    tracked, kept = _as_mapping(held.get("trackedFiles")), _as_mapping(held.get("fileBackups"))
    changes, backups = [], []
    for name in {**tracked, **kept}:
        path = _check_path(_encode_name(name), name, uncovered)
        if path is None:
            continue
        now, backup = _as_mapping(tracked.get(name)), _as_mapping(kept.get(name))
        changes.append(FileChange(path, _parse_foreign_before(now), _parse_foreign_after(now)))
        place = backup.get("backupPath")
        if isinstance(place, str) and place:
            backups.append(ForeignBackup(path, place, _parse_hash(backup.get("originalHash"))))
    return tuple(changes), tuple(backups)


def _encode_name(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def _parse_foreign_before(now: Mapping[str, Any]) -> State:
    """Return a state that is only known if the line contains the content.

    `created` does not prove that nothing was there: it is also written for files that could not be
    read as text.
    """
    content = now.get("originalContent")
    if isinstance(content, str):
        data = _encode_name(content)
        hash = sha256(data).hexdigest()
        return FileContentState(hash=hash, size=len(data), mode=FOREIGN_MODE)
    return UnknownState("the snapshot does not tell for certain")


def _parse_foreign_after(now: Mapping[str, Any]) -> State:
    if now.get("state") == "deleted":
        return ABSENT
    hash, size = _parse_hash(now.get("contentHash")), now.get("size")
    if hash is None or type(size) is not int or size < 0:
        return UnknownState("the snapshot does not tell for certain")
    return FileContentState(hash=hash, size=size, mode=FOREIGN_MODE)


def _parse_hash(value: object) -> str | None:
    if not isinstance(value, str) or len(value) != HASH_LENGTH:
        return None
    lower = value.lower()
    return lower if set(lower) <= set("0123456789abcdef") else None
