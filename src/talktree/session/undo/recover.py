"""When a session is opened: finish moves that were interrupted, else take them back, else tell."""

from __future__ import annotations

from collections.abc import Mapping

from talktree.errors import Busy, TalktreeError
from talktree.session.capture.file_state import File, name_to_json, same
from talktree.session.capture.interrupted_steps import end_cut_off_steps
from talktree.session.handle import Opened
from talktree.session.undo.execute import alone, driven, finish, put_back
from talktree.session.undo.move_records import Moved, Moving, moves, withdrawn_line
from talktree.session.undo.stash import Aside
from talktree.session.undo.target_folder import Ground


def unfinished(opened: Opened) -> list[Moved]:
    """The moves of which nobody knows how they ended, and that are this workspace's.

    What stands before the line that mapped the session to its workspace happened elsewhere, or is
    a stranger's word. Nothing is done to files because of it.
    """
    lines = opened.index.operations()
    begun = [at for at, line in enumerate(lines) if line.get("kind") == "begin"]
    return [move for move in moves(lines[begun[-1] if begun else 0 :]) if move.state == "open"]


def recover(opened: Opened) -> list[str]:
    """Put interrupted moves and steps right; gives what was done, in words."""
    told = _moves_put_right(opened) if unfinished(opened) else []
    try:
        told += end_cut_off_steps(opened)
    except (OSError, TalktreeError) as error:
        told.append(f"an interrupted step could not be ended yet: {error}")
    return told


def _moves_put_right(opened: Opened) -> list[str]:
    ground = ground_of(opened)
    told: list[str] = []
    try:
        with alone(opened, ground):
            # Another process may have been faster.
            told += [_put_right(opened, ground, move) for move in unfinished(opened)]
    except Busy:
        told.append("a move of this session is under way, or another program works in its folder")
    except (OSError, TalktreeError) as error:
        told.append(f"an interrupted move could not be finished yet: {error}")
    return told


def ground_of(opened: Opened) -> Ground | None:
    """The workspace of a session, if it has one."""
    if opened.workspace is None:
        return None
    return Ground(opened.workspace, opened.limits, opened.root)


def _put_right(opened: Opened, ground: Ground | None, move: Moved) -> str:
    name = f"an interrupted {move.verb} ({move.id[:8]})"
    if not move.paths:
        finish(opened, move, {})
        return f"{name} was finished"
    if ground is None:
        return f"{name} waits until the session has its workspace again"
    Aside(ground, move.id, move.paths).put_right()
    if any(_is_out_of_reach(opened, ground, each) for each in move.paths):
        return _withdraw(opened, ground, move, name)
    left = driven(ground, opened.contents, move, move.paths)
    fates = {
        each.path: "done" if same(ground.state(each.path), each.after) else "kept"
        for each in move.paths
    }
    finish(opened, move, fates)
    return f"{name} was finished{_told(left)}"


def _is_out_of_reach(opened: Opened, ground: Ground, moving: Moving) -> bool:
    """Whether a path cannot get the content that it shall have."""
    if not isinstance(moving.after, File) or same(ground.state(moving.path), moving.after):
        return False
    return opened.contents.trouble(moving.after) is not None


def _withdraw(opened: Opened, ground: Ground, move: Moved, name: str) -> str:
    left = put_back(ground, opened.contents, move)
    why = "a content it needs is missing or damaged"
    opened.journal.append("operations", withdrawn_line(opened.id, move.id, why))
    return f"{name} was taken back, since {why}{_told(left)}"


def _told(left: Mapping[bytes, str]) -> str:
    """Which paths are as they should be and which are not."""
    if not left:
        return "; every path is as it should be"
    names = [f"{name_to_json(path)}: {why}" for path, why in sorted(left.items())]
    return "; all but these paths are as they should be: " + "; ".join(names)
