"""The verbs that move a session: undo, redo, restore, switch, revert.

Each returns an `UndoMove`: its plan can be looked at often, and applying takes the digest of the
plan that was looked at. The move is computed again from the logs each time, so any change by others
changes the digest.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple
from uuid import uuid4

from talktree.errors import NotUndoable, UsageError, WorldMoved
from talktree.session.branches import find_message, find_tip
from talktree.session.capture.erased_paths import make_path_mark
from talktree.session.handle import SessionHandle
from talktree.session.undo import move_log
from talktree.session.undo.execute import UndoResult, execute_plan, lock_session_and_folder
from talktree.session.undo.history import FileLine, WantedPath
from talktree.session.undo.move_records import ALL, LoggedMove, Scope
from talktree.session.undo.plan import Choice, PlanBuilder, UndoPlan, with_digest
from talktree.session.undo.recover import open_ground
from talktree.session.undo.target import (
    UndoTarget,
    find_last_move,
    find_redoable_move,
    target_message,
    target_revert,
    target_undo,
    target_undo_of_move,
    target_undo_of_paths,
)
from talktree.session.undo.target_folder import MoveFolder
from talktree.session.undo.timeline import Timeline

NO_CHOICES: Mapping[bytes, Choice] = {}
LAST = "last"
"""The last move that was not taken back."""


class _PlannedMove(NamedTuple):
    intent: UndoTarget
    plan: UndoPlan
    draft: PlanBuilder | None


class UndoMove:
    """A move that can be planned and made."""

    def __init__(
        self,
        opened: SessionHandle,
        intent: Callable[[FileLine], UndoTarget],
        *,
        resolutions: Mapping[bytes, Choice] = NO_CHOICES,
        force: bool = False,
    ) -> None:
        self._opened = opened
        self._intent = intent
        self._resolutions = resolutions
        self._force = force

    def plan(self) -> UndoPlan:
        """Return the plan without making the move."""
        return self._make_plan(open_ground(self._opened), safe=False).plan

    def message_at(self, place: str) -> str | None:
        """Return the message of a place that the plan names."""
        return Timeline(self._opened.index).find_message(place)

    def apply(self, digest: str) -> UndoResult:
        """Make the move, if the plan still has this digest."""
        opened = self._opened
        ground = open_ground(opened)
        with lock_session_and_folder(opened, ground):
            made = self._make_plan(ground, safe=True)
            _require_same_digest(made.plan, digest)
            move = self._log_move(made)
            made.intent.foreign.keep((each.after for each in move.paths), opened.contents)
            return execute_plan(
                opened, ground, move, made.plan, made.draft.stamps if made.draft else {}
            )

    def _make_plan(self, ground: MoveFolder | None, *, safe: bool) -> _PlannedMove:
        """Compute the plan; if it is to be `safe`, the current contents are stored on the way."""
        opened = self._opened
        intent = self._intent(FileLine(opened))
        wanted = intent.wanted if "files" in intent.scopes else []
        if ground is None:
            if wanted:
                raise _no_workspace_error()
            return _PlannedMove(intent, _build_plan(intent, None), None)
        draft = PlanBuilder(
            ground,
            intent.foreign.supply,
            self._resolutions,
            force=self._force,
            keep_in=opened.contents if safe else None,
        )
        return _PlannedMove(intent, _build_plan(intent, draft, wanted), draft)

    def _log_move(self, made: _PlannedMove) -> LoggedMove:
        """Return the move for the log."""
        intent, id, point = made.intent, str(uuid4()), str(uuid4())
        at = intent.goal if not intent.partial else intent.goal._replace(files=point)
        goal = intent.goal.files if intent.scopes == ("files",) else intent.goal.conversation
        goal = Timeline(self._opened.index).find_message(goal)
        if intent.verb == "revert":
            goal = intent.about
        words = move_log.format_heading(
            self._opened, intent.verb, goal, partial=bool(intent.partial)
        )
        return LoggedMove(
            id=id,
            verb=intent.verb,
            point=point,
            parent=intent.parent,
            scopes=intent.scopes,
            origin=intent.origin,
            goal=intent.goal,
            at=at,
            leaf=intent.leaf,
            paths=made.plan.movings,
            text=words,
            left={each.path: each.before for each in made.plan.left},
            takes_back=intent.takes_back,
            partial=intent.partial,
        )


def _build_plan(
    intent: UndoTarget, draft: PlanBuilder | None, wanted: Iterable[WantedPath] = ()
) -> UndoPlan:
    actions = draft.make_actions(wanted) if draft is not None else ()
    plan = UndoPlan(
        verb=intent.verb,
        from_=intent.origin,
        to=intent.goal,
        scopes=intent.scopes,
        actions=actions,
        already=tuple(draft.already) if draft is not None else (),
        uncovered=intent.uncovered,
        warnings=tuple(draft.warnings) if draft is not None else (),
        merged=draft.merged if draft is not None else {},
    )
    return with_digest(plan, intent.leaf, intent.parent, intent.takes_back)


def _require_same_digest(plan: UndoPlan, digest: str) -> None:
    if not secrets.compare_digest(plan.digest, digest):
        raise WorldMoved(
            "the files or the session are not as they were when the plan was made",
            hint="nothing was changed; look at the plan again and apply the new digest",
        )


def _no_workspace_error() -> NotUndoable:
    return NotUndoable(
        "the session has no workspace here, so its files cannot be moved in place",
        hint="map it to a folder (workspace=), restore into a fresh one (into=), or leave out "
        "the scope files",
    )


# the verbs


def undo(
    opened: SessionHandle,
    *,
    to: str | None = None,
    before: str | None = None,
    turn: bool = False,
    operation: str | None = None,
    paths: Iterable[bytes] | None = None,
    scopes: Iterable[Scope] = ALL,
    resolutions: Mapping[bytes, Choice] = NO_CHOICES,
    force: bool = False,
) -> UndoMove:
    """Return a move to before the last step or prompt, or one that takes back a move.

    `to` a message is the state after it, with what it did; `before` a message is the state before
    it. With `paths` only these files go back, to before the last step that touched them.
    """
    asked = _order_scopes(scopes)
    if sum((to is not None, before is not None, turn, operation is not None)) > 1:
        raise UsageError(
            "an undo goes to a message, to before one, over a turn, or takes back an operation",
            hint="give one of to, before, turn and operation",
        )
    named = to if before is None else before
    message = None if named is None else find_message(opened, named)
    if operation is not None:
        if paths is not None:
            raise UsageError("an operation is taken back as a whole", hint="leave out the paths")

        def _intent(line: FileLine) -> UndoTarget:
            move = find_last_move(opened, line, None if operation == LAST else operation)
            return target_undo_of_move(opened, line, "undo", move)

    elif paths is not None:
        only = _require_recorded(opened, paths)

        def _intent(line: FileLine) -> UndoTarget:
            if message is None:
                return target_undo_of_paths(opened, line, only)
            goal = line.find_place(message, before=before is not None)
            return target_message(opened, line, "undo", goal, ("files",), only)

    else:

        def _intent(line: FileLine) -> UndoTarget:
            if message is None:
                return target_undo(opened, line, asked, turn=turn)
            goal = line.find_place(message, before=before is not None)
            return target_message(opened, line, "undo", goal, asked)

    return UndoMove(opened, _intent, resolutions=resolutions, force=force)


def redo(
    opened: SessionHandle,
    *,
    resolutions: Mapping[bytes, Choice] = NO_CHOICES,
    force: bool = False,
) -> UndoMove:
    """Return a move that takes back the last active undo, if no message was written since."""
    return UndoMove(
        opened,
        lambda line: target_undo_of_move(opened, line, "redo", find_redoable_move(opened, line)),
        resolutions=resolutions,
        force=force,
    )


def restore(
    opened: SessionHandle,
    message: str,
    *,
    before: bool = False,
    paths: Iterable[bytes] | None = None,
    scopes: Iterable[Scope] = ALL,
    resolutions: Mapping[bytes, Choice] = NO_CHOICES,
    force: bool = False,
) -> UndoMove:
    """Return a move to the state after any message, or `before` it, or only of some files."""
    id, asked = find_message(opened, message), _order_scopes(scopes)
    only = None if paths is None else _require_recorded(opened, paths)
    return UndoMove(
        opened,
        lambda line: target_message(
            opened, line, "restore", line.find_place(id, before=before), asked, only
        ),
        resolutions=resolutions,
        force=force,
    )


def switch(
    opened: SessionHandle,
    branch: str,
    *,
    scopes: Iterable[Scope] = ALL,
    resolutions: Mapping[bytes, Choice] = NO_CHOICES,
    force: bool = False,
) -> UndoMove:
    """Return a move to the end of a named branch, or to a message.

    Without the scope files only the conversation switches.
    """
    goal, asked = find_tip(opened, branch), _order_scopes(scopes)
    return UndoMove(
        opened,
        lambda line: target_message(opened, line, "switch", goal, asked),
        resolutions=resolutions,
        force=force,
    )


def revert(
    opened: SessionHandle,
    message: str,
    *,
    paths: Iterable[bytes] | None = None,
    resolutions: Mapping[bytes, Choice] = NO_CHOICES,
    force: bool = False,
) -> UndoMove:
    """Return a move that takes back what one message did to files, and leaves the rest."""
    about = find_message(opened, message)
    only = None if paths is None else _require_recorded(opened, paths)
    return UndoMove(
        opened,
        lambda line: target_revert(opened, line, about, only),
        resolutions=resolutions,
        force=force,
    )


def _require_recorded(opened: SessionHandle, paths: Iterable[bytes]) -> frozenset[bytes]:
    """Return the paths, unless the history of one of them was erased."""
    found = frozenset(paths)
    marks = {
        make_path_mark(opened.id, path): path
        for path, touch in opened.index.find_last_touches(found).items()
        if touch is None
    }
    for _, each in opened.index.all_snapshots() if marks else ():
        for name, _ in each.uncovered:
            if name in marks:
                shown = marks[name].decode("utf-8", "backslashreplace")
                raise NotUndoable(
                    f"the content of {shown} was erased from this session",
                    hint="undo without naming the file moves the others",
                )
    return found


def _order_scopes(scopes: Iterable[Scope]) -> tuple[Scope, ...]:
    asked = set(scopes)
    if not asked or asked - set(ALL):
        raise UsageError("no such scope", hint=f"one or more of {', '.join(ALL)}")
    return tuple(scope for scope in ALL if scope in asked)
