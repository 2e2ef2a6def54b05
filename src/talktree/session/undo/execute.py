"""Executing a move: safety snapshot, the line `move`, the work, the line `moved`.

Before the line `move` nothing has changed. After it every path is in the state before or in the
state after, and both are known and stored. So a failed move is taken back, and an interrupted move
is finished when the session is opened next (`recover`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from time import time_ns

from msgspec import Struct

from talktree.errors import NotSaved, TalktreeError, Unreadable
from talktree.files.locking import folder_lock
from talktree.session.capture.file_state import ABSENT, FileContentState, Folder, State, is_same
from talktree.session.capture.path_probe import Stamp
from talktree.session.capture.snapshots import FileChange, format_snapshot_line
from talktree.session.handle import SessionHandle
from talktree.session.undo.execute_files import Execution
from talktree.session.undo.history import WantedPath
from talktree.session.undo.move_records import (
    Boundary,
    LoggedMove,
    PathMove,
    format_move_end_line,
    format_move_start_line,
    format_withdrawal_line,
)
from talktree.session.undo.plan import PlanBuilder, UndoAction, UndoPlan
from talktree.session.undo.stash import TemporaryNames
from talktree.session.undo.target_folder import MoveFolder, Supply, get_parent


class UndoResult(Struct, frozen=True, kw_only=True):
    """The result of a move."""

    exit_code: int
    """0 if all is as planned, 1 if something was left as it is, 3 if the move failed."""
    fates: Mapping[bytes, str]
    """The result for each path: done, kept or failed."""
    plan: UndoPlan
    move: str | None = None
    message: str | None = None
    """The message that the session continues from now; None before the first one."""
    problems: tuple[str, ...] = ()


@contextlib.contextmanager
def lock_session_and_folder(opened: SessionHandle, ground: MoveFolder | None) -> Iterator[None]:
    """Prevent other moves of this session and in this folder; `LockHeld` if one is running."""
    with ExitStack() as held:
        held.enter_context(folder_lock(opened.folder.fd, exclusive=True))
        if ground is not None:
            held.enter_context(folder_lock(ground.folder.fd, exclusive=True))
        yield


def execute_plan(
    opened: SessionHandle,
    ground: MoveFolder | None,
    move: LoggedMove,
    plan: UndoPlan,
    stamps: Mapping[bytes, Stamp | None],
) -> UndoResult:
    """Execute a plan that was just made, with the locks held."""
    _keep_contents(opened, plan)
    opened.journal.append("operations", format_move_start_line(opened.id, move))
    left: dict[bytes, str] = {}
    if ground is not None and move.paths:
        try:
            left = execute_actions(ground, opened.contents, move, plan.actions, stamps)
        except (OSError, TalktreeError, KeyboardInterrupt) as error:
            raise _revert_move(opened, ground, move, error) from error
    fates, problems = find_fates(ground, plan.actions, left)
    finish_move(opened, move, fates)
    code = 3 if "failed" in fates.values() else 1 if "kept" in fates.values() else 0
    return UndoResult(
        exit_code=code,
        fates=fates,
        plan=plan,
        move=move.id,
        message=move.at.conversation,
        problems=tuple(problems),
    )


def _keep_contents(opened: SessionHandle, plan: UndoPlan) -> None:
    """Store everything that is replaced, removed or written."""
    for data in plan.merged.values():
        opened.contents.keep_bytes(data)
    opened.contents.flush()
    for action in plan.actions:
        if (
            action.has_effect
            and isinstance(action.before, FileContentState)
            and action.action != "chmod"
        ):
            trouble = opened.contents.find_problem(action.before)
            if trouble is not None:
                raise Unreadable(
                    f"what is there now cannot be kept safe: {trouble}",
                    hint="nothing was changed; `check --read-data` tells what is damaged",
                )


def execute_actions(
    ground: MoveFolder,
    supply: Supply,
    move: LoggedMove,
    actions: Iterable[UndoAction],
    stamps: Mapping[bytes, Stamp | None],
) -> dict[bytes, str]:
    """Execute the actions of a plan, and return the folders that could not be removed."""
    work = Execution(ground, supply, move.id, actions, stamps)
    work.run()
    return work.left


def find_fates(
    ground: MoveFolder | None, actions: Iterable[UndoAction], left: Mapping[bytes, str]
) -> tuple[dict[bytes, str], list[str]]:
    """Return the result for each path: each is read again and compared."""
    actions = list(actions)
    no_folders = {
        each.path for each in actions if each.has_effect and not isinstance(each.after, Folder)
    }
    fates: dict[bytes, str] = {}
    problems = []
    for action in actions:
        name = action.path.decode("utf-8", "backslashreplace")
        if not action.has_effect or ground is None:
            fates[action.path] = "kept"
        elif action.path in left:
            fates[action.path] = "kept"
            problems.append(f"{name}: {left[action.path]}")
        elif is_same(_read_state(ground, action.path, no_folders), action.after):
            fates[action.path] = "done"
        else:
            fates[action.path] = "failed"
            problems.append(f"{name}: is not what it should be after it was moved")
    return fates, problems


def _read_state(ground: MoveFolder, path: bytes, no_folders: set[bytes]) -> State:
    """Return the current state of a path; absent, if the plan replaced its folder."""
    folder = get_parent(path)
    while folder:
        if folder in no_folders and not isinstance(ground.kind(folder), Folder):
            return ABSENT
        folder = get_parent(folder)
    return ground.read_state(path)


def finish_move(opened: SessionHandle, move: LoggedMove, fates: Mapping[bytes, str]) -> None:
    """Write the last line of a move."""
    journal = opened.journal
    if opened.index.node(move.point) is not None:
        _finish_noted_move(opened, move, fates)
        return
    with journal.append_lock():
        # The line refers to the end of both logs, so their present lines must be on the disk.
        journal.sync_logs("messages", "snapshots")
        newest = opened.index.newest()
        last = None if newest is None else newest.id
        after = Boundary(last, journal.length("snapshots"))
        journal.append("operations", format_move_end_line(opened.id, move.id, fates, after))


def _finish_noted_move(opened: SessionHandle, move: LoggedMove, fates: Mapping[bytes, str]) -> None:
    """Finish a move that an earlier version began and whose message exists already."""
    done = [FileChange(*each) for each in move.paths if fates.get(each.path) == "done"]
    if done and not opened.index.snapshots([move.point]):
        line = format_snapshot_line(move.point, None, False, done, (), time_ns())
        opened.journal.append("snapshots", line)
    opened.journal.append("operations", format_move_end_line(opened.id, move.id, fates, None))


# failure


def _revert_move(
    opened: SessionHandle,
    ground: MoveFolder,
    move: LoggedMove,
    error: OSError | TalktreeError | KeyboardInterrupt,
) -> TalktreeError | KeyboardInterrupt:
    """Revert a move, record that, and return the error to raise."""
    why = getattr(error, "strerror", None) or str(error) or "interrupted"
    try:
        rest = restore_before(ground, opened.contents, move)
    except (OSError, TalktreeError) as second:
        return NotSaved(
            f"the files could not be moved ({why}), nor put back ({second})",
            hint="opening the session again finishes it; everything is kept in the store",
        )
    if rest:
        names = ", ".join(sorted(path.decode("utf-8", "backslashreplace") for path in rest))
        return NotSaved(
            f"the files could not be moved ({why}); all was put back but {names}",
            hint="these are in a state of somebody else's; opening the session again tells more",
        )
    opened.journal.append("operations", format_withdrawal_line(opened.id, move.id, why))
    if not isinstance(error, OSError):
        return error
    return NotSaved(
        f"the files could not be moved: {why}", hint="everything was put back as it was"
    )


def restore_before(ground: MoveFolder, supply: Supply, move: LoggedMove) -> dict[bytes, str]:
    """Restore every path to the state before; return those for which that is not possible."""
    return move_to_goals(
        ground, supply, move, [PathMove(path, after, before) for path, before, after in move.paths]
    )


def move_to_goals(
    ground: MoveFolder, supply: Supply, move: LoggedMove, goals: Iterable[PathMove]
) -> dict[bytes, str]:
    """Change paths from one of two known states to the second; return those left unchanged.

    Temporary files of an unfinished part are cleaned up first.
    """
    goals = list(goals)
    details = TemporaryNames(ground, move.id, move.paths).recover()
    draft = PlanBuilder(ground, supply, {})
    actions = draft.make_actions(
        [
            WantedPath(path, _find_start_state(ground, each), each.after)
            for each in goals
            for path in [each.path]
        ]
    )
    left = {each.path: each.reason for each in actions if not each.has_effect}
    left |= execute_actions(ground, supply, move, actions, draft.stamps)
    return details | left


def _find_start_state(ground: MoveFolder, goal: PathMove) -> State:
    """Return the start state of a goal; a new folder may not have its mode yet."""
    if isinstance(goal.after, Folder):
        now = ground.kind(goal.path)
        if isinstance(now, Folder):
            return now
    return goal.before
