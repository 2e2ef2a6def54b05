"""A plan for people: one line an action, with what differs."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.session.capture.file_state import File, State, name_to_json
from talktree.session.handle import Opened
from talktree.session.undo.diff import bytes_of, difference, in_words
from talktree.session.undo.plan import Action, Plan
from talktree.session.undo.recover import ground_of

LONGEST_DIFF = 40
"""So many lines of the difference of one file are shown."""


def told(plan: Plan, opened: Opened, *, diffs: bool = True) -> str:
    """The whole plan as text."""
    return "\n".join(_lines(plan, opened, diffs=diffs))


def _lines(plan: Plan, opened: Opened, *, diffs: bool) -> Iterator[str]:
    if not plan.actions:
        yield "no file has to be changed"
    for action in plan.actions:
        yield one_line(action)
        if diffs:
            yield from (f"    {line}" for line in diff_of(action, opened))
    for warning in plan.warnings:
        yield f"warning: {warning}"
    for path, why in plan.uncovered:
        yield f"not covered: {path}: {why}"
    yield f"digest: {plan.digest}"


def one_line(action: Action) -> str:
    """What is done about a path, and why."""
    words = in_words(action.before, action.after) if action.does else ""
    detail = f" ({words})" if words else ""
    offered = f" [{', '.join(action.choices)}]" if action.choices else ""
    return f"{action.action:8} {name_to_json(action.path)}{detail}: {action.reason}{offered}"


def diff_of(action: Action, opened: Opened, longest: int = LONGEST_DIFF) -> list[str]:
    """The difference between what is there and what shall be there, if both are small texts."""
    if not isinstance(action.before, File) or not isinstance(action.target, File):
        return []
    lines = difference(action.path, *contents_of(action, opened))
    if len(lines) > longest:
        return [*lines[:longest], f"… {len(lines) - longest} more lines"]
    return lines


def contents_of(action: Action, opened: Opened) -> tuple[bytes | None, bytes | None]:
    """What is there and what shall be there; None for what is no small file or cannot be had."""
    new = bytes_of(opened.contents, action.after if action.does else action.target)
    if not isinstance(action.before, File):
        return bytes_of(opened.contents, action.before), new
    return _present(action.path, action.before, opened), new


def _present(path: bytes, state: State, opened: Opened) -> bytes | None:
    kept = bytes_of(opened.contents, state)
    ground = ground_of(opened)
    return kept if kept is not None or ground is None else ground.read(path, state)
