"""Facts that are derived from messages: speakers, tasks and the title.

Nothing here is stored or written; it is computed from the values whenever it is needed.

Of several titles, one that a user gave is better than a generated one; of equally good ones, the
later one is used.
"""

from __future__ import annotations

from collections.abc import Mapping

from talktree.model.entries import Head
from talktree.model.message import META, SIDECHAIN, Message, Todo
from talktree.model.parts import Event, ToolCall, ToolResult

ASSISTANT = "Assistant"
"""The name of the assistant where its program gives it none."""
COMMANDS = frozenset({"command", "command_output"})
TODO_TOOLS = frozenset({"todowrite"})
DONE = frozenset({"completed", "done"})


def find_speaker(message: Message, *, agent: str = ASSISTANT) -> str:
    """Return the speaker: in a sidechain, the assistant asks and a sub-agent answers.

    Many messages with the role of the user are written by programs: results, commands, summaries,
    reminders. The assistant is called `agent`.
    """
    aside = SIDECHAIN in message.flags
    match message.role:
        case "user" if name := _program_name(message):
            return name
        case "user" if aside:
            return agent
        case "assistant" if aside:
            return "Sub-agent"
        case "assistant":
            return agent
        case role:
            return role.replace("_", " ").capitalize() or "Unknown"


def _program_name(message: Message) -> str | None:
    """Return the name of the writer of a user message, if it is not the user."""
    kinds = {part.kind for part in message.parts if isinstance(part, Event)}
    if len(kinds) and all(isinstance(part, Event) for part in message.parts):
        return "Summary" if kinds == {"summary"} else "Command" if kinds <= COMMANDS else None
    if message.parts and all(isinstance(part, ToolResult) for part in message.parts):
        return "Tool"
    return "System" if META in message.flags else None


def normalize_tool_name(name: str) -> str:
    """Normalize a tool's name for comparisons: `TodoWrite` and `todo_write` are equal."""
    return name.replace("_", "").replace("-", "").lower()


def find_todos(message: Message) -> tuple[Todo, ...] | None:
    """Return the tasks after a message, or None if the message does not change them."""
    if message.todos is not None:
        return message.todos
    for part in reversed(message.parts):
        if isinstance(part, ToolCall) and normalize_tool_name(part.name) in TODO_TOOLS:
            return read_written_todos(part)
    return None


def read_written_todos(call: ToolCall) -> tuple[Todo, ...] | None:
    """Return the tasks a call writes, as far as they are valid."""
    listed = call.input.get("todos") if isinstance(call.input, Mapping) else None
    if not isinstance(listed, list):
        return None
    return tuple(_read_todo(each) for each in listed if isinstance(each, Mapping))


def _read_todo(native: Mapping[str, object]) -> Todo:
    content, status = native.get("content"), native.get("status")
    return Todo(
        content if isinstance(content, str) else "",
        status if isinstance(status, str) else "pending",
    )


BEST = 8
"""A title that a user gave."""
NAMED = 6
"""A title of unknown origin."""
_RANKS = {"custom-title": BEST, "ai-title": 7, "agent-name": 5}


def rank_title(head: Head) -> int:
    """Return the rank of the title of a head; higher is better."""
    return _RANKS.get(head.kind, NAMED)
