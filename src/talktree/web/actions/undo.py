"""Sessions, plans and their outcomes, as the page shows them.

Finds which conversations are sessions with files that can be restored, and where those are kept. A
move comes either from Talktree's own store or from Claude Code's file history.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from talktree.errors import TalktreeError, UsageError
from talktree.home import data_home
from talktree.library.listing import LibraryEntry
from talktree.session.capture.file_state import FileContentState, name_from_json, name_to_json
from talktree.session.claude.file_history import ClaudeHistory, load_history
from talktree.session.claude.restore import ClaudeRestore
from talktree.session.legacy import SUFFIX
from talktree.session.names import FORMAT as SESSION_FORMAT
from talktree.session.names import is_id
from talktree.session.session import Session as OwnSession
from talktree.session.session import Session as RecordedSession
from talktree.session.store import Store
from talktree.session.undo import commands
from talktree.session.undo.diff import describe_change, is_text
from talktree.session.undo.execute import UndoResult
from talktree.session.undo.history import FileLine, find_position
from talktree.session.undo.move_records import ALL, Scope
from talktree.session.undo.plan import Choice, UndoAction
from talktree.session.undo.plan import UndoPlan as OwnPlan
from talktree.session.undo.plan import UndoPlan as UndoPlan
from talktree.session.undo.plan_text import read_contents
from talktree.session.undo.restore_into import restore_into
from talktree.session.undo.target import find_redoable_move, find_undo_point
from talktree.text.file_names import to_portable_name
from talktree.views.html.rendering import diff_unified
from talktree.views.width import format_count, to_one_line
from talktree.web.documents.cache import OpenConversation
from talktree.web.schemas.edits_and_moves import (
    NavigationRequest,
    PlanPreview,
    PlanStep,
    SessionOperation,
    SessionState,
)

SESSIONS = "sessions"
Kind = Literal["own", "claude-code"]


def find_session_kind(kept: LibraryEntry) -> Kind | None:
    """Return what kind of session a conversation is; None if it is not a session."""
    path = find_path(kept)
    if kept.format == "claude-code":
        return "claude-code" if path.suffix == ".jsonl" else None
    # A session in the older form is one file and has no list of changed files.
    in_store = path.parent.name == SESSIONS and is_id(path.name) and path.suffix != SUFFIX
    return "own" if kept.format == SESSION_FORMAT and in_store and kept.state != "gone" else None


def require_session_kind(kept: LibraryEntry) -> Kind:
    """Return the kind of session, or raise the reason why its files cannot be moved."""
    found = find_session_kind(kept)
    if found is None:
        raise UsageError(
            "this conversation has no files that could be moved",
            hint="sessions in a store and sessions of Claude Code have",
        )
    return found


def find_path(kept: LibraryEntry) -> Path:
    """Return the path of a conversation."""
    return Path(os.fsdecode(kept.raw_path))


SCOPES: dict[str, tuple[Scope, ...]] = {
    "files": ("files",),
    "chat": ("conversation", "todos"),
    "both": ALL,
}
RESTORED = "restored"
Contents = Callable[[UndoAction], tuple[bytes | None, bytes | None]]
"""Returns the current and the wanted content at the path of an action."""


class StudioMoveLike(Protocol):
    """A move that can be planned and applied."""

    def plan(self) -> UndoPlan:
        """Return everything that would happen."""
        ...

    def apply(self, digest: str) -> UndoResult:
        """Apply the move if its plan still has this digest."""
        ...


class StudioNavigation(NamedTuple):
    """A move and what is needed to show it."""

    move: StudioMoveLike
    contents: Contents
    session: RecordedSession | None


@contextmanager
def open_navigation(
    opened: OpenConversation, travel: NavigationRequest, *, write: bool, cache: bool = True
) -> Iterator[StudioNavigation]:
    """Open the requested move."""
    if require_session_kind(opened.kept) == "claude-code":
        with open_claude_history(opened) as history:
            filling = _make_claude_restore(opened, history, travel)
            yield StudioNavigation(filling, filling.read_contents, None)
        return
    with open_own_session(opened, write=write, cache=cache) as session:
        if travel.into is not None:
            folder = _resolve_folder(travel.into)
            to, said = _require_message(travel), parse_choices(travel)
            into = restore_into(session.opened, to, folder, resolutions=said)
            yield StudioNavigation(into, into.read_contents, session)
            return
        yield StudioNavigation(
            _make_move(session, travel),
            lambda action: read_contents(action, session.opened),
            session,
        )


@contextmanager
def open_own_session(
    opened: OpenConversation, *, write: bool, cache: bool = True
) -> Iterator[RecordedSession]:
    """Open a session in a store; without `cache`, not even the store's cache is written."""
    path = find_path(opened.kept)
    with Store(path.parent.parent, cache=cache).open(path.name, write=write) as session:
        yield session


