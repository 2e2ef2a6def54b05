"""Sessions, plans and what came of them, as the page shows them."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from talktree.errors import TalktreeError
from talktree.session.capture.file_state import File, name_to_json
from talktree.session.claude.file_history import ClaudeHistory
from talktree.session.session import Session as OwnSession
from talktree.session.undo.diff import in_words, is_text
from talktree.session.undo.execute import Outcome
from talktree.session.undo.history import FileLine, position
from talktree.session.undo.plan import Action
from talktree.session.undo.plan import Plan as OwnPlan
from talktree.session.undo.target import redoable, undo_point
from talktree.views.html.rendering import diff_unified
from talktree.views.width import counted, one_line
from talktree.web.actions.travelling import Contents, restored_folder
from talktree.web.documents.desk import Opened
from talktree.web.schemas.edits_and_moves import Plan, PlanStep, Session, SessionOperation

MILLISECOND = 1_000_000
MOST_OPERATIONS = 500
MOST_STEPS = 2_000
MOST_DIFFED = 200_000
"""How many characters of a file are compared for the page."""
SHORT = 120


def own_shape(session: OwnSession) -> Session:
    """Where a session of ours stands."""
    opened = session.opened
    line = FileLine(opened)
    here, leaf = position(opened, line), opened.index.leaf()
    start = here.conversation
    return Session(
        kind="own",
        workspace="" if opened.workspace is None else str(opened.workspace.path),
        files_at=line.timeline.message(here.files),
        leaf=None if leaf is None else leaf.id,
        can_undo=_can(lambda: undo_point(opened, line, start, turn=False)),
        can_redo=_can(lambda: redoable(opened, line)),
        operations=tuple(
            SessionOperation(
                id=each.id,
                kind=each.kind,
                time=None if each.time_ns is None else each.time_ns // MILLISECOND,
                text=one_line(each.text, SHORT),
                message=each.message,
            )
            for each in islice(session.log(), MOST_OPERATIONS)
        ),
        notices=tuple(session.notices),
    )


def claude_shape(opened: Opened, history: ClaudeHistory) -> Session:
    """What Claude Code's history allows to restore."""
    notices = ["Claude Code notes only its own edits: files that commands changed are not covered"]
    if history.folder is None:
        notices.append("the folder with the copies was not found")
    return Session(
        kind="claude-code",
        workspace=str(restored_folder(opened)),
        files_at=None,
        leaf=None,
        can_undo=False,
        can_redo=False,
        operations=tuple(
            SessionOperation(
                id=each.message,
                kind="checkpoint",
                time=None if each.time is None else each.time // MILLISECOND,
                text=counted(len(each.files), "file"),
                message=each.message,
            )
            for each in islice(reversed(history.points), MOST_OPERATIONS)
        ),
        notices=tuple(notices),
    )


def _can(look: object) -> bool:
    assert callable(look)
    try:
        look()
    except TalktreeError:
        return False
    return True


def plan_shape(plan: OwnPlan, contents: Contents, choices: dict[bytes, str]) -> Plan:
    """A plan with the difference each step makes."""
    return Plan(
        digest=plan.digest,
        steps=tuple(
            _step(each, plan, contents, choices.get(each.path))
            for each in plan.actions[:MOST_STEPS]
        ),
        conflicts=len(plan.conflicts),
        uncovered=(*(f"{path}: {why}" for path, why in plan.uncovered), *plan.warnings),
        chat=_chat(plan),
        moves_chat=_moves_chat(plan),
    )


def _step(action: Action, plan: OwnPlan, contents: Contents, choice: str | None) -> PlanStep:
    words = in_words(action.before, action.after) if action.does else ""
    return PlanStep(
        action=action.action,
        path=name_to_json(action.path),
        reason=f"{action.reason} ({words})" if words else action.reason,
        conflict=action.action == "conflict",
        choices=action.choices,
        choice=choice,
        html=_difference(action, plan, contents),
    )


def _difference(action: Action, plan: OwnPlan, contents: Contents) -> str:
    old, new = contents(action)
    if new is None and isinstance(action.after, File):
        new = plan.merged.get(action.after.hash)
    if old is None or new is None or old == new or not is_text(old) or not is_text(new):
        return ""
    if len(old) + len(new) > MOST_DIFFED:
        return ""
    return diff_unified(old.decode(), new.decode()).html


def _moves_chat(plan: OwnPlan) -> bool:
    return "conversation" in plan.scopes and plan.from_.conversation != plan.to.conversation


def _chat(plan: OwnPlan) -> str:
    if not _moves_chat(plan):
        return "the talk stays where it is"
    goal = plan.to.conversation
    if goal is None:
        return "the talk goes back to its beginning; what was said stays a branch"
    return f"the talk goes on from message {goal}; what was said behind it stays a branch"


class Moved(NamedTuple):
    """What came of a move."""

    done: int
    notices: tuple[str, ...]
    leaf: str | None


def moved_shape(outcome: Outcome, session: OwnSession | None) -> Moved:
    """Return what came of a move, while the session is open."""
    leaf = None if session is None else session.opened.index.leaf()
    notices = () if session is None else tuple(session.notices)
    return Moved(
        done=sum(1 for fate in outcome.fates.values() if fate == "done"),
        notices=(*outcome.problems, *notices),
        leaf=None if leaf is None else leaf.id,
    )
