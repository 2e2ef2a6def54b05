"""Interrupted steps: the process died while its tool worked.

The earlier state is in the log, but what the tool left was not recorded, and the user may have
changed files since. So each changed path gets its earlier state, and an unknown state after the
step: it can be restored, but never without asking.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from talktree.errors import LockHeld, PathEscapes
from talktree.files.locking import folder_lock
from talktree.files.sandbox import Anchor
from talktree.session.capture.file_state import ABSENT, State, UnknownState, is_same, name_from_json
from talktree.session.capture.path_probe import read_state
from talktree.session.capture.scan import Walker, list_folders_above
from talktree.session.capture.snapshots import FileChange, SnapshotLine, parse_snapshot
from talktree.session.capture.step_records import StepReport, format_step_lines
from talktree.session.handle import SessionHandle
from talktree.session.journal.lines import read_last_lines
from talktree.text.json.decode import decode

WHY = "the step was cut off"
NEAR_LINES, NEAR_BYTES = 100, 64 << 20
"""How much of the end of the log is searched for steps: older ones have ended."""


class _Cut(NamedTuple):
    step: str
    message: str
    watched: tuple[bytes, ...]
    start: int
    """The offset of its first line in the log."""


def end_cut_off_steps(opened: SessionHandle) -> list[str]:
    """Write the missing lines of interrupted steps and return messages about them."""
    cut = list(_find_cut_off_steps(opened))
    if not cut or opened.workspace is None:
        return []
    try:
        with folder_lock(opened.workspace.fd, exclusive=True):
            return [_end_step(opened, opened.workspace, each) for each in cut]
    except LockHeld:
        # A step is running, perhaps this one.
        return []


def _find_cut_off_steps(opened: SessionHandle) -> Iterator[_Cut]:
    """Yield the steps near the end of the log with a first line and no last line."""
    ended: set[str] = set()
    end = opened.journal.length("snapshots")
    looked_at = 0
    for line in read_last_lines(opened.journal.descriptor("snapshots")):
        if looked_at >= NEAR_LINES or end - line.start > NEAR_BYTES:
            return
        if b'"ended":' not in line.raw and b'"watched":' not in line.raw:
            continue
        looked_at += 1
        one = parse_snapshot(decode(line.raw).value)
        if one.step is not None and one.ended:
            ended.add(one.step)
        elif one.step is not None and one.watched is not None and one.step not in ended:
            yield _Cut(one.step, one.message, one.watched, line.start)


class _Before(NamedTuple):
    """The recorded states at the time when a step began."""

    states: dict[bytes, State]
    """The states of all known paths in the watched folders, and of those that the step named."""
    named: set[bytes]
    firsts: dict[bytes, State]
    """The first state of each path for the step's message."""
    uncovered: tuple[tuple[str, str], ...]


def _end_step(opened: SessionHandle, workspace: Anchor, cut: _Cut) -> str:
    before = _find_states_before(opened, cut)
    now = _find_states_now(opened, workspace, cut, before.states)
    found = (_find_change(path, state, before) for path, state in now.items())
    changes = [change for change in found if change is not None]
    said = StepReport(changes=changes, uncovered=before.uncovered, ended=True)
    message, point = opened.index.find_owner(cut.message)
    lines = format_step_lines(message, cut.step, said, update=True, point=point)
    opened.journal.append("snapshots", *lines)
    count = sum(isinstance(change.after, UnknownState) for change in changes)
    return f"a step was cut off; {count:,} paths are not what they were before it"


def _find_change(path: bytes, now: State, before: _Before) -> FileChange | None:
    """Return the change to record for a path; None if it is unchanged and was not named."""
    there = before.states.get(path)
    if there is None:
        # Not in the log: it did not exist, unless its folder was not covered.
        blind = {name_from_json(name) for name, _ in before.uncovered}
        is_seen = blind.isdisjoint((path, *list_folders_above(path)))
        there = ABSENT if is_seen else UnknownState("nobody knows whether it was there")
    first = before.firsts.get(path, there)
    if is_same(there, now):
        return FileChange(path, first, now) if path in before.named else None
    if isinstance(there, UnknownState) and path not in before.named:
        return None
    return FileChange(path, first, UnknownState(WHY))


def _find_states_before(opened: SessionHandle, cut: _Cut) -> _Before:
    found = _Before({}, set(), {}, ())
    for start, one in opened.index.all_snapshots():
        ours = one.step == cut.step
        if start > cut.start and not ours:
            continue
        _apply_line(found.states, one, ours=ours)
        if one.message == cut.message:
            for change in one.changes:
                found.firsts.setdefault(change.path, change.before or ABSENT)
        if ours:
            found.named.update(change.path for change in one.changes)
            found = found._replace(uncovered=one.uncovered or found.uncovered)
    table, named = found.states, found.named
    kept = {path: table[path] for path in table if path in named or _is_watched(path, cut)}
    return found._replace(states=kept)


def _apply_line(table: dict[bytes, State], one: SnapshotLine, *, ours: bool) -> None:
    """Apply the later states of a line; for the step's own lines, the earlier states."""
    if ours:
        table.update((change.path, change.before or ABSENT) for change in one.changes)
        table.update(one.seen)
    else:
        table.update(one.seen)
        table.update((each.path, each.after) for each in one.changes if each.after is not None)


def _is_watched(path: bytes, cut: _Cut) -> bool:
    return path in cut.watched or not set(cut.watched).isdisjoint(list_folders_above(path))


def _find_states_now(
    opened: SessionHandle, workspace: Anchor, cut: _Cut, table: dict[bytes, State]
) -> dict[bytes, State]:
    store = Anchor(opened.root)
    store.close()
    walk = Walker(workspace, opened.limits, (store.identity,)).walk(cut.watched)
    found: dict[bytes, State] = {}
    for path in {**walk.stamps, **table}:
        seen, stamp = opened.known.get(path), walk.stamps.get(path)
        if seen is not None and seen.sure and seen.stamp == stamp:
            found[path] = seen.state
            continue
        try:
            found[path] = read_state(workspace, path, None, opened.limits)
        except PathEscapes:
            # A folder above it is a link now, so its target is not at this path.
            found[path] = ABSENT
    return found