@contextmanager
def open_claude_history(opened: OpenConversation) -> Iterator[ClaudeHistory]:
    """Open the file history of a Claude Code session."""
    history = load_history(opened.document, find_path(opened.kept))
    try:
        yield history
    finally:
        history.close()


def _make_move(session: RecordedSession, travel: NavigationRequest) -> commands.UndoMove:
    said, scopes = parse_choices(travel), SCOPES[travel.what]
    match travel.verb:
        case "undo":
            return commands.undo(session.opened, to=travel.to, scopes=scopes, resolutions=said)
        case "redo":
            if travel.what != "both" or travel.to is not None:
                raise UsageError("a redo takes back the whole undo", hint="leave out the rest")
            return commands.redo(session.opened, resolutions=said)
        case "restore":
            to = _require_message(travel)
            return commands.restore(session.opened, to, scopes=scopes, resolutions=said)


def _make_claude_restore(
    opened: OpenConversation, history: ClaudeHistory, travel: NavigationRequest
) -> ClaudeRestore:
    if travel.verb != "restore" or travel.what == "chat":
        raise UsageError(
            "of a session of Claude Code only files can be restored",
            hint="restore them as they were at a message",
        )
    folder = choose_restore_folder(opened) if travel.into is None else _resolve_folder(travel.into)
    point = history.find_checkpoint(_require_message(travel))
    return ClaudeRestore(history, point, folder, resolutions=parse_choices(travel))


def choose_restore_folder(opened: OpenConversation) -> Path:
    """Return the folder for a session's files if the request names none."""
    return data_home().absolute() / RESTORED / to_portable_name(opened.kept.id, otherwise="session")


def parse_choices(travel: NavigationRequest) -> dict[bytes, Choice]:
    """Return the decisions about conflicts by path."""
    return {name_from_json(path): choice for path, choice in travel.choices.items()}


def _require_message(travel: NavigationRequest) -> str:
    if travel.to is None:
        raise UsageError("a restore goes to a message", hint="say which one")
    return travel.to


def _resolve_folder(typed: str) -> Path:
    """Return a folder that a user typed as an absolute path on this machine."""
    path = Path(typed).expanduser()
    if not path.is_absolute() or "\0" in typed:
        raise UsageError("name a folder by its whole path", hint="it begins with / or ~")
    return path


MILLISECOND = 1_000_000
MOST_OPERATIONS = 500
MOST_STEPS = 2_000
MOST_DIFFED = 200_000
"""Maximum number of characters of a file that are compared for the page."""
SHORT = 120


def build_own_shape(session: OwnSession) -> SessionState:
    """Return the state of one of Talktree's own sessions."""
    opened = session.opened
    line = FileLine(opened)
    here, leaf = find_position(opened, line), opened.index.leaf()
    start = here.conversation
    return SessionState(
        kind="own",
        workspace="" if opened.workspace is None else str(opened.workspace.path),
        files_at=line.timeline.find_message(here.files),
        leaf=None if leaf is None else leaf.id,
        can_undo=_is_possible(lambda: find_undo_point(opened, line, start, turn=False)),
        can_redo=_is_possible(lambda: find_redoable_move(opened, line)),
        operations=tuple(
            SessionOperation(
                id=each.id,
                kind=each.kind,
                time=None if each.time_ns is None else each.time_ns // MILLISECOND,
                text=to_one_line(each.text, SHORT),
                message=each.message,
            )
            for each in islice(session.log(), MOST_OPERATIONS)
        ),
        notices=tuple(session.notices),
    )


