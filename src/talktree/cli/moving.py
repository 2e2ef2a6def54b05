"""Moves on the command line: the options they share, the plan, the question, and what came of it.

A plan is always shown first. A person is asked; a script has to say `--yes`, or name the plan it
has looked at with `--digest`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from talktree.cli import output, params, sessions
from talktree.cli.errors import tell
from talktree.errors import UsageError

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
    from talktree.session.undo.differences import in_words
    from talktree.views.plans import Change, choice_lines, plan_lines, summary

    changes = [
        Change(in_words(each.before, each.after) if each.does else "", diffs[each.path])
        for each in plan.actions
    ]
    shown = plan_lines(plan, changes, all=how.full)
    output.print_lines(shown, color=output.use_color(how.color))
    tell(f"talktree: {plan.verb}: {summary(plan)}")
    for line in choice_lines(plan):
        tell(f"talktree: {line}")


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
    from talktree.views.measure import counted

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
