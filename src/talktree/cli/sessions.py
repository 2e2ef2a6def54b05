"""Which session is meant, where its store is, and how it is opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from talktree.cli import params
from talktree.cli.errors import tell
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


class Meant(NamedTuple):
    """A store, and the id of a session in it or the beginning of one; None for the newest."""

    root: Path
    session: str | None


def store_at(folder: Path) -> Store:
    """The store below a folder."""
    from talktree.session.store import Store

    return Store(folder)


def nearest(given: str | None) -> Path | None:
    """The store that is named, or the nearest one from here upward."""
    named = given or os.environ.get(ENVIRONMENT)
    if named:
        return Path(named)
    here = Path.cwd()
    return next((each / ROOT for each in (here, *here.parents) if (each / ROOT).is_dir()), None)


def meant(given: str | None, session: str | None) -> Meant:
    """Which session is asked for: by its folder, by its id, or the newest one."""
    folder = None if session is None else _session_folder(session)
    if folder is not None:
        if given is not None and Path(given).resolve() != folder.parent.parent:
            raise UsageError(
                f"{session} is not in {given}", hint="leave out --root if you name the folder"
            )
        return Meant(folder.parent.parent, folder.name)
    found = nearest(given)
    if found is None:
        raise NotFound(
            "there is no session store here or above",
            hint=f"`talktree session new` makes one; --root DIR or {ENVIRONMENT} name another",
        )
    return Meant(found, session)


def _session_folder(session: str) -> Path | None:
    """The folder of a session, if somebody named that instead of an id."""
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
def opened(
    given: str | None, session: str | None, *, write: bool = True, workspace: str | None = None
) -> Iterator[Session]:
    """The session that is meant; what was found and came up on the way is told."""
    named = meant(given, session)
    with store_at(named.root).open(named.session, workspace=workspace, write=write) as found:
        told = _told(found, 0)
        yield found
        _told(found, told)


def _told(session: Session, number: int) -> int:
    """Tell the notices after the first few; gives how many there are."""
    notices = session.notices
    for notice in notices[number:]:
        tell(f"talktree: {notice}")
    return len(notices)


def folder_of(given: str | None, session: str | None) -> tuple[str, Anchor]:
    """The id and the folder of the session that is meant, which may be too damaged to open."""
    from talktree.files.sandbox import Anchor
    from talktree.session.names import whole

    named = meant(given, session)
    store = store_at(named.root)
    id = store.newest() if named.session is None else whole(named.session, store.ids())
    if id is None:
        raise NotFound(f"{named.root}: there are no sessions", hint="`talktree session new`")
    return id, Anchor(named.root / "sessions" / id)


def is_claude_code(session: str | None) -> bool:
    """Whether a file of Claude Code is named instead of a session of ours."""
    return session is not None and session.endswith(".jsonl")
