"""`talktree session new`, `append`, `step`: recording for scripts."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import click

from talktree.cli import output, params, sessions
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.errors import Unreadable, UsageError
from talktree.session.capture.step import CaptureStep
from talktree.session.session import Session
from talktree.session.undo.move_log import list_path_changes
from talktree.text.escape import escape_line
from talktree.text.json.value import Json
from talktree.views.operations import build_path_change_shape, format_path_change_lines
from talktree.views.shapes import format_document
from talktree.views.terminal import to_text

ROLES = ("user", "assistant", "system", "summary", "error", "title")
NOT_STARTED = 127
SIGNALLED = 128
"""Shell exit codes of a command that could not be started, or was ended by a signal."""


@click.command("new", cls=Verb)
@click.option("--title", help="What people call it.")
@click.option("--id", "id", metavar="ID", help="An id of your own; else a random one.")
@sessions.root
@click.option(
    "--workspace",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="The folder whose files it is about; else the current one.",
)
@click.option(
    "--durability",
    type=click.Choice(["safe", "fast"]),
    help="safe: on the disk when a command returns; fast: survives a crash of the program only.",
)
@params.as_json
def new(
    title: str | None,
    id: str | None,
    root: str | None,
    workspace: str | None,
    durability: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Make a session and print its id. The store is made too if there is none."""
    place = sessions.find_nearest_store(root) or Path(sessions.ROOT)
    made = sessions.open_store(place).create(
        title=title,
        id=id,
        workspace=workspace,
        durability=durability,  # type: ignore[arg-type]
    )
    with made as session:
        _print_recorded({"session": session.id, "root": str(place)}, session.id, as_json=as_json)


new.examples = (
    "talktree session new --title 'Tidy up'",
    "talktree session new --workspace ~/app --durability fast",
)


