"""Select and open a session of a store."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from talktree.cli import params
from talktree.cli.errors import print_stderr
from talktree.errors import NotFound, UsageError

if TYPE_CHECKING:
    from talktree.files.sandbox import Anchor
    from talktree.session.session import Session
    from talktree.session.store import Store

ROOT = ".sage"
ENVIRONMENT = "TALKTREE_SESSIONS"
Function = TypeVar("Function", bound=Callable[..., Any])

root = click.option(
    "--root",
    metavar="DIR",
    type=params.FOLDER,
    help="The store; else $TALKTREE_SESSIONS, else the nearest .sage from here upward.",
)
session_argument = click.argument("session", required=False, type=params.PATH, metavar="[SESSION]")
session_option = click.option(
    "-s", "--session", metavar="SESSION", help="A session by its id; else the newest one."
)
workspace = click.option(
    "--workspace",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="Say that this folder is the session's workspace now.",
)


class SessionReference(NamedTuple):
    """A store, and the id of a session in it or a prefix of one; None for the newest."""

    root: Path
    session: str | None


def open_store(folder: Path) -> Store:
    """Return the store below a folder."""
    from talktree.session.store import Store

    return Store(folder)


def find_nearest_store(given: str | None) -> Path | None:
    """Return the named store, or the nearest one in this folder or above."""
    named = given or os.environ.get(ENVIRONMENT)
    if named:
        return Path(named)
    here = Path.cwd()
    return next((each / ROOT for each in (here, *here.parents) if (each / ROOT).is_dir()), None)


def find_session(given: str | None, session: str | None) -> SessionReference:
    """Return the session by its folder, by its id, or the newest one."""
    folder = None if session is None else _resolve_session_folder(session)
    if folder is not None:
        if given is not None and Path(given).resolve() != folder.parent.parent:
            raise UsageError(
                f"{session} is not in {given}", hint="leave out --root if you name the folder"
            )
        return SessionReference(folder.parent.parent, folder.name)
    found = find_nearest_store(given)
    if found is None:
        raise NotFound(
            "there is no session store here or above",
            hint=f"`talktree session new` makes one; --root DIR or {ENVIRONMENT} name another",
        )
    return SessionReference(found, session)


def _resolve_session_folder(session: str) -> Path | None:
    """Return the folder of a session, if the argument is a folder and not an id."""
    path = Path(session)
    if len(path.parts) < 2 and not (path / "messages.jsonl").is_file():
        return None
    if not path.is_dir():
        raise NotFound(f"{session}: no such session", hint="name an id, or a session's folder")
    folder = path.resolve()
    if folder.parent.name != "sessions":
        raise UsageError(
            f"{session} is not in a store",
            hint="a session's folder lies in <root>/sessions/",
        )
    return folder


@contextmanager
def open_session(
    given: str | None, session: str | None, *, write: bool = True, workspace: str | None = None
) -> Iterator[Session]:
    """Open the selected session, and report notices from opening it."""
    named = find_session(given, session)
    with open_store(named.root).open(named.session, workspace=workspace, write=write) as found:
        details = _print_notices(found, 0)
        yield found
        _print_notices(found, details)


def _print_notices(session: Session, number: int) -> int:
    """Print the notices after the first few, and return how many there are."""
    notices = session.notices
    for notice in notices[number:]:
        print_stderr(f"talktree: {notice}")
    return len(notices)


def open_session_folder(given: str | None, session: str | None) -> tuple[str, Anchor]:
    """Return the id and the folder of the selected session, which may be too damaged to open."""
    from talktree.files.sandbox import Anchor
    from talktree.session.names import resolve_short_id

    named = find_session(given, session)
    store = open_store(named.root)
    id = (
        store.find_newest()
        if named.session is None
        else resolve_short_id(named.session, store.list_ids())
    )
    if id is None:
        raise NotFound(f"{named.root}: there are no sessions", hint="`talktree session new`")
    return id, Anchor(named.root / "sessions" / id)


def is_claude_code(session: str | None) -> bool:
    """Whether a file of Claude Code is named, not one of Talktree's own sessions."""
    return session is not None and session.endswith(".jsonl")
