"""`talktree session undo`, `redo`, `restore`, `switch`: back, forth, and across.

Moves on the command line: the options they share, the plan, the question, and what came of it.

A plan is always shown first. A person is asked; a script has to say `--yes`, or name the plan it
has looked at with `--digest`.

Claude Code's own file history on the command line.
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
from talktree.cli.errors import tell
from talktree.cli.group import Verb
from talktree.errors import UsageError
from talktree.files import OutputGate
from talktree.formats.claude_code.checkpoints import Checkpoint
from talktree.session.capture.file_state import Absent, File, Unknown
from talktree.session.claude.file_history import ClaudeHistory, Was, history_of
from talktree.session.claude.restore import ClaudeRestore
from talktree.session.session import Session
from talktree.session.undo import commands
from talktree.session.undo.plan_text import diff_of
from talktree.session.undo.restore_into import restore_into
from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.shapes import document_text
from talktree.views.width import counted, moment, one_line, stamp

if TYPE_CHECKING:
    from talktree.session.undo.move_records import Scope
    from talktree.session.undo.plan import Action, Choice, Plan


Function = TypeVar("Function", bound=Callable[..., Any])
CHOICES: tuple[Choice, ...] = ("keep", "theirs", "both", "merge")


@dataclass(frozen=True, kw_only=True)
class How:
    """What all moves are asked in the same way."""

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


def moving(function: Function) -> Function:
    """Give a command the options that all moves share, as one value."""
    names = [field.name for field in fields(How)]

    @wraps(function)
    def _gathered(**given: Any) -> Any:  # noqa: ANN401
        how = How(**{name: given.pop(name) for name in names})
        return function(how=how, **given)

    for option in reversed(_OPTIONS):
        _gathered = option(_gathered)
    return _gathered  # type: ignore[return-value]


# paths and scopes


def scopes_of(text: str | None) -> tuple[Scope, ...]:
    """The scopes that are asked for; all of them if none is named."""
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


def paths_in(base: Path, typed: Sequence[str]) -> list[bytes]:
    """Paths as they are typed here, relative to a folder."""
    return [_path_in(base, each) for each in typed]


def _path_in(base: Path, typed: str) -> bytes:
    """What is typed is seen from here, or from the folder if that leads nowhere in it."""
    for start in (Path.cwd(), base):
        # The last name may be a link, which is meant itself.
        above, name = os.path.split(os.path.normpath(os.path.join(start, typed)))
        path = os.path.join(os.path.realpath(above), name)
        found = os.path.relpath(path, os.path.realpath(base))
        if found.partition(os.sep)[0] not in (".", ".."):
            return os.fsencode(found)
    raise UsageError(f"{typed} is not in {base}", hint="name paths in that folder")


def resolutions(how: How, base: Path) -> dict[bytes, Choice]:
    """What is said about conflicts, by path."""
    said: dict[bytes, Choice] = {}
    for choice in CHOICES:
        for path in paths_in(base, getattr(how, choice)):
            if said.setdefault(path, choice) != choice:
                raise UsageError(
                    f"{os.fsdecode(path)}: both --{said[path]} and --{choice}",
                    hint="say one of them",
                )
    return said


# plan, question, result


class Outcome(Protocol):
    """What came of a move."""

    @property
    def exit_code(self) -> int: ...
    @property
    def plan(self) -> Plan: ...
    @property
    def fates(self) -> Mapping[bytes, str]: ...
    @property
    def problems(self) -> Sequence[str]: ...


class Move(Protocol):
    """A move that can be looked at, and made."""

    def plan(self) -> Plan: ...
    def apply(self, digest: str) -> Outcome: ...


Diff = Callable[["Action"], Sequence[str]]
"""The difference an action makes in a text, line by line."""


def carried_out(move: Move, how: How, diff: Diff) -> int:
    """Show the plan, and make the move if it is agreed to; the exit code."""
    _refuse_contradictions(how)
    plan = move.plan()
    diffs = {each.path: diff(each) for each in plan.actions}
    if not how.as_json:
        _show(plan, diffs, how)
    if how.dry_run:
        if how.as_json:
            _print_json(plan, diffs, None)
        else:
            tell(f"talktree: nothing was changed; --digest {plan.digest} does just this")
        return plan.exit_code
    if how.digest is None and not how.yes and not _agreed():
        return 2
    outcome = move.apply(how.digest or plan.digest)
    if how.as_json:
        _print_json(outcome.plan, diffs, outcome)
    else:
        _tell_outcome(outcome)
    return outcome.exit_code


def _refuse_contradictions(how: How) -> None:
    if how.dry_run and (how.yes or how.digest is not None):
        raise UsageError(
            "--dry-run changes nothing, so there is nothing to agree to", hint="leave out one"
        )


def _show(plan: Plan, diffs: Mapping[bytes, Sequence[str]], how: How) -> None:
    from talktree.session.undo.diff import in_words
    from talktree.views.plans import Change, choice_lines, plan_lines, summary

    changes = [
        Change(in_words(each.before, each.after) if each.does else "", diffs[each.path])
        for each in plan.actions
    ]
    shown = plan_lines(plan, changes, all=how.full)
    output.print_lines(shown, color=output.use_color(how.color))
    tell(f"talktree: {plan.verb}: {summary(plan)}")
    for choice in choice_lines(plan):
        tell(f"talktree: {choice}")


def _agreed() -> bool:
    """Whether the person at the terminal says yes; nobody else can."""
    if sys.stdin is None or not sys.stdin.isatty() or not sys.stderr.isatty():
        raise UsageError(
            "nobody is here to agree to the plan",
            hint="--dry-run shows it, --yes makes it, --digest DIGEST makes it if it is that one",
        )
    sys.stderr.write("Do this? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    tell("talktree: nothing was changed")
    return False


def _tell_outcome(outcome: Outcome) -> None:
    from talktree.views.width import counted

    done = sum(1 for fate in outcome.fates.values() if fate == "done")
    left = len(outcome.fates) - done
    more = f", {counted(left, 'path')} left alone" if left else ""
    tell(f"talktree: done: {counted(done, 'path')} changed{more}")
    for problem in outcome.problems:
        tell(f"talktree: {problem}")


def _print_json(plan: Plan, diffs: Mapping[bytes, Sequence[str]], outcome: Outcome | None) -> None:
    from talktree.views.operations import path_text
    from talktree.views.shapes import document_text

    shape = plan.to_json()
    for action, told in zip(plan.actions, shape["plan"], strict=True):
        told["diff"] = "\n".join(diffs.get(action.path, ()))
    shape["applied"] = None
    if outcome is not None:
        fates = [{"path": path_text(path), "fate": fate} for path, fate in outcome.fates.items()]
        shape["applied"] = {
            "exit_code": outcome.exit_code,
            "paths": fates,
            "problems": list(outcome.problems),
        }
    output.print_text([document_text(shape)])


WIDTH = 60


@contextmanager
def opened_history(file: str, folder: str | None) -> Iterator[ClaudeHistory]:
    """The file history of a session of Claude Code."""
    document = api.read(file, format="claude-code")
    history = history_of(document, Path(file), None if folder is None else Path(folder))
    try:
        yield history
    finally:
        history.close()


def claude_log(
    file: str, folder: str | None, number: int | None, *, as_json: bool, color: str
) -> None:
    """Print every checkpoint and what it allows to restore, newest first."""
    with opened_history(file, folder) as history:
        points = islice(reversed(history.points), number)
        if as_json:
            shapes: list[Json] = [_shape(history, point) for point in points]
            where = None if history.folder is None else str(history.folder)
            found: dict[str, Json] = {"history": where, "operations": shapes}
            output.print_text([document_text(found)])
            return
        lines = (each for point in points for each in _lines(history, point))
        output.print_lines(_or_nothing(lines), color=output.use_color(color))


def _or_nothing(lines: Iterator[Line]) -> Iterator[Line]:
    first = next(lines, None)
    if first is None:
        yield line(("no checkpoints: Claude Code has not noted any file", "faint"))
        return
    yield first
    yield from lines


def _lines(history: ClaudeHistory, point: Checkpoint) -> Iterator[Line]:
    files = history.files(point)
    lost = [was for was in files if isinstance(was.state, Unknown)]
    there = sum(isinstance(was.state, File) for was in files)
    absent = sum(isinstance(was.state, Absent) for was in files)
    told = [counted(there, "file")]
    told += [f"{absent:,} not there yet"] if absent else []
    told += [f"{len(lost):,} cannot be restored"] if lost else []
    yield line(
        (f"{moment(point.time) or '?':19}", "faint"),
        (f"  {point.message[:8]}", "mark"),
        f"  {', '.join(told)}",
        (f"  {one_line(_prompt(history, point), WIDTH)}", "user"),
    )
    for was in lost:
        assert isinstance(was.state, Unknown)
        yield line(("    cannot  ", "error"), f"{was.name}  {was.state.why}")


def _prompt(history: ClaudeHistory, point: Checkpoint) -> str:
    place = history.conversation.skeleton.by_id.get(point.message)
    entry = None if place is None else history.conversation.entry(place)
    return str(getattr(entry, "text", ""))


def _shape(history: ClaudeHistory, point: Checkpoint) -> dict[str, Json]:
    return {
        "kind": "checkpoint",
        "id": point.message,
        "time": stamp(point.time) or None,
        "message": point.message,
        "text": _prompt(history, point),
        "paths": [_file(was) for was in history.files(point)],
    }


def _file(was: Was) -> dict[str, Json]:
    state = was.state
    kind = (
        "file" if isinstance(state, File) else "absent" if isinstance(state, Absent) else "cannot"
    )
    shape: dict[str, Json] = {"path": was.name, "state": kind}
    match state:
        case File():
            shape |= {"size": state.size, "hash": state.hash}
        case Unknown():
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