@click.command("append", cls=Verb)
@click.argument("text", required=False)
@click.option("--role", type=click.Choice(ROLES), default="user", help="Who says it.")
@click.option("--parent", metavar="MESSAGE", help="What it follows; else where the session stands.")
@click.option("--kind", default="error", help="Of an error: which kind.")
@click.option("--todo", "todos", multiple=True, metavar="[x] TASK", help="The tasks from now on.")
@sessions.session_option
@sessions.root
@params.as_json
def append(
    text: str | None,
    role: str,
    parent: str | None,
    kind: str,
    todos: Sequence[str],
    session: str | None,
    root: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Add a message and print its id; without TEXT it is read from stdin.

    When the command returns, the message is on the disk.
    """
    words = _read_stdin() if text is None or text == "-" else text
    with sessions.open_session(root, session) as found:
        above = None if parent is None else found.message(parent).id
        id = _record_message(found, role, words, above, kind, todos)
        _print_recorded({"message": id, "session": found.id}, id, as_json=as_json)


append.examples = (
    "talktree session append 'Rename the module'",
    "git diff | talktree session append --role assistant",
    "talktree session append 'Begin' --todo 'Write it' --todo '[>] Test it' --todo '[x] Plan it'",
)


def _read_stdin() -> str:
    if sys.stdin is None:
        raise Unreadable("stdin is closed", hint="give the text as an argument")
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def _record_message(
    session: Session,
    role: str,
    text: str,
    parent: str | None,
    kind: str,
    todos: Sequence[str],
) -> str:
    tasks = [_parse_task(each) for each in todos] if todos else None
    match role:
        case "user":
            return session.user(text, parent=parent, todos=tasks)
        case "assistant":
            return session.assistant(text, parent=parent, todos=tasks)
        case "system":
            return session.system(text, parent=parent, todos=tasks)
    if tasks is not None:
        raise UsageError(f"a {role} has no tasks", hint="give --todo with another role")
    match role:
        case "summary":
            return session.summary(text, parent=parent)
        case "error":
            return session.error(kind, text, parent=parent)
    if parent is not None:
        raise UsageError("a title follows nothing", hint="leave out --parent")
    return session.title(text)


def _parse_task(text: str) -> dict[str, str]:
    """Parse a task: `[x]` is done, `[>]` in progress, `[ ]` or no mark is open."""
    for mark, status in (("[x]", "completed"), ("[>]", "in_progress"), ("[ ]", "pending")):
        if text.startswith(mark):
            return {"content": text[len(mark) :].strip(), "status": status}
    return {"content": text, "status": "pending"}


@click.command("step", cls=Verb, context_settings={"ignore_unknown_options": True})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
@click.option("--message", metavar="MESSAGE", help="Work for this message; else one is recorded.")
@click.option(
    "--file", "files", multiple=True, metavar="PATH", help="Look at this file, no folder."
)
@click.option(
    "--watch", "watched", multiple=True, metavar="DIR", help="Folders to watch; else the workspace."
)
@click.option("--mark", is_flag=True, help="Run it even if something cannot be undone; say what.")
@click.option("-q", "--quiet", is_flag=True, help="Do not tell what changed.")
@sessions.session_option
@sessions.root
@params.as_json
def step(
    command: Sequence[str],
    message: str | None,
    files: Sequence[str],
    watched: Sequence[str],
    mark: bool,  # noqa: FBT001
    quiet: bool,  # noqa: FBT001
    session: str | None,
    root: str | None,
    as_json: bool,  # noqa: FBT001
) -> int:
    """Run a command and record what it does to files, so that it can be undone.

    Everything in the watched folders is looked at before and after. The exit code is that of the
    command, and its output is its own; what changed is told on stderr. The command and its exit
    code are recorded as a tool call and its result.
    """
    with sessions.open_session(root, session) as found:
        call = uuid4().hex
        owner = found.message(message).id if message else _record_call(found, command, call)
        code, ended = NOT_STARTED, "it was not run"
        try:
            work = found.step(
                owner,
                paths=[_to_workspace_path(found, each) for each in files],
                watch=[_to_workspace_path(found, each) for each in watched]
                or ([] if files else ["."]),
                unprotected="mark" if mark else "refuse",
            )
            with work:
                code = _run_command(command)
                ended = f"exit code {code}"
        finally:
            if message is None:
                found.results({"call": call, "output": ended, "error": code != 0})
        _print_step(work, owner, code, quiet=quiet, as_json=as_json)
    return code


step.examples = (
    "talktree session step -- make format",
    "talktree session step --watch src -- sh -c 'sed -i s/old/new/ src/*.py'",
    "talktree session step --file notes.txt -- vi notes.txt",
)


def _record_call(session: Session, command: Sequence[str], call: str) -> str:
    words = shlex.join(command)
    return session.assistant(
        calls=[{"id": call, "name": "shell", "input": {"command": words}}],
    )


def _to_workspace_path(session: Session, path: str) -> str:
    """Return a typed path relative to the session's workspace."""
    workspace = session.opened.workspace
    return path if workspace is None else os.path.relpath(os.path.realpath(path), workspace.path)


def _run_command(command: Sequence[str]) -> int:
    """Run a command to its end; Ctrl-C goes to the command, and its changes are recorded anyway."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        # A handler instead of SIG_IGN, which the command would inherit.
        signal.signal(signal.SIGINT, lambda *_: None)
    try:
        code = subprocess.run([*command], check=False).returncode
    except OSError as error:
        print_stderr(f"talktree: {command[0]}: {error.strerror}")
        return NOT_STARTED
    finally:
        signal.signal(signal.SIGINT, before)
    return code if code >= 0 else SIGNALLED - code


def _print_step(
    running: CaptureStep, message: str, code: int, *, quiet: bool, as_json: bool
) -> None:
    touched = list_path_changes(running.changed)
    if as_json:
        shape: dict[str, Json] = {
            "step": running.id,
            "message": message,
            "exit_code": code,
            "paths": [build_path_change_shape(each) for each in touched],
            "uncovered": [{"path": path, "why": why} for path, why in running.uncovered],
        }
        output.print_text([format_document(shape)])
    elif not quiet:
        for line in format_path_change_lines(touched):
            print_stderr(f"talktree: {to_text(line)}")
        for path, why in running.uncovered:
            print_stderr(f"talktree: not covered: {path}: {why}")


def _print_recorded(shape: dict[str, Json], id: str, *, as_json: bool) -> None:
    output.print_text([format_document(shape) if as_json else f"{escape_line(id)}\n"])
