"""What Sage demands of every message beyond an id and a time, filled in where nobody said it.

An empty text where one must stand means unknown, so here it becomes nothing at all.
"""

from __future__ import annotations

from msgspec.structs import replace

from talktree.model.message import Context, Message, ThinkingSetting, Todo
from talktree.model.parts import Event, Part, Text, ToolCall, ToolResult


def demanded(message: Message) -> Message:
    """A message with words, tasks and settings as each line has them."""
    todos = message.todos
    if todos is None and message.role != "tool":
        todos = ()
    return replace(
        message,
        parts=_parts(message),
        session=message.session or None,
        context=_context(message.context),
        todos=None if todos is None else tuple(map(_todo, todos)),
        thinking=_thinking(message.thinking),
    )


def _parts(message: Message) -> tuple[Part, ...]:
    """A message has words, if only empty ones; beside tool results empty words are none."""
    parts = [_part(part) for part in message.parts]
    if message.role == "tool":
        return tuple(part for part in parts if part != Text(""))
    if not any(isinstance(part, Text | Event) for part in parts):
        parts.insert(0, Text(""))
    return tuple(parts)


def _part(part: Part) -> Part:
    match part:
        case ToolCall(id=""):
            return replace(part, id=None)
        case ToolResult():
            output = part.output or (Text(""),)
            return replace(part, output=output, call=part.call or None, name=part.name or None)
        case Event(text=None):
            return replace(part, text="")
        case _:
            return part


def _context(context: Context | None) -> Context | None:
    if context is None:
        return None
    known = replace(
        context,
        cwd=context.cwd or None,
        platform=context.platform or None,
        version=context.version or None,
    )
    return None if known == Context() else known


def _todo(todo: Todo) -> Todo:
    return replace(todo, active_form=todo.active_form or None)


def _thinking(setting: ThinkingSetting | None) -> ThinkingSetting | None:
    """A level must stand there; medium is what Sage takes when nobody chose."""
    if setting is None or setting.level is not None:
        return setting
    return replace(setting, level="none" if setting.disabled else "medium")
