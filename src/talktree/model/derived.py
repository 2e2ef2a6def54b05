"""Facts that no message states by itself: who speaks, and what the tasks are.

Nothing here is stored or written; it is worked out again from the values whenever it is needed.

Which of the titles that a source gives its conversation is the one to show.

What a person called it goes before what a program made up; of equals the later one counts.
"""

from __future__ import annotations

from collections.abc import Mapping

from talktree.model.entries import Head
from talktree.model.message import META, SIDECHAIN, Message, Todo
from talktree.model.parts import Event, ToolCall, ToolResult

ASSISTANT = "Assistant"
"""What the assistant is called where no program gives it a name."""
COMMANDS = frozenset({"command", "command_output"})
TODO_TOOLS = frozenset({"todowrite"})
DONE = frozenset({"completed", "done"})


def find_speaker(message: Message, *, agent: str = ASSISTANT) -> str:
    """Who speaks: in a sidechain the assistant asks, and a sub-agent answers.

    Programs write much of what has the role of the user: results, commands, summaries, reminders.
    The assistant is called `agent`.
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
    """What the writer of a user message is called, if it is not the user."""
    kinds = {part.kind for part in message.parts if isinstance(part, Event)}
    if len(kinds) and all(isinstance(part, Event) for part in message.parts):
        return "Summary" if kinds == {"summary"} else "Command" if kinds <= COMMANDS else None
    if message.parts and all(isinstance(part, ToolResult) for part in message.parts):
        return "Tool"
    return "System" if META in message.flags else None


def normalize_tool_name(name: str) -> str:
    """A tool's name as it is compared: `TodoWrite` and `todo_write` are one."""
    return name.replace("_", "").replace("-", "").lower()


def find_todos(message: Message) -> tuple[Todo, ...] | None:
    """The tasks as they stand after a message, or None if it does not say."""
    if message.todos is not None:
        return message.todos
    for part in reversed(message.parts):
        if isinstance(part, ToolCall) and normalize_tool_name(part.name) in TODO_TOOLS:
            return read_written_todos(part)
    return None


def read_written_todos(call: ToolCall) -> tuple[Todo, ...] | None:
    """The tasks a call writes down, as far as they can be understood."""
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
"""A title that a person gave."""
NAMED = 6
"""Any title of which nothing more is known."""
_RANKS = {"custom-title": BEST, "ai-title": 7, "agent-name": 5}


def rank_title(head: Head) -> int:
    """How good the title of a head is; more is better."""
    return _RANKS.get(head.kind, NAMED)
