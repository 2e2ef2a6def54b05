"""`talktree session undo`, `redo`, `restore`, `switch`: move through a session.

Defines the shared options of these commands, shows the plan, asks, and reports the result. A plan
is always shown first. On a terminal the user is asked; a script has to pass `--yes`, or the plan's
digest with `--digest`.

Also uses Claude Code's own file history.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from talktree import api
from talktree.cli import output, params, sessions
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.errors import UsageError
from talktree.files import OutputGate
from talktree.formats.claude_code.checkpoints import Checkpoint
from talktree.session.capture.file_state import AbsentState, FileContentState, UnknownState
from talktree.session.claude.file_history import CheckpointState, ClaudeHistory, load_history
from talktree.session.claude.restore import ClaudeRestore
from talktree.session.session import Session
from talktree.session.undo import commands
from talktree.session.undo.plan_text import diff_action
from talktree.session.undo.restore_into import restore_into
from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.shapes import format_document
from talktree.views.width import format_count, format_moment, format_stamp, to_one_line

if TYPE_CHECKING:
    from talktree.session.undo.move_records import Scope
    from talktree.session.undo.plan import Choice, UndoAction, UndoPlan


Function = TypeVar("Function", bound=Callable[..., Any])
CHOICES: tuple[Choice, ...] = ("keep", "theirs", "both", "merge")


@dataclass(frozen=True, kw_only=True)
class MoveOptions:
    """The shared options of all moves."""

    root: str | None
    workspace: str | None
    keep: Sequence[str]
    theirs: Sequence[str]
    both: Sequence[str]
    merge: Sequence[str]
    force: bool
    dry_run: bool
    yes: bool
    digest: str | None
    full: bool
    as_json: bool
    color: str


_OPTIONS = (
    sessions.root,
    sessions.workspace,
    click.option("--keep", multiple=True, metavar="PATH", help="A conflict: leave it as it is."),
    click.option(
        "--theirs", multiple=True, metavar="PATH", help="A conflict: the session's content."
    ),
    click.option("--both", multiple=True, metavar="PATH", help="A conflict: both, side by side."),
    click.option("--merge", multiple=True, metavar="PATH", help="A conflict: join both texts."),
    click.option("--force", is_flag=True, help="Every conflict: the session's content."),
    click.option("--dry-run", is_flag=True, help="Only print the plan."),
    click.option("-y", "--yes", is_flag=True, help="Do not ask."),
    click.option("--digest", metavar="DIGEST", help="Do it if the plan is still this one."),
    click.option("--full", is_flag=True, help="All lines of all differences."),
    params.as_json,
    params.color,
)


def move_options(function: Function) -> Function:
    """Add the shared options of all moves to a command, as one value."""
    names = [field.name for field in fields(MoveOptions)]

    @wraps(function)
    def _gathered(**given: Any) -> Any:  # noqa: ANN401
        how = MoveOptions(**{name: given.pop(name) for name in names})
        return function(how=how, **given)

    for option in reversed(_OPTIONS):
        _gathered = option(_gathered)
    return _gathered  # type: ignore[return-value]


# paths and scopes


def parse_scopes(text: str | None) -> tuple[Scope, ...]:
    """Return the requested scopes; all of them by default."""
    from talktree.session.undo.move_records import ALL

    if text is None:
        return ALL
    asked = {part.strip() for part in text.split(",")}
    unknown = asked - set(ALL)
    if unknown:
        raise UsageError(
            f"no scope {', '.join(sorted(unknown))}", hint=f"one or more of {','.join(ALL)}"
        )
    return tuple(scope for scope in ALL if scope in asked)


def resolve_paths(base: Path, typed: Sequence[str]) -> list[bytes]:
    """Return typed paths relative to a folder."""
    return [_resolve_path(base, each) for each in typed]


def _resolve_path(base: Path, typed: str) -> bytes:
    """Return a typed path, relative to the current folder, or to the session's folder if it is not
    below it."""
    for start in (Path.cwd(), base):
        # The last component may be a link, which is itself meant.
        above, name = os.path.split(os.path.normpath(os.path.join(start, typed)))
        path = os.path.join(os.path.realpath(above), name)
        found = os.path.relpath(path, os.path.realpath(base))
        if found.partition(os.sep)[0] not in (".", ".."):
            return os.fsencode(found)
    raise UsageError(f"{typed} is not in {base}", hint="name paths in that folder")


def parse_resolutions(how: MoveOptions, base: Path) -> dict[bytes, Choice]:
    """Return the decisions about conflicts by path."""
    said: dict[bytes, Choice] = {}
    for choice in CHOICES:
        for path in resolve_paths(base, getattr(how, choice)):
            if said.setdefault(path, choice) != choice:
                raise UsageError(
                    f"{os.fsdecode(path)}: both --{said[path]} and --{choice}",
                    hint="say one of them",
                )
    return said


# plan, question, result


class UndoResultLike(Protocol):
    """The outcome of a move."""

    @property
    def exit_code(self) -> int: ...
    @property
    def plan(self) -> UndoPlan: ...
    @property
    def fates(self) -> Mapping[bytes, str]: ...
    @property
    def problems(self) -> Sequence[str]: ...


class MoveLike(Protocol):
    """A move that can be planned and applied."""

    def plan(self) -> UndoPlan: ...
    def apply(self, digest: str) -> UndoResultLike: ...


Diff = Callable[["UndoAction"], Sequence[str]]
"""Returns the difference that an action makes in a text, line by line."""


def execute_move(move: MoveLike, how: MoveOptions, diff: Diff) -> int:
    """Show the plan, make the move if it is confirmed, and return the exit code."""
    _refuse_contradictions(how)
    plan = move.plan()
    diffs = {each.path: diff(each) for each in plan.actions}
    if not how.as_json:
        _show_plan(plan, diffs, how)
    if how.dry_run:
        if how.as_json:
            _print_json(plan, diffs, None)
        else:
            print_stderr(f"talktree: nothing was changed; --digest {plan.digest} does just this")
        return plan.exit_code
    if how.digest is None and not how.yes and not _confirm():
        return 2
    outcome = move.apply(how.digest or plan.digest)
    if how.as_json:
        _print_json(outcome.plan, diffs, outcome)
    else:
        _report_outcome(outcome)
    return outcome.exit_code


def _refuse_contradictions(how: MoveOptions) -> None:
    if how.dry_run and (how.yes or how.digest is not None):
        raise UsageError(
            "--dry-run changes nothing, so there is nothing to agree to", hint="leave out one"
        )


def _show_plan(plan: UndoPlan, diffs: Mapping[bytes, Sequence[str]], how: MoveOptions) -> None:
    from talktree.session.undo.diff import describe_change
    from talktree.views.plans import (
        ActionDiff,
        format_choice_lines,
        format_plan_lines,
        format_summary,
    )

    changes = [
        ActionDiff(
            describe_change(each.before, each.after) if each.has_effect else "", diffs[each.path]
        )
        for each in plan.actions
    ]
    shown = format_plan_lines(plan, changes, all=how.full)
    output.print_lines(shown, color=output.use_color(how.color))
    print_stderr(f"talktree: {plan.verb}: {format_summary(plan)}")
    for choice in format_choice_lines(plan):
        print_stderr(f"talktree: {choice}")


def _confirm() -> bool:
    """Ask the user at the terminal; without a terminal the answer is no."""
    if sys.stdin is None or not sys.stdin.isatty() or not sys.stderr.isatty():
        raise UsageError(
            "nobody is here to agree to the plan",
            hint="--dry-run shows it, --yes makes it, --digest DIGEST makes it if it is that one",
        )
    sys.stderr.write("Do this? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    print_stderr("talktree: nothing was changed")
    return False


def _report_outcome(outcome: UndoResultLike) -> None:
    from talktree.views.width import format_count

    done = sum(1 for fate in outcome.fates.values() if fate == "done")
    left = len(outcome.fates) - done
    more = f", {format_count(left, 'path')} left alone" if left else ""
    print_stderr(f"talktree: done: {format_count(done, 'path')} changed{more}")
    for problem in outcome.problems:
        print_stderr(f"talktree: {problem}")


def _print_json(
    plan: UndoPlan, diffs: Mapping[bytes, Sequence[str]], outcome: UndoResultLike | None
) -> None:
    from talktree.views.operations import format_path
    from talktree.views.shapes import format_document

    shape = plan.to_json()
    for action, details in zip(plan.actions, shape["plan"], strict=True):
        details["diff"] = "\n".join(diffs.get(action.path, ()))
    shape["applied"] = None
    if outcome is not None:
        fates = [{"path": format_path(path), "fate": fate} for path, fate in outcome.fates.items()]
        shape["applied"] = {
            "exit_code": outcome.exit_code,
            "paths": fates,
            "problems": list(outcome.problems),
        }
    output.print_text([format_document(shape)])


WIDTH = 60


@contextmanager
def open_history(file: str, folder: str | None) -> Iterator[ClaudeHistory]:
    """Open the file history of a Claude Code session."""
    document = api.read(file, format="claude-code")
    history = load_history(document, Path(file), None if folder is None else Path(folder))
    try:
        yield history
    finally:
        history.close()


def print_claude_log(
    file: str, folder: str | None, number: int | None, *, as_json: bool, color: str
) -> None:
    """Print every checkpoint and what it can restore, newest first."""
    with open_history(file, folder) as history:
        points = islice(reversed(history.points), number)
        if as_json:
            shapes: list[Json] = [_build_checkpoint_shape(history, point) for point in points]
            where = None if history.folder is None else str(history.folder)
            found: dict[str, Json] = {"history": where, "operations": shapes}
            output.print_text([format_document(found)])
            return
        lines = (each for point in points for each in _format_checkpoint_lines(history, point))
        output.print_lines(_add_empty_notice(lines), color=output.use_color(color))


def _add_empty_notice(lines: Iterator[Line]) -> Iterator[Line]:
    first = next(lines, None)
    if first is None:
        yield line(("no checkpoints: Claude Code has not noted any file", "faint"))
        return
    yield first
    yield from lines


def _format_checkpoint_lines(history: ClaudeHistory, point: Checkpoint) -> Iterator[Line]:
    files = history.list_files(point)
    lost = [was for was in files if isinstance(was.state, UnknownState)]
    there = sum(isinstance(was.state, FileContentState) for was in files)
    absent = sum(isinstance(was.state, AbsentState) for was in files)
    details = [format_count(there, "file")]
    details += [f"{absent:,} not there yet"] if absent else []
    details += [f"{len(lost):,} cannot be restored"] if lost else []
    yield line(
        (f"{format_moment(point.time) or '?':19}", "faint"),
        (f"  {point.message[:8]}", "mark"),
        f"  {', '.join(details)}",
        (f"  {to_one_line(_find_prompt(history, point), WIDTH)}", "user"),
    )
    for was in lost:
        assert isinstance(was.state, UnknownState)
        yield line(("    cannot  ", "error"), f"{was.name}  {was.state.why}")


def _find_prompt(history: ClaudeHistory, point: Checkpoint) -> str:
    place = history.conversation.skeleton.by_id.get(point.message)
    entry = None if place is None else history.conversation.entry(place)
    return str(getattr(entry, "text", ""))


def _build_checkpoint_shape(history: ClaudeHistory, point: Checkpoint) -> dict[str, Json]:
    return {
        "kind": "checkpoint",
        "id": point.message,
        "time": format_stamp(point.time) or None,
        "message": point.message,
        "text": _find_prompt(history, point),
        "paths": [_build_file_shape(was) for was in history.list_files(point)],
    }


def _build_file_shape(was: CheckpointState) -> dict[str, Json]:
    state = was.state
    kind = (
        "file"
        if isinstance(state, FileContentState)
        else "absent"
        if isinstance(state, AbsentState)
        else "cannot"
    )
    shape: dict[str, Json] = {"path": was.name, "state": kind}
    match state:
        case FileContentState():
            shape |= {"size": state.size, "hash": state.hash}
        case UnknownState():
            shape["why"] = state.why
    return shape


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
@move_options
def undo(
    session: str | None,
    to: str | None,
    before: str | None,
    turn: bool,  # noqa: FBT001
    operation: str | None,
    of: str | None,
    files: Sequence[str],
    scope: str | None,
    how: MoveOptions,
) -> int:
    """Go back: to before the last step or prompt, to a message, or only with some files.

    The plan is shown first. Only files that the session has changed are touched, and those that
    somebody else changed since are left alone. What is undone stays in the session: redo and
    restore bring it back, and new work becomes a new branch.
    """
    with sessions.open_session(how.root, session, workspace=how.workspace) as found:
        base = _find_base_folder(found)
        only = resolve_paths(base, files) if files else None
        said = parse_resolutions(how, base)
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
                scopes=parse_scopes(scope),
                resolutions=said,
                force=how.force,
            )
        return execute_move(move, how, _make_diff(found))


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
@move_options
def redo(session: str | None, how: MoveOptions) -> int:
    """Take back the last undo that was not taken back, as long as nothing was said since."""
    with sessions.open_session(how.root, session, workspace=how.workspace) as found:
        said = parse_resolutions(how, _find_base_folder(found))
        move = commands.redo(found.opened, resolutions=said, force=how.force)
        return execute_move(move, how, _make_diff(found))


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
@move_options
def restore(
    session: str | None,
    to: str | None,
    before: str | None,
    into: str | None,
    history: str | None,
    files: Sequence[str],
    scope: str | None,
    how: MoveOptions,
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
        return _restore_from_claude(session, to, into, history, files, how)
    with sessions.open_session(how.root, session, workspace=how.workspace) as found:
        if into is not None:
            return _restore_into_folder(found, named, into, files, scope, how, before=to is None)
        base = _find_base_folder(found)
        move = commands.restore(
            found.opened,
            named,
            before=to is None,
            paths=resolve_paths(base, files) if files else None,
            scopes=parse_scopes(scope),
            resolutions=parse_resolutions(how, base),
            force=how.force,
        )
        return execute_move(move, how, _make_diff(found))


restore.examples = (
    "talktree session restore --to 9b1c --dry-run",
    "talktree session restore --to main --file src/app.py --yes",
    "talktree session restore 3f2a --to 9b1c --into ../was --yes",
    "talktree session restore --to 9b1c --file src/app.py --into ../was --both src/app.py",
    "talktree session restore ~/.claude/projects/app/SESSION.jsonl --to 9b1c --into was",
)


def _restore_into_folder(
    session: Session,
    to: str,
    into: str,
    files: Sequence[str],
    scope: str | None,
    how: MoveOptions,
    *,
    before: bool,
) -> int:
    """Restore into a folder: paths are those of the session, conflicts those of the folder."""
    if scope is not None and parse_scopes(scope) != ("files",):
        raise UsageError("a folder gets only files", hint="leave out --scope")
    workspace, folder = session.opened.workspace, Path(into).absolute()
    base = folder if workspace is None else workspace.path
    OutputGate([session.opened.root]).check_into(into)
    filling = restore_into(
        session.opened,
        to,
        folder,
        before=before,
        only=resolve_paths(base, files) if files else None,
        resolutions=parse_resolutions(how, folder),
        force=how.force,
    )
    return execute_move(filling, how, filling.diff_action)


def _restore_from_claude(
    file: str,
    to: str,
    into: str | None,
    history: str | None,
    files: Sequence[str],
    how: MoveOptions,
) -> int:
    if into is None:
        raise UsageError(
            "files of Claude Code's history go into a folder of your choice", hint="add --into DIR"
        )
    base = Path(into).absolute()
    with open_history(file, history) as found:
        OutputGate([file, *([found.folder] if found.folder else [])]).check_into(into)
        point = found.find_checkpoint(to)
        said = parse_resolutions(how, base)
        move = ClaudeRestore(found, point, base, only=files, resolutions=said, force=how.force)
        return execute_move(move, how, move.diff_action)


@click.command("switch", cls=Verb)
@click.argument("branch")
@sessions.session_option
@scope
@move_options
def switch(branch: str, session: str | None, scope: str | None, how: MoveOptions) -> int:
    """Go to another branch with its files: by its name, or by a message of it."""
    with sessions.open_session(how.root, session, workspace=how.workspace) as found:
        move = commands.switch(
            found.opened,
            branch,
            scopes=parse_scopes(scope),
            resolutions=parse_resolutions(how, _find_base_folder(found)),
            force=how.force,
        )
        return execute_move(move, how, _make_diff(found))


switch.examples = (
    "talktree session switch try-again --dry-run",
    "talktree session switch 9b1c --scope conversation,todos --yes",
)


def _find_base_folder(session: Session) -> Path:
    """Return the folder that paths are relative to."""
    workspace = session.opened.workspace
    return Path.cwd() if workspace is None else workspace.path


def _make_diff(session: Session) -> Diff:
    return lambda action: diff_action(action, session.opened, MOST_LINES)
