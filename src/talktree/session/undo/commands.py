"""The verbs that move a session: undo, redo, restore, switch, revert.

Each gives a `Move`: its plan can be looked at as often as one likes, and applying takes the digest
of the plan that was looked at. What a move means is worked out anew each time from the logs, so
whatever others did meanwhile shows in the digest.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple
from uuid import uuid4

from talktree.errors import NotUndoable, UsageError, WorldMoved
from talktree.session.branches import meant, tip
from talktree.session.capture.erased_paths import path_mark
from talktree.session.handle import Opened
from talktree.session.undo import move_log
from talktree.session.undo.execute import Outcome, alone, conduct
from talktree.session.undo.history import FileLine, Wanted
from talktree.session.undo.move_records import ALL, Moved, Scope
from talktree.session.undo.plan import Choice, Draft, Plan, sealed
from talktree.session.undo.recover import ground_of
from talktree.session.undo.target import (
    Intent,
    last_move,
    redoable,
    reverted,
    taken_back,
    to_message,
    undone,
    undone_paths,
)
from talktree.session.undo.target_folder import Ground
from talktree.session.undo.timeline import Timeline

NO_CHOICES: Mapping[bytes, Choice] = {}
LAST = "last"
"""Stands for the last move that was not taken back."""


class _Made(NamedTuple):
    intent: Intent
    plan: Plan
    draft: Draft | None


class Move:
    """A move that can be looked at, and made."""

    def __init__(
        self,
        opened: Opened,
        intent: Callable[[FileLine], Intent],
        *,
        resolutions: Mapping[bytes, Choice] = NO_CHOICES,
        force: bool = False,
    ) -> None:
        self._opened = opened
        self._intent = intent
        self._resolutions = resolutions
        self._force = force

    def plan(self) -> Plan:
        """Everything that would happen; nothing does."""
        return self._made(ground_of(self._opened), safe=False).plan

    def message(self, place: str) -> str | None:
        """The message of a place that the plan names."""
        return Timeline(self._opened.index).message(place)

    def apply(self, digest: str) -> Outcome:
        """Make the move, if the plan is still the one with this digest."""
        opened = self._opened
        ground = ground_of(opened)
        with alone(opened, ground):
            made = self._made(ground, safe=True)
            _compare(made.plan, digest)
            move = self._told(made)
            made.intent.foreign.keep((each.after for each in move.paths), opened.contents)
            return conduct(opened, ground, move, made.plan, made.draft.stamps if made.draft else {})

    def _made(self, ground: Ground | None, *, safe: bool) -> _Made:
        """Work the plan out; if it is to be `safe`, what is there now is kept on the way."""
        opened = self._opened
        intent = self._intent(FileLine(opened))
        wanted = intent.wanted if "files" in intent.scopes else []
        if ground is None:
            if wanted:
                raise _no_workspace()
            return _Made(intent, _planned(intent, None), None)
        draft = Draft(
            ground,
            intent.foreign.supply,
            self._resolutions,
            force=self._force,
            keep_in=opened.contents if safe else None,
        )
        return _Made(intent, _planned(intent, draft, wanted), draft)

    def _told(self, made: _Made) -> Moved:
        """The move as the log has it."""
        intent, id, point = made.intent, str(uuid4()), str(uuid4())
        at = intent.goal if not intent.partial else intent.goal._replace(files=point)
        goal = intent.goal.files if intent.scopes == ("files",) else intent.goal.conversation
        goal = Timeline(self._opened.index).message(goal)
        if intent.verb == "revert":
            goal = intent.about
        words = move_log.heading(self._opened, intent.verb, goal, partial=bool(intent.partial))
        return Moved(
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


def _planned(intent: Intent, draft: Draft | None, wanted: Iterable[Wanted] = ()) -> Plan:
    actions = draft.made(wanted) if draft is not None else ()
    plan = Plan(
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
    return sealed(plan, intent.leaf, intent.parent, intent.takes_back)


def _compare(plan: Plan, digest: str) -> None:
    if not secrets.compare_digest(plan.digest, digest):
        raise WorldMoved(
            "the files or the session are not as they were when the plan was made",
            hint="nothing was changed; look at the plan again and apply the new digest",
        )


def _no_workspace() -> NotUndoable:
    return NotUndoable(
        "the session has no workspace here, so its files cannot be moved in place",
        hint="map it to a folder (workspace=), restore into a fresh one (into=), or leave out "
        "the scope files",
    )


# the verbs


def undo(
    opened: Opened,
    *,
    to: str | None = None,
    before: str | None = None,
    turn: bool = False,
    operation: str | None = None,
    paths: Iterable[bytes] | None = None,
    scopes: Iterable[Scope] = ALL,
    resolutions: Mapping[bytes, Choice] = NO_CHOICES,
    force: bool = False,
) -> Move:
    """Back to before the last step or prompt; or take back a move.

    `to` a message is the state after it, with what it did; `before` a message is the state before
    it. With `paths` only these files go back, to before the last step that touched them.
    """
    asked = _scopes(scopes)
    if sum((to is not None, before is not None, turn, operation is not None)) > 1:
        raise UsageError(
            "an undo goes to a message, to before one, over a turn, or takes back an operation",
            hint="give one of to, before, turn and operation",
        )
    named = to if before is None else before
    message = None if named is None else meant(opened, named)
    if operation is not None:
        if paths is not None:
            raise UsageError("an operation is taken back as a whole", hint="leave out the paths")

        def _intent(line: FileLine) -> Intent:
            move = last_move(opened, line, None if operation == LAST else operation)
            return taken_back(opened, line, "undo", move)

    elif paths is not None:
        only = _recorded(opened, paths)

        def _intent(line: FileLine) -> Intent:
            if message is None:
                return undone_paths(opened, line, only)
            goal = line.place(message, before=before is not None)
            return to_message(opened, line, "undo", goal, ("files",), only)

    else:

        def _intent(line: FileLine) -> Intent:
            if message is None:
                return undone(opened, line, asked, turn=turn)
            goal = line.place(message, before=before is not None)
            return to_message(opened, line, "undo", goal, asked)

    return Move(opened, _intent, resolutions=resolutions, force=force)


def redo(
    opened: Opened,
    *,
    resolutions: Mapping[bytes, Choice] = NO_CHOICES,
    force: bool = False,
) -> Move:
    """Take back the last undo that was not taken back, as long as nothing was said since."""
    return Move(
        opened,
        lambda line: taken_back(opened, line, "redo", redoable(opened, line)),
        resolutions=resolutions,
        force=force,
    )


def restore(
    opened: Opened,
    message: str,
    *,
    before: bool = False,
    paths: Iterable[bytes] | None = None,
    scopes: Iterable[Scope] = ALL,
    resolutions: Mapping[bytes, Choice] = NO_CHOICES,
    force: bool = False,
) -> Move:
    """To the state after any message, or `before` it; or some files as they were then."""
    id, asked = meant(opened, message), _scopes(scopes)
    only = None if paths is None else _recorded(opened, paths)
    return Move(
        opened,
        lambda line: to_message(
            opened, line, "restore", line.place(id, before=before), asked, only
        ),
        resolutions=resolutions,
        force=force,
    )


def switch(
    opened: Opened,
    branch: str,
    *,
    scopes: Iterable[Scope] = ALL,
    resolutions: Mapping[bytes, Choice] = NO_CHOICES,
    force: bool = False,
) -> Move:
    """To a branch: the end of the one with that name, or a message; without the scope files only
    the talk switches."""
    goal, asked = tip(opened, branch), _scopes(scopes)
    return Move(
        opened,
        lambda line: to_message(opened, line, "switch", goal, asked),
        resolutions=resolutions,
        force=force,
    )


def revert(
    opened: Opened,
    message: str,
    *,
    paths: Iterable[bytes] | None = None,
    resolutions: Mapping[bytes, Choice] = NO_CHOICES,
    force: bool = False,
) -> Move:
    """Take back what the steps of one message did to files, and leave the rest."""
    about = meant(opened, message)
    only = None if paths is None else _recorded(opened, paths)
    return Move(
        opened,
        lambda line: reverted(opened, line, about, only),
        resolutions=resolutions,
        force=force,
    )


def _recorded(opened: Opened, paths: Iterable[bytes]) -> frozenset[bytes]:
    """The paths, if none of them is one whose history was erased."""
    found = frozenset(paths)
    marks = {
        path_mark(opened.id, path): path
        for path, touch in opened.index.last_touches(found).items()
        if touch is None
    }
    for _, each in opened.index.every_snapshot() if marks else ():
        for name, _ in each.uncovered:
            if name in marks:
                shown = marks[name].decode("utf-8", "backslashreplace")
                raise NotUndoable(
                    f"the content of {shown} was erased from this session",
                    hint="undo without naming the file moves the others",
                )
    return found


def _scopes(scopes: Iterable[Scope]) -> tuple[Scope, ...]:
    asked = set(scopes)
    if not asked or asked - set(ALL):
        raise UsageError("no such scope", hint=f"one or more of {', '.join(ALL)}")
    return tuple(scope for scope in ALL if scope in asked)
