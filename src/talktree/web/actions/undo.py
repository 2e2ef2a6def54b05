"""Sessions, plans and what came of them, as the page shows them.

Which conversations are sessions whose files can be moved, and where these are kept.

A session's move as the page asks for it: of our own store, or from Claude Code's history.
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
from talktree.library.listing import Kept
from talktree.session.capture.file_state import File, name_from_json, name_to_json
from talktree.session.claude.file_history import ClaudeHistory, history_of
from talktree.session.claude.restore import ClaudeRestore
from talktree.session.legacy import SUFFIX
from talktree.session.names import FORMAT as SESSION_FORMAT
from talktree.session.names import is_id
from talktree.session.session import Session as OwnSession
from talktree.session.session import Session as RecordedSession
from talktree.session.store import Store
from talktree.session.undo import commands
from talktree.session.undo.diff import in_words, is_text
from talktree.session.undo.execute import Outcome
from talktree.session.undo.history import FileLine, position
from talktree.session.undo.move_records import ALL, Scope
from talktree.session.undo.plan import Action, Choice
from talktree.session.undo.plan import Plan as OwnPlan
from talktree.session.undo.plan import Plan as UndoPlan
from talktree.session.undo.plan_text import contents_of
from talktree.session.undo.restore_into import restore_into
from talktree.session.undo.target import redoable, undo_point
from talktree.text.file_names import plain
from talktree.views.html.rendering import diff_unified
from talktree.views.width import counted, one_line
from talktree.web.documents.cache import Opened
from talktree.web.schemas.edits_and_moves import Plan, PlanStep, Session, SessionOperation, Travel

SESSIONS = "sessions"
Kind = Literal["own", "claude-code"]


def session_kind(kept: Kept) -> Kind | None:
    """What kind of session a conversation is; None if it is none."""
    path = path_of(kept)
    if kept.format == "claude-code":
        return "claude-code" if path.suffix == ".jsonl" else None
    # A session in the older form is one file; it knows of no files that it changed.
    in_store = path.parent.name == SESSIONS and is_id(path.name) and path.suffix != SUFFIX
    return "own" if kept.format == SESSION_FORMAT and in_store and kept.state != "gone" else None


def required_kind(kept: Kept) -> Kind:
    """The same, or why nothing can be moved."""
    found = session_kind(kept)
    if found is None:
        raise UsageError(
            "this conversation has no files that could be moved",
            hint="sessions in a store and sessions of Claude Code have",
        )
    return found


def path_of(kept: Kept) -> Path:
    """Where a conversation lies."""
    return Path(os.fsdecode(kept.raw_path))


SCOPES: dict[str, tuple[Scope, ...]] = {
    "files": ("files",),
    "chat": ("conversation", "todos"),
    "both": ALL,
}
RESTORED = "restored"
Contents = Callable[[Action], tuple[bytes | None, bytes | None]]
"""What is at the path of an action, and what shall be there."""


class Move(Protocol):
    """A move that can be looked at, and made."""

    def plan(self) -> UndoPlan:
        """Everything that would happen."""
        ...

    def apply(self, digest: str) -> Outcome:
        """Make it, if the plan is still the one with this digest."""
        ...


class Journey(NamedTuple):
    """A move, and what is needed to show it."""

    move: Move
    contents: Contents
    session: RecordedSession | None


@contextmanager
def journey(
    opened: Opened, travel: Travel, *, write: bool, cache: bool = True
) -> Iterator[Journey]:
    """The move that is asked for."""
    if required_kind(opened.kept) == "claude-code":
        with claude_history(opened) as history:
            filling = _from_claude(opened, history, travel)
            yield Journey(filling, filling.contents, None)
        return
    with own_session(opened, write=write, cache=cache) as session:
        if travel.into is not None:
            folder = _folder(travel.into)
            to, said = _restored(travel), choices_of(travel)
            into = restore_into(session.opened, to, folder, resolutions=said)
            yield Journey(into, into.contents, session)
            return
        yield Journey(
            _move(session, travel), lambda action: contents_of(action, session.opened), session
        )


@contextmanager
def own_session(opened: Opened, *, write: bool, cache: bool = True) -> Iterator[RecordedSession]:
    """A session in a store, open; without `cache` not even the store's cache is written."""
    path = path_of(opened.kept)
    with Store(path.parent.parent, cache=cache).open(path.name, write=write) as session:
        yield session


@contextmanager
def claude_history(opened: Opened) -> Iterator[ClaudeHistory]:
    """The file history of a session of Claude Code."""
    history = history_of(opened.document, path_of(opened.kept))
    try:
        yield history
    finally:
        history.close()


def _move(session: RecordedSession, travel: Travel) -> commands.Move:
    said, scopes = choices_of(travel), SCOPES[travel.what]
    match travel.verb:
        case "undo":
            return commands.undo(session.opened, to=travel.to, scopes=scopes, resolutions=said)
        case "redo":
            if travel.what != "both" or travel.to is not None:
                raise UsageError("a redo takes back the whole undo", hint="leave out the rest")
            return commands.redo(session.opened, resolutions=said)
        case "restore":
            to = _restored(travel)
            return commands.restore(session.opened, to, scopes=scopes, resolutions=said)


def _from_claude(opened: Opened, history: ClaudeHistory, travel: Travel) -> ClaudeRestore:
    if travel.verb != "restore" or travel.what == "chat":
        raise UsageError(
            "of a session of Claude Code only files can be restored",
            hint="restore them as they were at a message",
        )
    folder = restored_folder(opened) if travel.into is None else _folder(travel.into)
    point = history.point(_restored(travel))
    return ClaudeRestore(history, point, folder, resolutions=choices_of(travel))


def restored_folder(opened: Opened) -> Path:
    """Where files of a session go if nobody names a folder."""
    return data_home().absolute() / RESTORED / plain(opened.kept.id, otherwise="session")


def choices_of(travel: Travel) -> dict[bytes, Choice]:
    """What is said about conflicts, by path."""
    return {name_from_json(path): choice for path, choice in travel.choices.items()}


def _restored(travel: Travel) -> str:
    if travel.to is None:
        raise UsageError("a restore goes to a message", hint="say which one")
    return travel.to


def _folder(typed: str) -> Path:
    """A folder as a person typed it, here and whole."""
    path = Path(typed).expanduser()
    if not path.is_absolute() or "\0" in typed:
        raise UsageError("name a folder by its whole path", hint="it begins with / or ~")
    return path


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
