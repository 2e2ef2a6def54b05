"""A plan as text: one line for each action, with differences."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.session.capture.file_state import FileContentState, State, name_to_json
from talktree.session.handle import SessionHandle
from talktree.session.undo.diff import describe_change, diff_texts, read_bytes
from talktree.session.undo.plan import UndoAction, UndoPlan
from talktree.session.undo.recover import open_ground

LONGEST_DIFF = 40
"""Maximum number of lines of a file's difference that are shown."""


def format_plan(plan: UndoPlan, opened: SessionHandle, *, diffs: bool = True) -> str:
    """Return the whole plan as text."""
    return "\n".join(_format_lines(plan, opened, diffs=diffs))


def _format_lines(plan: UndoPlan, opened: SessionHandle, *, diffs: bool) -> Iterator[str]:
    if not plan.actions:
        yield "no file has to be changed"
    for action in plan.actions:
        yield format_action(action)
        if diffs:
            yield from (f"    {line}" for line in diff_action(action, opened))
    for warning in plan.warnings:
        yield f"warning: {warning}"
    for path, why in plan.uncovered:
        yield f"not covered: {path}: {why}"
    yield f"digest: {plan.digest}"


def format_action(action: UndoAction) -> str:
    """Return the action for a path, and its reason."""
    words = describe_change(action.before, action.after) if action.has_effect else ""
    detail = f" ({words})" if words else ""
    offered = f" [{', '.join(action.choices)}]" if action.choices else ""
    return f"{action.action:8} {name_to_json(action.path)}{detail}: {action.reason}{offered}"


def diff_action(
    action: UndoAction, opened: SessionHandle, longest: int = LONGEST_DIFF
) -> list[str]:
    """Return the difference between the current and the target state, if both are small texts."""
    if not isinstance(action.before, FileContentState) or not isinstance(
        action.target, FileContentState
    ):
        return []
    lines = diff_texts(action.path, *read_contents(action, opened))
    if len(lines) > longest:
        return [*lines[:longest], f"… {len(lines) - longest} more lines"]
    return lines


def read_contents(action: UndoAction, opened: SessionHandle) -> tuple[bytes | None, bytes | None]:
    """Return the current and the target content; None for one that is large or not available."""
    new = read_bytes(opened.contents, action.after if action.has_effect else action.target)
    if not isinstance(action.before, FileContentState):
        return read_bytes(opened.contents, action.before), new
    return _read_present(action.path, action.before, opened), new


def _read_present(path: bytes, state: State, opened: SessionHandle) -> bytes | None:
    kept = read_bytes(opened.contents, state)
    ground = open_ground(opened)
    return kept if kept is not None or ground is None else ground.read(path, state)
