"""The plan of a move through a session for people: every path, what is done, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from talktree.views.comparison import diff_lines
from talktree.views.lines import Line, indented, line
from talktree.views.operations import path_text
from talktree.views.width import counted, one_line

WIDTH = 120
MOST_DIFF = 40
"""So many lines of the differences of one file are shown, unless all are asked for."""
STYLES = {
    "delete": "removed",
    "rmdir": "removed",
    "skip": "faint",
    "conflict": "error",
    "cannot": "error",
}
CHOICES = {
    "keep": "--keep leaves it",
    "theirs": "--theirs takes what the session had",
    "both": "--both takes that and puts the present one beside",
    "merge": "--merge joins both",
}


class Action(Protocol):
    """What is done about one path."""

    @property
    def action(self) -> str: ...
    @property
    def path(self) -> bytes: ...
    @property
    def reason(self) -> str: ...
    @property
    def choices(self) -> Sequence[str]: ...
    @property
    def beside(self) -> bytes | None: ...


class Plan(Protocol):
    """What a move would do."""

    @property
    def actions(self) -> Sequence[Action]: ...
    @property
    def already(self) -> Sequence[bytes]: ...
    @property
    def uncovered(self) -> Sequence[tuple[str, str]]: ...
    @property
    def warnings(self) -> Sequence[str]: ...
    @property
    def digest(self) -> str: ...


class Change(NamedTuple):
    """What an action changes: in a few words, and as a unified diff if both are texts."""

    words: str
    diff: Sequence[str]


def plan_lines(plan: Plan, changes: Sequence[Change], *, all: bool = False) -> Iterator[Line]:
    """Every action with its reason and what it changes, then what else is to be known."""
    for action, (words, diff) in zip(plan.actions, changes, strict=True):
        told = [each for each in (words, path_text(action.beside or b"")) if each]
        yield line(
            (f"{action.action:8}", STYLES.get(action.action, "added")),
            (f"  {path_text(action.path)}", "title"),
            f"  {one_line(action.reason, WIDTH)}",
            (f"  ({', '.join(told)})" if told else "", "faint"),
        )
        shown = diff if all else diff[:MOST_DIFF]
        yield from indented(diff_lines(shown), "          ")
        if len(shown) < len(diff):
            rest = counted(len(diff) - len(shown), "more line")
            yield line((f"          … {rest}; --full shows all", "faint"))
    if not plan.actions:
        yield line(("no file is to be changed", "faint"))
    for warning in plan.warnings:
        yield line(("warning: ", "mark"), one_line(warning, WIDTH))
    for path, why in plan.uncovered:
        yield line(("not covered: ", "mark"), one_line(f"{path}: {why}", WIDTH))


def choice_lines(plan: Plan) -> Iterator[str]:
    """How conflicts can be settled, if there are any."""
    offered = {choice for action in plan.actions for choice in action.choices}
    if offered:
        said = [words for choice, words in CHOICES.items() if choice in offered]
        yield f"conflicts are left as they are: {', '.join(said)}"


def summary(plan: Plan) -> str:
    """A plan in one line."""
    counts = Counter(action.action for action in plan.actions)
    said = [f"{count:,} {kind}" for kind, count in counts.items()]
    if plan.already:
        said.append(f"{len(plan.already):,} already so")
    return ", ".join(said) or "nothing to do with files"
