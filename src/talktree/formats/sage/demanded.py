"""What Sage demands of every message beyond an id and a time, filled in where nobody said it.

An empty text where one must stand means unknown, so here it becomes nothing at all.
"""

from __future__ import annotations

from functools import lru_cache

from msgspec.structs import replace

from talktree.formats.sage.lens_parts import WORDS
from talktree.model.message import Context, Message, ThinkingSetting, Todo
from talktree.model.parts import Event, Part, Text, ToolCall, ToolResult

_NO_WORDS = Text("")


def demanded(message: Message) -> Message:
    """A message with words, tasks and settings as each line has them."""
    return replace(
        message,
        parts=with_words(message.parts, message.role),
        session=message.session or None,
        context=known(message.context),
        todos=tasks(message.todos, message.role),
        thinking=leveled(message.thinking),
    )


def with_words(parts: tuple[Part, ...], role: str) -> tuple[Part, ...]:
    """A message has words, if only empty ones; beside tool results empty words are none."""
    parts = tuple(map(_part, parts))
    if role == "tool":
        return tuple([part for part in parts if part != _NO_WORDS])
    for part in parts:
        if isinstance(part, WORDS):
            return parts
    return _NO_WORDS, *parts


def _part(part: Part) -> Part:
    if isinstance(part, ToolCall):
        return replace(part, id=None) if part.id == "" else part
    if isinstance(part, ToolResult):
        if part.output and part.call != "" and part.name != "":
            return part
        output = part.output or (_NO_WORDS,)
        return replace(part, output=output, call=part.call or None, name=part.name or None)
    if isinstance(part, Event):
        return replace(part, text="") if part.text is None else part
    return part


@lru_cache(maxsize=256)
def known(context: Context | None) -> Context | None:
    """What is known of a context; None if that is nothing."""
    if context is None:
        return None
    told = replace(
        context,
        cwd=context.cwd or None,
        platform=context.platform or None,
        version=context.version or None,
    )
    return None if told == Context() else told


def tasks(todos: tuple[Todo, ...] | None, role: str) -> tuple[Todo, ...] | None:
    """The tasks, which are told of in every line but those of tools, even if there are none."""
    if not todos:
        return () if todos is None and role != "tool" else todos
    return tuple([replace(todo, active_form=todo.active_form or None) for todo in todos])


def leveled(setting: ThinkingSetting | None) -> ThinkingSetting | None:
    """A level must stand there; medium is what Sage takes when nobody chose."""
    if setting is None or setting.level is not None:
        return setting
    return replace(setting, level="none" if setting.disabled else "medium")
