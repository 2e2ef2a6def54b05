"""The plan of a move through a session as text: every path, its action, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from talktree.views.comparison import color_diff_lines
from talktree.views.lines import Line, indent_lines, line
from talktree.views.operations import format_path
from talktree.views.width import format_count, to_one_line

WIDTH = 120
MOST_DIFF = 40
"""Maximum number of diff lines shown for one file, unless all are requested."""
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


class ActionLike(Protocol):
    """The action for one path."""

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


class PlanLike(Protocol):
    """What a move would do."""

    @property
    def actions(self) -> Sequence[ActionLike]: ...
    @property
    def already(self) -> Sequence[bytes]: ...
    @property
    def uncovered(self) -> Sequence[tuple[str, str]]: ...
    @property
    def warnings(self) -> Sequence[str]: ...
    @property
    def digest(self) -> str: ...


class ActionDiff(NamedTuple):
    """What an action changes: a short description, and a unified diff if both are texts."""

    words: str
    diff: Sequence[str]


def format_plan_lines(
    plan: PlanLike, changes: Sequence[ActionDiff], *, all: bool = False
) -> Iterator[Line]:
    """Yield every action with its reason and its changes, then further notes."""
    for action, (words, diff) in zip(plan.actions, changes, strict=True):
        texts = [each for each in (words, format_path(action.beside or b"")) if each]
        yield line(
            (f"{action.action:8}", STYLES.get(action.action, "added")),
            (f"  {format_path(action.path)}", "title"),
            f"  {to_one_line(action.reason, WIDTH)}",
            (f"  ({', '.join(texts)})" if texts else "", "faint"),
        )
        shown = diff if all else diff[:MOST_DIFF]
        yield from indent_lines(color_diff_lines(shown), "          ")
        if len(shown) < len(diff):
            rest = format_count(len(diff) - len(shown), "more line")
            yield line((f"          … {rest}; --full shows all", "faint"))
    if not plan.actions:
        yield line(("no file is to be changed", "faint"))
    for warning in plan.warnings:
        yield line(("warning: ", "mark"), to_one_line(warning, WIDTH))
    for path, why in plan.uncovered:
        yield line(("not covered: ", "mark"), to_one_line(f"{path}: {why}", WIDTH))


def format_choice_lines(plan: PlanLike) -> Iterator[str]:
    """Yield how conflicts can be resolved, if there are any."""
    offered = {choice for action in plan.actions for choice in action.choices}
    if offered:
        said = [words for choice, words in CHOICES.items() if choice in offered]
        yield f"conflicts are left as they are: {', '.join(said)}"


def format_summary(plan: PlanLike) -> str:
    """Return a plan in one line."""
    counts = Counter(action.action for action in plan.actions)
    said = [f"{count:,} {kind}" for kind, count in counts.items()]
    if plan.already:
        said.append(f"{len(plan.already):,} already so")
    return ", ".join(said) or "nothing to do with files"
