"""Sub-agents: child sessions, and sidechains inside a session.

A child session names its parent in metadata.json and in its `begin`; the parent names the child in
an operation. A sidechain is in the same log and never becomes the current line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from talktree.model.message import Message, ThinkingSetting
from talktree.session.handle import SessionHandle
from talktree.session.recording.api import RecordingVerbs
from talktree.session.recording.recorder import At, TreePlace
from talktree.session.recording.thinking import Asked
from talktree.session.undo.move_records import format_operation_line

if TYPE_CHECKING:
    from talktree.session.session import Session


class Child(NamedTuple):
    """A child session and where it was begun."""

    session: str
    message: str | None
    agent: str | None


def record_child(opened: SessionHandle, child: Child) -> None:
    """Record a child in its parent."""
    members: dict[str, Any] = {"child": child.session, "message": child.message}
    if child.agent is not None:
        members["agent"] = child.agent
    opened.journal.append("operations", format_operation_line(opened.id, "child", members))


def list_children(opened: SessionHandle) -> list[Child]:
    """Return the child sessions, in the order they were begun."""
    found = []
    for value in opened.index.operations():
        id, message, agent = value.get("child"), value.get("message"), value.get("agent")
        if value.get("kind") == "child" and isinstance(id, str):
            place = message if isinstance(message, str) else None
            found.append(Child(id, place, agent if isinstance(agent, str) else None))
    return found


class Sidechain(RecordingVerbs):
    """A line beside the main one: the same verbs, and it continues from its own last message."""

    _side = True

    def __init__(self, session: Session, at: str) -> None:
        self._session = session
        self.leaf = at

    def _write_messages(self, *drafts: Message, at: At = TreePlace.LEAF) -> list[str]:
        ids = self._session._write_messages(*drafts, at=self.leaf if at is TreePlace.LEAF else at)
        self.leaf = ids[-1]
        return ids

    def _choose_thinking(self, asked: Asked, text: str) -> ThinkingSetting | None:
        return self._session._choose_thinking(asked, text)

    def _find_tool_name(self, call: str, parent: str | None) -> str | None:
        return self._session._find_tool_name(call, parent or self.leaf)
