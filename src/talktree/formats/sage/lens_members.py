"""Tokens, context, tasks and thinking of a message, in both directions.

`take_*` read a member and leave what has no name in the model; `*_value` write it again.

Sage writes messages in three forms, each with its own names of members. *Documented* is the
specification's form, in which tool results are beside the message; *nested* is what the program
writes, with the results inside; *legacy* is the older session file.

A line's type and the role in its message are redundant; the model stores one of them. An `error`
line keeps the speaker in the role; a `summary` or `custom_title` line is an event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from talktree.formats.lens import Object, take_flag, take_text
from talktree.formats.sage.detect_kinds import EVENTS
from talktree.model.message import Context, ThinkingSetting, Todo, Usage
from talktree.text.json.value import Json
from talktree.text.times import from_iso


class SageNames(NamedTuple):
    """The names of members in a form."""

    calls: str = "toolCalls"
    results: str = "toolResults"
    call: str = "toolCallId"
    tool: str = "toolName"
    usage: str = "usage"
    tokens: tuple[str, str, str, str] = (
        "inputTokens",
        "outputTokens",
        "cacheReadTokens",
        "cacheWriteTokens",
    )
    nested: bool = False
    """Whether tool results are inside the message."""
    stamped: bool = False
    """Whether each call and result has a time of its own."""
    full: bool = False
    """Whether lines with tool results have the members of all other lines."""


DOCUMENTED = SageNames()
FULL = SageNames(full=True)
"""As the specification has it in two places: the example's results at the top, and everything that
the struct requires."""
NESTED = SageNames(nested=True, full=True)
LEGACY = SageNames(
    calls="tool_calls",
    results="tool_results",
    call="tool_call_id",
    tool="tool_name",
    usage="token_usage",
    tokens=("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"),
    stamped=True,
)


def find_shape(value: Object) -> SageNames:
    """Return the form of a message line; an ambiguous one is as documented."""
    message = value.get("message")
    if isinstance(message, dict) and isinstance(message.get("toolResults"), list):
        return NESTED
    if isinstance(value.get("toolResults"), list) or not isinstance(message, dict):
        return DOCUMENTED
    return NESTED if value.get("type") == "tool_result" else DOCUMENTED


def get_inner_object(extra: Mapping[str, Any], key: str) -> Object:
    """Return the remaining members of an object that is a member itself."""
    found = extra.get(key)
    return found if isinstance(found, dict) else {}


def take_object(left: Object, key: str) -> Object | None:
    """Remove and return a copy of a member that is an object; anything else but null stays."""
    found = left.get(key)
    if isinstance(found, dict):
        del left[key]
        return dict(found)
    if found is None:
        left.pop(key, None)
    return None


def put_back(left: Object, key: str, rest: Object) -> None:
    """Put back the members of an object that were not taken."""
    if rest:
        left[key] = rest


def take_time(left: Object, key: str = "timestamp") -> int | None:
    """Remove and return a point in time; a text that is not a time stays."""
    stamp = left.get(key)
    time = from_iso(stamp) if isinstance(stamp, str) else None
    if time is not None or stamp is None:
        left.pop(key, None)
    return time


# tokens


def take_usage(left: Object, shape: SageNames) -> Usage | None:
    """Remove and return the four counts; cost and other counts stay."""
    found = take_object(left, shape.usage)
    if found is None:
        return None
    counts = [_take_count(found, name) for name in shape.tokens]
    put_back(left, shape.usage, found)
    if all(count is None for count in counts):
        return None
    return Usage(*(count or 0 for count in counts))


def _take_count(found: Object, name: str) -> int | None:
    count = found.get(name)
    if type(count) is int:
        del found[name]
        return count
    if count is None:
        found.pop(name, None)
    return None


def usage_value(usage: Usage | None, rest: Object, shape: SageNames) -> Object:
    """Return the counts and the members beside them; empty if there are none."""
    if usage is None:
        return rest
    input, output, read, write = shape.tokens
    value: Object = {
        input: usage.input,
        output: usage.output,
        read: usage.cache_read,
        write: usage.cache_write,
    }
    return value | rest if rest else value


# context

_CONTEXT = ("cwd", "gitBranch", "platform", "userType")


def take_context(left: Object) -> Context | None:
    """Remove and return the context; required texts that are empty mean unknown."""
    version = take_text(left, "version") or None
    cwd, branch, platform, user = _take_texts(left, "context", _CONTEXT)
    if not (cwd or platform or version) and branch is None and user is None:
        return None
    return Context(
        cwd=cwd or None,
        git_branch=branch,
        platform=platform or None,
        user_type=user,
        version=version,
    )


def _take_texts(left: Object, key: str, names: Sequence[str]) -> list[str | None]:
    """Remove and return texts inside an object; its other members stay."""
    found = left.get(key)
    if isinstance(found, dict):
        texts = [item if isinstance(item := found.get(name), str) else None for name in names]
        if len(found) == len(names) - texts.count(None):
            # Nearly always the object has no other members, and need not be copied.
            del left[key]
            return texts
    rest = take_object(left, key) or {}
    texts = [take_text(rest, name) for name in names]
    put_back(left, key, rest)
    return texts


def context_value(context: Context, rest: Object) -> Object:
    """Return the context with all required members."""
    value: Object = {"cwd": context.cwd or ""}
    if context.git_branch is not None:
        value["gitBranch"] = context.git_branch
    value["platform"] = context.platform or ""
    if context.user_type is not None:
        value["userType"] = context.user_type
    return value | rest if rest else value


# tasks


def take_todos(left: Object) -> tuple[Todo, ...] | None:
    """Remove and return the tasks, if every one of them can be understood."""
    found = left.get("todos")
    if found is None:
        left.pop("todos", None)
        return None
    if found == []:
        del left["todos"]
        return ()
    todos = [_read_todo(item) for item in found] if isinstance(found, list) else [None]
    if any(todo is None for todo in todos):
        return None
    del left["todos"]
    return tuple(todo for todo in todos if todo is not None)


def _read_todo(item: Json) -> Todo | None:
    if not isinstance(item, dict):
        return None
    content, status, active = item.get("content"), item.get("status"), item.get("activeForm")
    if not isinstance(content, str) or not isinstance(status, str):
        return None
    if len(item) == 3 and isinstance(active, str):
        return Todo(content, status, active or None)
    rest = {key: each for key, each in item.items() if key not in ("content", "status")}
    return Todo(content, status, take_text(rest, "activeForm") or None, rest)


def todos_value(todos: tuple[Todo, ...]) -> list[Json]:
    """Return the tasks as Sage lists them."""
    return [
        {
            "content": todo.content,
            "status": todo.status,
            "activeForm": todo.active_form or "",
            **todo.extra,
        }
        for todo in todos
    ]


# thinking


def take_thinking(left: Object) -> ThinkingSetting | None:
    """Remove and return the thinking setting."""
    rest = take_object(left, "thinkingMetadata")
    if rest is None:
        return None
    level, disabled = take_text(rest, "level"), take_flag(rest, "disabled")
    triggers = rest.get("triggers")
    if triggers is None:
        rest.pop("triggers", None)
    diagnostic = (
        [each for each in triggers if isinstance(each, str)] if isinstance(triggers, list) else []
    )
    if isinstance(triggers, list) and len(diagnostic) == len(triggers):
        del rest["triggers"]
    else:
        diagnostic = []
    return ThinkingSetting(level=level, disabled=disabled, triggers=tuple(diagnostic), extra=rest)


def thinking_value(setting: ThinkingSetting) -> Object:
    """Return the setting as Sage writes it."""
    value: Object = {} if setting.level is None else {"level": setting.level}
    value |= {"disabled": setting.disabled, "triggers": list(setting.triggers)}
    return {**value, **setting.extra}


def role_of(type: str, said: Json) -> tuple[str, bool]:
    """Return the role of a message, and whether it is an error."""
    named = said if isinstance(said, str) and said else "system"
    match type:
        case "tool_result":
            return "tool", False
        case "error":
            return ("system" if named == "error" else named), True
        case _ if type in EVENTS:
            return named, False
        case _:
            return type, False


def names_of(role: str, *, error: bool = False, event: str | None = None) -> tuple[str, str]:
    """Return the type of a line and the role of its message."""
    if error:
        return "error", "error" if role == "system" else role
    if event is not None:
        for type, kind in EVENTS.items():
            if event == kind:
                return type, role
    return ("tool_result" if role == "tool" else role), role


def infer_type(said: str) -> str:
    """Return the type of a line from its message alone, as in older files."""
    return "tool_result" if said == "tool" else said
