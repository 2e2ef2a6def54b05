"""The three-way rule for one path: the expected, the target and the current state.

Only content decides. A mode that others have changed is kept if the move does not change modes; if
both changed it, that is a conflict like any other.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from msgspec.structs import replace

from talktree.session.capture.file_state import (
    AbsentState,
    FileContentState,
    Folder,
    LinkState,
    State,
    UnknownState,
    is_same,
    is_same_content,
)

Judgement: TypeAlias = Literal["already", "go", "conflict", "cannot"]


class JudgedPath(NamedTuple):
    """The decision for a path, and its reason."""

    judgement: Judgement
    after: State
    """The future state: the target, but with a mode that others have changed."""
    reason: str


def judge_path(expected: State, target: State, current: State, foreign: str | None) -> JudgedPath:
    """Compare the three states of a path."""
    target = _with_their_mode(expected, target, current)
    if isinstance(target, UnknownState):
        return JudgedPath("cannot", current, f"what it was is not known: {target.why}")
    if isinstance(current, UnknownState):
        return JudgedPath("cannot", current, f"what is there now cannot be kept: {current.why}")
    if is_same(current, target):
        return JudgedPath("already", target, "is already so")
    if is_same_content(current, target) and _get_mode(current) == _get_mode(expected):
        return JudgedPath("go", target, "only its mode differs")
    if not is_same_content(current, expected):
        return JudgedPath("conflict", target, _describe_foreign_change(expected, current))
    if foreign is not None:
        return JudgedPath("conflict", target, foreign)
    if _all_modes_differ(expected, target, current):
        return JudgedPath("conflict", target, "its mode was changed since")
    return JudgedPath("go", target, _describe_action(current, target))


def _with_their_mode(expected: State, target: State, current: State) -> State:
    for kind in (FileContentState, Folder):
        if isinstance(target, kind) and isinstance(expected, kind) and isinstance(current, kind):
            return replace(target, mode=current.mode) if expected.mode == target.mode else target
    return target


def _all_modes_differ(expected: State, target: State, current: State) -> bool:
    modes = {_get_mode(state) for state in (expected, target, current)}
    return None not in modes and len(modes) == 3


def _get_mode(state: State) -> int | None:
    return state.mode if isinstance(state, FileContentState | Folder) else None


def describe_kind(state: State) -> str:
    """Return the kind of a state, in words."""
    match state:
        case FileContentState():
            return "a file"
        case LinkState():
            return "a link"
        case Folder():
            return "a folder"
        case AbsentState():
            return "nothing"
        case UnknownState():
            return "something unknown"


def _describe_foreign_change(expected: State, current: State) -> str:
    if isinstance(expected, UnknownState):
        return f"what the session left there is not known: {expected.why}"
    if isinstance(current, AbsentState):
        return "somebody else has removed it since"
    if isinstance(expected, AbsentState):
        return f"somebody else has made {describe_kind(current)} there since"
    if type(current) is not type(expected):
        return f"somebody else has made it {describe_kind(current)} since"
    return "somebody else has changed it since"


def _describe_action(current: State, target: State) -> str:
    if isinstance(target, AbsentState):
        return "was not there then"
    if isinstance(current, AbsentState):
        return f"was {describe_kind(target)} then"
    if type(current) is not type(target):
        return f"was {describe_kind(target)} then, is {describe_kind(current)} now"
    return "was different then"
