"""The three-way rule for one path: what was expected, what shall be, what is there.

Only content decides. A mode that somebody else has changed is kept where the move does not concern
modes; where both changed it, that is a conflict like any other.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from msgspec.structs import replace

from talktree.session.capture.file_state import (
    Absent,
    File,
    Folder,
    Link,
    State,
    Unknown,
    same,
    same_content,
)

Judgement: TypeAlias = Literal["already", "go", "conflict", "cannot"]


class Judged(NamedTuple):
    """What is to be done about a path, and why."""

    judgement: Judgement
    after: State
    """What shall be there: the target, with a mode that is somebody else's left alone."""
    reason: str


def judged(expected: State, target: State, current: State, foreign: str | None) -> Judged:
    """Compare the three states of a path."""
    target = _with_their_mode(expected, target, current)
    if isinstance(target, Unknown):
        return Judged("cannot", current, f"what it was is not known: {target.why}")
    if isinstance(current, Unknown):
        return Judged("cannot", current, f"what is there now cannot be kept: {current.why}")
    if same(current, target):
        return Judged("already", target, "is already so")
    if same_content(current, target) and _mode(current) == _mode(expected):
        return Judged("go", target, "only its mode differs")
    if not same_content(current, expected):
        return Judged("conflict", target, _what_happened(expected, current))
    if foreign is not None:
        return Judged("conflict", target, foreign)
    if _all_modes_differ(expected, target, current):
        return Judged("conflict", target, "its mode was changed since")
    return Judged("go", target, _what_is_done(current, target))


def _with_their_mode(expected: State, target: State, current: State) -> State:
    for kind in (File, Folder):
        if isinstance(target, kind) and isinstance(expected, kind) and isinstance(current, kind):
            return replace(target, mode=current.mode) if expected.mode == target.mode else target
    return target


def _all_modes_differ(expected: State, target: State, current: State) -> bool:
    modes = {_mode(state) for state in (expected, target, current)}
    return None not in modes and len(modes) == 3


def _mode(state: State) -> int | None:
    return state.mode if isinstance(state, File | Folder) else None


def kind(state: State) -> str:
    """What a state is, in words."""
    match state:
        case File():
            return "a file"
        case Link():
            return "a link"
        case Folder():
            return "a folder"
        case Absent():
            return "nothing"
        case Unknown():
            return "something unknown"


def _what_happened(expected: State, current: State) -> str:
    if isinstance(expected, Unknown):
        return f"what the session left there is not known: {expected.why}"
    if isinstance(current, Absent):
        return "somebody else has removed it since"
    if isinstance(expected, Absent):
        return f"somebody else has made {kind(current)} there since"
    if type(current) is not type(expected):
        return f"somebody else has made it {kind(current)} since"
    return "somebody else has changed it since"


def _what_is_done(current: State, target: State) -> str:
    if isinstance(target, Absent):
        return "was not there then"
    if isinstance(current, Absent):
        return f"was {kind(target)} then"
    if type(current) is not type(target):
        return f"was {kind(target)} then, is {kind(current)} now"
    return "was different then"
