"""Recovery when a session is opened: interrupted moves are finished, taken back or reported."""

from __future__ import annotations

from collections.abc import Mapping

from talktree.errors import LockHeld, TalktreeError
from talktree.session.capture.file_state import FileContentState, is_same, name_to_json
from talktree.session.capture.interrupted_steps import end_cut_off_steps
from talktree.session.handle import SessionHandle
from talktree.session.undo.execute import (
    finish_move,
    lock_session_and_folder,
    move_to_goals,
    restore_before,
)
from talktree.session.undo.move_records import (
    LoggedMove,
    PathMove,
    format_withdrawal_line,
    parse_moves,
)
from talktree.session.undo.stash import TemporaryNames
from talktree.session.undo.target_folder import MoveFolder


def find_unfinished_moves(opened: SessionHandle) -> list[LoggedMove]:
    """Return the interrupted moves of this workspace.

    Lines before the one that mapped the session to its workspace happened elsewhere, or are not
    trusted. No files are changed because of them.
    """
    lines = opened.index.operations()
    begun = [at for at, line in enumerate(lines) if line.get("kind") == "begin"]
    return [
        move for move in parse_moves(lines[begun[-1] if begun else 0 :]) if move.state == "open"
    ]


def recover_session(opened: SessionHandle) -> list[str]:
    """Recover interrupted moves and steps; return what was done, in words."""
    details = _recover_moves(opened) if find_unfinished_moves(opened) else []
    try:
        details += end_cut_off_steps(opened)
    except (OSError, TalktreeError) as error:
        details.append(f"an interrupted step could not be ended yet: {error}")
    return details


def _recover_moves(opened: SessionHandle) -> list[str]:
    ground = open_ground(opened)
    details: list[str] = []
    try:
        with lock_session_and_folder(opened, ground):
            # Another process may have been faster.
            details += [
                _recover_move(opened, ground, move) for move in find_unfinished_moves(opened)
            ]
    except LockHeld:
        details.append(
            "a move of this session is under way, or another program works in its folder"
        )
    except (OSError, TalktreeError) as error:
        details.append(f"an interrupted move could not be finished yet: {error}")
    return details


def open_ground(opened: SessionHandle) -> MoveFolder | None:
    """Return the workspace of a session, if it has one."""
    if opened.workspace is None:
        return None
    return MoveFolder(opened.workspace, opened.limits, opened.root)


def _recover_move(opened: SessionHandle, ground: MoveFolder | None, move: LoggedMove) -> str:
    name = f"an interrupted {move.verb} ({move.id[:8]})"
    if not move.paths:
        finish_move(opened, move, {})
        return f"{name} was finished"
    if ground is None:
        return f"{name} waits until the session has its workspace again"
    TemporaryNames(ground, move.id, move.paths).recover()
    if any(_is_out_of_reach(opened, ground, each) for each in move.paths):
        return _withdraw_move(opened, ground, move, name)
    left = move_to_goals(ground, opened.contents, move, move.paths)
    fates = {
        each.path: "done" if is_same(ground.read_state(each.path), each.after) else "kept"
        for each in move.paths
    }
    finish_move(opened, move, fates)
    return f"{name} was finished{_report_paths(left)}"


def _is_out_of_reach(opened: SessionHandle, ground: MoveFolder, moving: PathMove) -> bool:
    """Whether the target content of a path is not available."""
    if not isinstance(moving.after, FileContentState) or is_same(
        ground.read_state(moving.path), moving.after
    ):
        return False
    return opened.contents.find_problem(moving.after) is not None


def _withdraw_move(opened: SessionHandle, ground: MoveFolder, move: LoggedMove, name: str) -> str:
    left = restore_before(ground, opened.contents, move)
    why = "a content it needs is missing or damaged"
    opened.journal.append("operations", format_withdrawal_line(opened.id, move.id, why))
    return f"{name} was taken back, since {why}{_report_paths(left)}"


def _report_paths(left: Mapping[bytes, str]) -> str:
    """Return which paths are as they should be and which are not."""
    if not left:
        return "; every path is as it should be"
    names = [f"{name_to_json(path)}: {why}" for path, why in sorted(left.items())]
    return "; all but these paths are as they should be: " + "; ".join(names)
