"""The message that a session is at, from Talktree's own log of operations.

Only moves (undo, redo, restore, switch) and the messages that they led to are read.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from talktree.files import Content
from talktree.text.json.value import REFUSALS


class _Standing(Struct, gc=False):
    conversation: str | None = None


class _Boundary(Struct, gc=False):
    snapshots: int
    message: str | None = None


class _Operation(Struct, gc=False):
    kind: str = ""
    id: str = ""
    move: str = ""
    at: _Standing | None = None
    after: _Boundary | None = None


_decode = msgspec.json.Decoder(_Operation).decode


def find_message_after_moves(log: Content, newest: str) -> str | None:
    """Return the message that the last move led to, or the newest one if it is later.

    None if the move led to before the first message.
    """
    goals: dict[str, _Standing] = {}
    boundary: _Boundary | None = None
    goal: _Standing | None = None
    for line in log.lines():
        if b'"move' not in line:
            continue
        try:
            operation = _decode(line)
        except REFUSALS:
            continue
        if operation.kind == "move" and operation.at is not None:
            goals.setdefault(operation.id, operation.at)
        elif operation.kind == "moved" and operation.after is not None:
            boundary, goal = operation.after, goals.pop(operation.move, None)
    if boundary is None or goal is None or boundary.message != newest:
        return newest
    return goal.conversation