def build_claude_shape(opened: OpenConversation, history: ClaudeHistory) -> SessionState:
    """Return what can be restored from Claude Code's history."""
    notices = ["Claude Code notes only its own edits: files that commands changed are not covered"]
    if history.folder is None:
        notices.append("the folder with the copies was not found")
    return SessionState(
        kind="claude-code",
        workspace=str(choose_restore_folder(opened)),
        files_at=None,
        leaf=None,
        can_undo=False,
        can_redo=False,
        operations=tuple(
            SessionOperation(
                id=each.message,
                kind="checkpoint",
                time=None if each.time is None else each.time // MILLISECOND,
                text=format_count(len(each.files), "file"),
                message=each.message,
            )
            for each in islice(reversed(history.points), MOST_OPERATIONS)
        ),
        notices=tuple(notices),
    )


def _is_possible(look: object) -> bool:
    assert callable(look)
    try:
        look()
    except TalktreeError:
        return False
    return True


def build_plan_shape(plan: OwnPlan, contents: Contents, choices: dict[bytes, str]) -> PlanPreview:
    """Return a plan with the difference each step makes."""
    return PlanPreview(
        digest=plan.digest,
        steps=tuple(
            _build_step(each, plan, contents, choices.get(each.path))
            for each in plan.actions[:MOST_STEPS]
        ),
        conflicts=len(plan.conflicts),
        uncovered=(*(f"{path}: {why}" for path, why in plan.uncovered), *plan.warnings),
        chat=_describe_chat_move(plan),
        moves_chat=_is_chat_moved(plan),
    )


def _build_step(
    action: UndoAction, plan: OwnPlan, contents: Contents, choice: str | None
) -> PlanStep:
    words = describe_change(action.before, action.after) if action.has_effect else ""
    return PlanStep(
        action=action.action,
        path=name_to_json(action.path),
        reason=f"{action.reason} ({words})" if words else action.reason,
        conflict=action.action == "conflict",
        choices=action.choices,
        choice=choice,
        html=_render_difference(action, plan, contents),
    )


def _render_difference(action: UndoAction, plan: OwnPlan, contents: Contents) -> str:
    old, new = contents(action)
    if new is None and isinstance(action.after, FileContentState):
        new = plan.merged.get(action.after.hash)
    if old is None or new is None or old == new or not is_text(old) or not is_text(new):
        return ""
    if len(old) + len(new) > MOST_DIFFED:
        return ""
    return diff_unified(old.decode(), new.decode()).html


def _is_chat_moved(plan: OwnPlan) -> bool:
    return "conversation" in plan.scopes and plan.from_.conversation != plan.to.conversation


def _describe_chat_move(plan: OwnPlan) -> str:
    if not _is_chat_moved(plan):
        return "the talk stays where it is"
    goal = plan.to.conversation
    if goal is None:
        return "the talk goes back to its beginning; what was said stays a branch"
    return f"the talk goes on from message {goal}; what was said behind it stays a branch"


class MoveOutcome(NamedTuple):
    """The outcome of a move."""

    done: int
    notices: tuple[str, ...]
    leaf: str | None


def build_move_outcome(outcome: UndoResult, session: OwnSession | None) -> MoveOutcome:
    """Return the outcome of a move while the session is open."""
    leaf = None if session is None else session.opened.index.leaf()
    notices = () if session is None else tuple(session.notices)
    return MoveOutcome(
        done=sum(1 for fate in outcome.fates.values() if fate == "done"),
        notices=(*outcome.problems, *notices),
        leaf=None if leaf is None else leaf.id,
    )
