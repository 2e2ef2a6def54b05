"""A session's move as the page asks for it: of our own store, or from Claude Code's history."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

from talktree.errors import UsageError
from talktree.home import data_home
from talktree.session.capture.file_state import name_from_json
from talktree.session.claude.file_history import ClaudeHistory, history_of
from talktree.session.claude.restore import ClaudeRestore
from talktree.session.session import Session
from talktree.session.store import Store
from talktree.session.undo import commands
from talktree.session.undo.execute import Outcome
from talktree.session.undo.move_records import ALL, Scope
from talktree.session.undo.plan import Action, Choice, Plan
from talktree.session.undo.plan_text import contents_of
from talktree.session.undo.restore_into import restore_into
from talktree.text.file_names import plain
from talktree.web.actions.session_kind import path_of, required_kind
from talktree.web.documents.desk import Opened
from talktree.web.schemas.edits_and_moves import Travel

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

    def plan(self) -> Plan:
        """Everything that would happen."""
        ...

    def apply(self, digest: str) -> Outcome:
        """Make it, if the plan is still the one with this digest."""
        ...


class Journey(NamedTuple):
    """A move, and what is needed to show it."""

    move: Move
    contents: Contents
    session: Session | None


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
def own_session(opened: Opened, *, write: bool, cache: bool = True) -> Iterator[Session]:
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


def _move(session: Session, travel: Travel) -> commands.Move:
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
