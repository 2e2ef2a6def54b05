"""A move from its first line to its last: safety snapshot, `move`, the work, `moved`.

Before the line `move` nothing has happened; after it every path is in the state before or in the
state after, and both are known and kept. So a move that fails is taken back, and one that is
interrupted is finished when the session is opened next (`recover`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from time import time_ns

from msgspec import Struct

from talktree.errors import NotSaved, TalktreeError, Unreadable
from talktree.files.locking import folder_lock
from talktree.session.capture.file_state import ABSENT, File, Folder, State, same
from talktree.session.capture.path_probe import Stamp
from talktree.session.capture.snapshots import Change, snapshot_line
from talktree.session.handle import Opened
from talktree.session.undo.execute_files import Execution
from talktree.session.undo.history import Wanted
from talktree.session.undo.move_records import (
    Boundary,
    Moved,
    Moving,
    move_line,
    moved_line,
    withdrawn_line,
)
from talktree.session.undo.plan import Action, Draft, Plan
from talktree.session.undo.stash import Aside
from talktree.session.undo.target_folder import Ground, Supply, above


class Outcome(Struct, frozen=True, kw_only=True):
    """What came of a move."""

    exit_code: int
    """0 all as planned, 1 something was left as it is, 3 failed."""
    fates: Mapping[bytes, str]
    """What became of each path: done, kept or failed."""
    plan: Plan
    move: str | None = None
    message: str | None = None
    """The message that the session goes on from now; None before the first one."""
    problems: tuple[str, ...] = ()


@contextlib.contextmanager
def alone(opened: Opened, ground: Ground | None) -> Iterator[None]:
    """Nobody else moves this session or works in this folder; `Busy` if somebody does."""
    with ExitStack() as held:
        held.enter_context(folder_lock(opened.folder.fd, exclusive=True))
        if ground is not None:
            held.enter_context(folder_lock(ground.folder.fd, exclusive=True))
        yield


def conduct(
    opened: Opened,
    ground: Ground | None,
    move: Moved,
    plan: Plan,
    stamps: Mapping[bytes, Stamp | None],
) -> Outcome:
    """Carry out a plan that was just made, with the locks held."""
    _keep_safe(opened, plan)
    opened.journal.append("operations", move_line(opened.id, move))
    left: dict[bytes, str] = {}
    if ground is not None and move.paths:
        try:
            left = carried_out(ground, opened.contents, move, plan.actions, stamps)
        except (OSError, TalktreeError, KeyboardInterrupt) as error:
            raise _taken_back(opened, ground, move, error) from error
    fates, problems = judged_fates(ground, plan.actions, left)
    finish(opened, move, fates)
    code = 3 if "failed" in fates.values() else 1 if "kept" in fates.values() else 0
    return Outcome(
        exit_code=code,
        fates=fates,
        plan=plan,
        move=move.id,
        message=move.at.conversation,
        problems=tuple(problems),
    )


def _keep_safe(opened: Opened, plan: Plan) -> None:
    """Everything that is replaced or removed is in the store, and so is all that is written."""
    for data in plan.merged.values():
        opened.contents.keep_bytes(data)
    opened.contents.settle()
    for action in plan.actions:
        if action.does and isinstance(action.before, File) and action.action != "chmod":
            trouble = opened.contents.trouble(action.before)
            if trouble is not None:
                raise Unreadable(
                    f"what is there now cannot be kept safe: {trouble}",
                    hint="nothing was changed; `check --read-data` tells what is damaged",
                )


def carried_out(
    ground: Ground,
    supply: Supply,
    move: Moved,
    actions: Iterable[Action],
    stamps: Mapping[bytes, Stamp | None],
) -> dict[bytes, str]:
    """Do what a plan says; gives the folders that could not go."""
    work = Execution(ground, supply, move.id, actions, stamps)
    work.run()
    return work.left


def judged_fates(
    ground: Ground | None, actions: Iterable[Action], left: Mapping[bytes, str]
) -> tuple[dict[bytes, str], list[str]]:
    """What became of each path: each is read again and compared."""
    actions = list(actions)
    no_folders = {each.path for each in actions if each.does and not isinstance(each.after, Folder)}
    fates: dict[bytes, str] = {}
    problems = []
    for action in actions:
        name = action.path.decode("utf-8", "backslashreplace")
        if not action.does or ground is None:
            fates[action.path] = "kept"
        elif action.path in left:
            fates[action.path] = "kept"
            problems.append(f"{name}: {left[action.path]}")
        elif same(_found(ground, action.path, no_folders), action.after):
            fates[action.path] = "done"
        else:
            fates[action.path] = "failed"
            problems.append(f"{name}: is not what it should be after it was moved")
    return fates, problems


def _found(ground: Ground, path: bytes, no_folders: set[bytes]) -> State:
    """What is at a path now; nothing, if the plan has made its folder something else."""
    folder = above(path)
    while folder:
        if folder in no_folders and not isinstance(ground.kind(folder), Folder):
            return ABSENT
        folder = above(folder)
    return ground.state(path)


def finish(opened: Opened, move: Moved, fates: Mapping[bytes, str]) -> None:
    """Write the last line of a move."""
    journal = opened.journal
    if opened.index.node(move.point) is not None:
        _finish_noted(opened, move, fates)
        return
    with journal.alone():
        # The line names the end of both logs, so what is there must stay there.
        journal.settle("messages", "snapshots")
        newest = opened.index.newest()
        last = None if newest is None else newest.id
        after = Boundary(last, journal.length("snapshots"))
        journal.append("operations", moved_line(opened.id, move.id, fates, after))


def _finish_noted(opened: Opened, move: Moved, fates: Mapping[bytes, str]) -> None:
    """Finish a move that an earlier version began and whose message is there already."""
    done = [Change(*each) for each in move.paths if fates.get(each.path) == "done"]
    if done and not opened.index.snapshots([move.point]):
        line = snapshot_line(move.point, None, False, done, (), time_ns())
        opened.journal.append("snapshots", line)
    opened.journal.append("operations", moved_line(opened.id, move.id, fates, None))


# when it fails


def _taken_back(
    opened: Opened, ground: Ground, move: Moved, error: OSError | TalktreeError | KeyboardInterrupt
) -> TalktreeError | KeyboardInterrupt:
    """Put everything back and say so; what to raise."""
    why = getattr(error, "strerror", None) or str(error) or "interrupted"
    try:
        rest = put_back(ground, opened.contents, move)
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
    opened.journal.append("operations", withdrawn_line(opened.id, move.id, why))
    if not isinstance(error, OSError):
        return error
    return NotSaved(
        f"the files could not be moved: {why}", hint="everything was put back as it was"
    )


def put_back(ground: Ground, supply: Supply, move: Moved) -> dict[bytes, str]:
    """Bring every path into the state before; gives those for which that cannot be."""
    return driven(
        ground, supply, move, [Moving(path, after, before) for path, before, after in move.paths]
    )


def driven(
    ground: Ground, supply: Supply, move: Moved, goals: Iterable[Moving]
) -> dict[bytes, str]:
    """Bring paths that are in one of two known states into the second; gives those left alone.

    What a part of the work has left behind under temporary names is put right first.
    """
    goals = list(goals)
    told = Aside(ground, move.id, move.paths).put_right()
    draft = Draft(ground, supply, {})
    actions = draft.made(
        [Wanted(path, _start(ground, each), each.after) for each in goals for path in [each.path]]
    )
    left = {each.path: each.reason for each in actions if not each.does}
    left |= carried_out(ground, supply, move, actions, draft.stamps)
    return told | left


def _start(ground: Ground, goal: Moving) -> State:
    """A folder that was just made may have another mode yet; it is ours all the same."""
    if isinstance(goal.after, Folder):
        now = ground.kind(goal.path)
        if isinstance(now, Folder):
            return now
    return goal.before
