"""`talktree session branch`, `check`, `gc`, `forget`: names, damage, and cleanup."""

from __future__ import annotations

import click

from talktree.cli import output, params, sessions
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.errors import NotFound, UsageError
from talktree.session.branches import read_names
from talktree.session.care import care
from talktree.text.json.value import Json
from talktree.views.branches import build_branch_shape, format_branch_lines
from talktree.views.erasures import build_erasure_shape, format_erasure_lines
from talktree.views.session_care import (
    build_cleanup_shape,
    build_problem_shape,
    build_usage_shape,
    format_gc_lines,
    format_problem_line,
)
from talktree.views.shapes import format_document
from talktree.views.width import format_count

DAY = 86_400.0


@click.command("branch", cls=Verb)
@click.argument("name", required=False)
@click.option("--at", "at", metavar="MESSAGE", help="Name this message; else where it stands.")
@click.option("--delete", is_flag=True, help="Use the name no longer; the messages stay.")
@sessions.session_option
@sessions.root
@params.as_json
@params.color
def branch(
    name: str | None,
    at: str | None,
    delete: bool,  # noqa: FBT001
    session: str | None,
    root: str | None,
    as_json: bool,  # noqa: FBT001
    color: str,
) -> None:
    """List the branches of a session, give one a name, or take a name away."""
    if name is None and (at is not None or delete):
        raise UsageError("say which name", hint="talktree session branch NAME")
    if delete and at is not None:
        raise UsageError("a name is deleted wherever it stands", hint="leave out --at")
    with sessions.open_session(root, session, write=name is not None) as found:
        if name is not None and delete:
            found.unname(name)
            print_stderr(f"talktree: {name} is no name any more")
        elif name is not None:
            message = found.name(name, at)
            print_stderr(f"talktree: {name} is {message[:8]}")
        listed, named = found.branches(), read_names(found.opened)
        if as_json:
            shapes: list[Json] = [build_branch_shape(each) for each in listed]
            shape: dict[str, Json] = {"session": found.id, "branches": shapes, "names": {**named}}
            output.print_text([format_document(shape)])
        elif name is None:
            output.print_lines(format_branch_lines(listed, named), color=output.use_color(color))


branch.examples = (
    "talktree session branch",
    "talktree session branch try-again",
    "talktree session branch old --at 3f2a",
    "talktree session branch old --delete",
)


@click.command("check", cls=Verb)
@sessions.session_argument
@click.option("--read-data", is_flag=True, help="Hash every kept content, too.")
@click.option("-q", "--quiet", is_flag=True, help="Errors only.")
@sessions.root
@params.as_json
@params.color
def check(
    session: str | None,
    read_data: bool,  # noqa: FBT001
    quiet: bool,  # noqa: FBT001
    root: str | None,
    as_json: bool,  # noqa: FBT001
    color: str,
) -> int:
    """Look for damage: seals that do not fit, gaps, missing contents, unfinished moves.

    Nothing is changed. Exit code 1 if there is an error. `talktree check` judges what the messages
    say; this looks after the store around them.
    """
    id, folder = sessions.open_session_folder(root, session)
    with folder:
        troubles = care.check_session(folder, read_data=read_data)
    errors = [each for each in troubles if each.severity == "error"]
    shown = errors if quiet else troubles
    if as_json:
        shapes: list[Json] = [build_problem_shape(each) for each in shown]
        output.print_text([format_document({"session": id, "findings": shapes})])
    else:
        output.print_lines(map(format_problem_line, shown), color=output.use_color(color))
        data = "" if read_data else "; contents were not read (--read-data)"
        print_stderr(f"talktree: {id}: {format_count(len(errors), 'error')}{data}")
    return 1 if errors else 0


check.examples = ("talktree session check", "talktree session check 3f2a --read-data --json")


@click.command("gc", cls=Verb)
@sessions.session_argument
@click.option("-y", "--yes", is_flag=True, help="Remove it; else it is only told.")
@click.option(
    "--older-than",
    type=click.FloatRange(min=0),
    default=1.0,
    show_default=True,
    metavar="DAYS",
    help="Only what is older; a writer may be about to name the rest.",
)
@sessions.root
@params.as_json
def gc(
    session: str | None,
    yes: bool,  # noqa: FBT001
    older_than: float,
    root: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Tell how much space a session takes, and which contents no line names; --yes removes those.

    Nothing else is ever removed: no message, no snapshot, no content that somebody could go back
    to.
    """
    with sessions.open_session(root, session, write=yes) as found:
        freed = care.gc(found.opened, dry_run=not yes, grace=older_than * DAY)
        used = care.measure_usage(found.opened)
        for notice in found.opened.budget.describe_excess(used.contents):
            print_stderr(f"talktree: {notice}")
        if as_json:
            shape: dict[str, Json] = {"session": found.id, **build_cleanup_shape(freed)}
            shape["usage"] = build_usage_shape(used)
            output.print_text([format_document(shape)])
            return
        output.print_lines(format_gc_lines(freed, used), color=False)


gc.examples = ("talktree session gc", "talktree session gc --older-than 7 --yes")


@click.command("forget", cls=Verb)
@sessions.session_argument
@click.option(
    "-m",
    "--message",
    "messages",
    metavar="MESSAGE",
    multiple=True,
    help="Erase this message instead of the session; several times for several.",
)
@click.option(
    "-p",
    "--path",
    "paths",
    metavar="PATH",
    multiple=True,
    help="Erase the history of this file or folder (. is all); several times for several.",
)
@click.option("-y", "--yes", is_flag=True, help="Erase it; without this, only show what would go.")
@sessions.root
@params.as_json
def forget(
    session: str | None,
    messages: tuple[str, ...],
    paths: tuple[str, ...],
    yes: bool,  # noqa: FBT001
    root: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Erase a session, some of its messages, or the history of some files, for good.

    A session goes with its child sessions, kept contents and caches. A message goes with the
    results of its tool calls, its snapshots and the contents that only they need; what follows it
    is linked to the message before it. Of a file all recorded states and contents go; the file
    itself is not touched.

    Copies elsewhere, such as in the library or in exports, are not touched either.
    """
    if session is None and not messages and not paths:
        raise UsageError("say which session", hint="talktree session forget SESSION")
    named = sessions.find_session(root, session)
    store = sessions.open_store(named.root)
    id = named.session if named.session is not None else store.find_newest()
    if id is None:
        raise NotFound(f"{named.root}: there are no sessions", hint="`talktree session new`")
    if paths and not messages:
        found = store.forget(id, paths=paths)
        if not (found.snapshots or found.moves or found.files or found.not_undoable):
            raise NotFound(
                f"{', '.join(paths)}: session {id} has no history of it",
                hint="name a path as it is below the folder of the store",
            )
    done = store.forget(id, messages=messages, paths=paths, dry_run=not yes)
    if as_json:
        output.print_text([format_document(build_erasure_shape(done))])
        return
    output.print_lines(format_erasure_lines(done), color=False)
    if not yes:
        print_stderr("talktree: nothing was erased; --yes does it")


forget.examples = (
    "talktree session forget session-123",
    "talktree session forget session-123 --yes",
    "talktree session forget session-123 --message 3f2a --yes",
    "talktree session forget --path .env --yes",
)
