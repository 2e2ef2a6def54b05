"""Tool calls that nobody has answered, as they stand after an agent was interrupted."""

from __future__ import annotations

from talktree.model.parts import ToolCall, ToolResult
from talktree.session.index.index import Index
from talktree.session.index.node import Node


def find_call(index: Index, leaf: str | None, id: str) -> ToolCall | None:
    """The call with this id on the way up from a message; the nearest one."""
    nodes: list[Node] = [] if leaf is None else index.chain(leaf)
    for node in reversed(nodes):
        for part in index.message(node).parts if node.type == "assistant" else ():
            if isinstance(part, ToolCall) and part.id == id:
                return part
    return None


def unanswered(index: Index, leaf: str | None) -> tuple[ToolCall, ...]:
    """The calls of the last reply on the way to a message that have no result yet."""
    answered: set[str | None] = set()
    for node in reversed(index.chain(leaf)) if leaf is not None else ():
        parts = index.message(node).parts
        answered |= {part.call for part in parts if isinstance(part, ToolResult)}
        calls = [part for part in parts if isinstance(part, ToolCall)]
        if calls or node.type == "assistant":
            return tuple(call for call in calls if call.id not in answered)
    return ()
