"""Every place of a message that can contain text by other people."""

from __future__ import annotations

from collections.abc import Callable

from talktree.model.message import Author, Context, Message
from talktree.model.parts import (
    Artifact,
    Attachment,
    Event,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    UnknownPart,
)
from talktree.views.html.block import MessageBlock
from talktree.views.html.rendering import RenderOptions, render_blocks
from talktree.views.transcript import FoldedMessage

Place = Callable[[str], tuple[Part, ...]]


def called(name: str, key: str) -> Place:
    """Place the text as an argument of a tool, and as its result."""

    def _parts(text: str) -> tuple[Part, ...]:
        return (
            ToolCall(name, {key: text, "file_path": text, text[:40]: text}, "c"),
            ToolResult((Text(text),), "c"),
        )

    return _parts


PLACES: dict[str, Place] = {
    "text": lambda text: (Text(text),),
    "thinking": lambda text: (Thinking(text),),
    "tool name": lambda text: (ToolCall(text, {"a": text}, "c"), ToolResult((Text(text),), "c")),
    "mcp": called("mcp__server__tool", "query"),
    "odd arguments": lambda text: (ToolCall("X", [text, {text: [text]}], "c"),),
    "failed": lambda text: (ToolCall("Bash", {}, "c"), ToolResult((Text(text),), "c", error=True)),
    "edit": lambda text: (ToolCall("Edit", {"old_string": text, "new_string": text[::-1]}, "c"),),
    "edits": lambda text: (
        ToolCall("MultiEdit", {"edits": [{"old_string": "a", "new_string": text}, text]}, "c"),
    ),
    "shell": called("Bash", "command"),
    "write": called("Write", "content"),
    "read": called("Read", "x"),
    "numbered": lambda text: (
        ToolCall("Read", {"file_path": f"a.{text}"}, "c"),
        ToolResult((Text(f"  1\t{text}"),), "c"),
    ),
    "found": called("Grep", "pattern"),
    "fetched": called("WebFetch", "url"),
    "agent": called("Task", "prompt"),
    "skill": called("Skill", "command"),
    "plan": called("ExitPlanMode", "plan"),
    "todos": lambda text: (
        ToolCall("TodoWrite", {"todos": [{"content": text, "status": text}]}, "c"),
    ),
    "question": lambda text: (
        ToolCall("AskUserQuestion", {"questions": [{"question": text, "options": [text, {
            "label": text, "description": text}]}]}, "c"),
    ),
    "attachment": lambda text: (
        Attachment(text, text, text),
        Attachment(text, "image/png", text),
        Attachment(text, "text/html", f"data:text/html,{text}"),
        Attachment(text, text, f"data:image/png;base64,{text}"),
    ),
    "picture in a result": lambda text: (
        ToolCall("Shot", {}, "c"),
        ToolResult((Attachment(text, "image/png", text), Artifact(text, text, text, text)), "c"),
    ),
    "artifact": lambda text: (
        Artifact(text, text, text, text),
        Artifact("a", "text/markdown", text, text),
        Artifact("a", "text/html", text, text),
        Artifact("a", "application/vnd.ant.react", text, text, {"language": text}),
    ),
    "event": lambda text: (
        Event(text, text, {text: text}),
        Event("compacted", text, {"trigger": text}),
        Event("summary", text),
        Event("command", text, {"name": text, "args": text}),
        Event("command_output", text),
        Event("hook", None, {"x": text}),
    ),
    "unknown": lambda text: (UnknownPart(text, {text: text}),),
}  # fmt: skip


def step_of(parts: tuple[Part, ...]) -> FoldedMessage:
    """Return a message with these parts, and results with their calls."""
    message = Message(
        id="m", role="assistant", parts=parts, authors=(Author("a"),), context=Context(cwd="/")
    )
    answers = {0: parts[1]} if len(parts) > 1 and isinstance(parts[1], ToolResult) else {}
    return FoldedMessage(0, message, answers, frozenset({1}) if answers else frozenset(), {})


def shown(place: str, text: str) -> tuple[MessageBlock, ...]:
    """Return the blocks of a message with a text in a place."""
    return render_blocks(step_of(PLACES[place](text)), RenderOptions(limit=5000))
