"""`talktree session undo`, `redo`, `restore`, `switch`: back, forth, and across."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from talktree.cli import params, sessions
from talktree.cli.claude_files import opened_history
from talktree.cli.moving import Diff, How, carried_out, moving, paths_in, resolutions, scopes_of
from talktree.cli.verbs import Verb
from talktree.errors import UsageError
from talktree.files import OutputGate
from talktree.session.claude.restore import ClaudeRestore
from talktree.session.session import Session
from talktree.session.undo import commands
from talktree.session.undo.plan_text import diff_of
from talktree.session.undo.restore_into import restore_into

MOST_LINES = 100_000
scope = click.option(
    "--scope", metavar="SCOPES", help="Some of files,conversation,todos; else all three."
)
only_files = click.option("--file", "files", multiple=True, metavar="PATH", help="Only this file.")


@click.command("undo", cls=Verb)
@sessions.session_argument
@click.option("--to", metavar="MESSAGE", help="Back to the state after this message.")
@click.option("--before", metavar="MESSAGE", help="Back to the state before this message.")
@click.option("--turn", is_flag=True, help="Back to before the last prompt.")
@click.option(
    "--operation",
    metavar="[ID]",
    is_flag=False,
    flag_value=commands.LAST,
    help="Take back a move instead: the last one, or the one with this id.",
)
@click.option("--of", "of", metavar="MESSAGE", help="What this message did to files, and no more.")
@only_files
@scope
@moving
def undo(
    session: str | None,
    to: str | None,
    before: str | None,
    turn: bool,  # noqa: FBT001
    operation: str | None,
    of: str | None,
    files: Sequence[str],
    scope: str | None,
    how: How,
) -> int:
    """Go back: to before the last step or prompt, to a message, or only with some files.

    The plan is shown first. Only files that the session has changed are touched, and those that
    somebody else changed since are left alone. What is undone stays in the session: redo and
    restore bring it back, and new work becomes a new branch.
    """
    with sessions.opened(how.root, session, workspace=how.workspace) as found:
        base = _base(found)
        only = paths_in(base, files) if files else None
        said = resolutions(how, base)
        if of is not None:
            if (to or before or operation or scope) is not None or turn:
                raise UsageError(
                    "--of takes back one message's work on files", hint="leave the rest"
                )
            move = commands.revert(found.opened, of, paths=only, resolutions=said, force=how.force)
        else:
            move = commands.undo(
                found.opened,
                to=to,
                before=before,
                turn=turn,
                operation=operation,
                paths=only,
                scopes=scopes_of(scope),
                resolutions=said,
                force=how.force,
            )
        return carried_out(move, how, _differences(found))


undo.examples = (
    "talktree session undo --dry-run",
    "talktree session undo --yes",
    "talktree session undo --to 3f2a --scope files",
    "talktree session undo --file src/app.py",
    "talktree session undo --operation --yes",
    "talktree session undo --both notes.txt --yes",
)


@click.command("redo", cls=Verb)
@sessions.session_argument
@moving
def redo(session: str | None, how: How) -> int:
    """Take back the last undo that was not taken back, as long as nothing was said since."""
    with sessions.opened(how.root, session, workspace=how.workspace) as found:
        said = resolutions(how, _base(found))
        move = commands.redo(found.opened, resolutions=said, force=how.force)
        return carried_out(move, how, _differences(found))


redo.examples = ("talktree session redo --dry-run", "talktree session redo --yes")


@click.command("restore", cls=Verb)
@sessions.session_argument
@click.option("--to", metavar="MESSAGE", help="Go to the state after this message.")
@click.option("--before", metavar="MESSAGE", help="Go to the state before this message.")
@click.option(
    "--into",
    metavar="DIR",
    type=params.FOLDER,
    help="Write the files into this folder; the session stays where it is.",
)
@click.option(
    "--history", metavar="DIR", type=click.Path(), help="Claude Code's copies, if not found."
)
@only_files
@scope
@moving
def restore(
    session: str | None,
    to: str | None,
    before: str | None,
    into: str | None,
    history: str | None,
    files: Sequence[str],
    scope: str | None,
    how: How,
) -> int:
    """Go to any message of any branch, or write its files into a folder.

    SESSION may also be a file of Claude Code: then the files come from its file history, as they
    were when that prompt was given, into the folder that --into names.
    """
    named = to if before is None else before
    if named is None or (to is not None and before is not None):
        raise UsageError("which message to go to is not clear", hint="give --to or --before")
    if sessions.is_claude_code(session):
        assert session is not None
        if to is None:
            raise UsageError(
                "Claude Code's history has the state before each prompt only", hint="use --to"
            )
        return _from_claude(session, to, into, history, files, how)
    with sessions.opened(how.root, session, workspace=how.workspace) as found:
        if into is not None:
            return _into(found, named, into, files, scope, how, before=to is None)
        base = _base(found)
        move = commands.restore(
            found.opened,
            named,
            before=to is None,
            paths=paths_in(base, files) if files else None,
            scopes=scopes_of(scope),
            resolutions=resolutions(how, base),
            force=how.force,
        )
        return carried_out(move, how, _differences(found))


restore.examples = (
    "talktree session restore --to 9b1c --dry-run",
    "talktree session restore --to main --file src/app.py --yes",
    "talktree session restore 3f2a --to 9b1c --into ../was --yes",
    "talktree session restore --to 9b1c --file src/app.py --into ../was --both src/app.py",
    "talktree session restore ~/.claude/projects/app/SESSION.jsonl --to 9b1c --into was",
)


def _into(
    session: Session,
    to: str,
    into: str,
    files: Sequence[str],
    scope: str | None,
    how: How,
    *,
    before: bool,
) -> int:
    """Into a folder: files are named as the session has them, conflicts as the folder has them."""
    if scope is not None and scopes_of(scope) != ("files",):
        raise UsageError("a folder gets only files", hint="leave out --scope")
    workspace, folder = session.opened.workspace, Path(into).absolute()
    base = folder if workspace is None else workspace.path
    OutputGate([session.opened.root]).check_into(into)
    filling = restore_into(
        session.opened,
        to,
        folder,
        before=before,
        only=paths_in(base, files) if files else None,
        resolutions=resolutions(how, folder),
        force=how.force,
    )
    return carried_out(filling, how, filling.difference)


def _from_claude(
    file: str, to: str, into: str | None, history: str | None, files: Sequence[str], how: How
) -> int:
    if into is None:
        raise UsageError(
            "files of Claude Code's history go into a folder of your choice", hint="add --into DIR"
        )
    base = Path(into).absolute()
    with opened_history(file, history) as found:
        OutputGate([file, *([found.folder] if found.folder else [])]).check_into(into)
        point = found.point(to)
        said = resolutions(how, base)
        move = ClaudeRestore(found, point, base, only=files, resolutions=said, force=how.force)
        return carried_out(move, how, move.difference)


@click.command("switch", cls=Verb)
@click.argument("branch")
@sessions.session_option
@scope
@moving
def switch(branch: str, session: str | None, scope: str | None, how: How) -> int:
    """Go to another branch with its files: by its name, or by a message of it."""
    with sessions.opened(how.root, session, workspace=how.workspace) as found:
        move = commands.switch(
            found.opened,
            branch,
            scopes=scopes_of(scope),
            resolutions=resolutions(how, _base(found)),
            force=how.force,
        )
        return carried_out(move, how, _differences(found))


switch.examples = (
    "talktree session switch try-again --dry-run",
    "talktree session switch 9b1c --scope conversation,todos --yes",
)


def _base(session: Session) -> Path:
    """The folder that paths are relative to."""
    workspace = session.opened.workspace
    return Path.cwd() if workspace is None else workspace.path


def _differences(session: Session) -> Diff:
    return lambda action: diff_of(action, session.opened, MOST_LINES)
