"""Text, tool calls and tool results of a message, in both directions."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.formats.lens import Object, take_text
from talktree.formats.sage.detect_kinds import OPERATIONS
from talktree.formats.sage.lens_members import SageNames
from talktree.model.parts import Event, Part, Text, ToolCall, ToolResult, UnknownPart
from talktree.text.json.value import Json

WORDS = (Text, Event)
"""Parts whose text is in the text of a message."""
CALL = "tool_call"
RESULT = "tool_result"
"""Kinds of the parts for calls and results that cannot be interpreted."""
_SUBTYPES = {kind: subtype for subtype, kind in OPERATIONS.items()}


def take_words(left: Object, *, event: str | None, tool: bool) -> tuple[Part, ...]:
    """Remove and return the text of a message; the required empty text of results is dropped."""
    said = take_text(left, "content")
    if event is not None:
        return (Event(event, text=said),)
    if said is None or (tool and not said):
        return ()
    return (Text(said),)


def take_operation(inner: Object, beside: Object) -> Event | None:
    """Return the event of a line that only records a compaction or a restoration, or None."""
    kind = beside["subtype"]
    if not isinstance(kind, str) or kind not in OPERATIONS:
        return None
    del beside["subtype"]
    return Event(OPERATIONS[kind], take_text(inner, "content"), beside.pop("metadata", None))


def operation_value(parts: Sequence[Part]) -> Object:
    """Return the members of a line for such an event; empty if the message is not one."""
    for part in parts:
        if isinstance(part, Event) and part.kind in _SUBTYPES:
            diagnostic: Object = {"subtype": _SUBTYPES[part.kind]}
            return diagnostic if part.data is None else {**diagnostic, "metadata": part.data}
    return {}


def join_words(parts: Sequence[Part]) -> str | None:
    """Return the text to write; None if there is none at all."""
    said = [part.text for part in parts if isinstance(part, WORDS) and part.text is not None]
    return "\n\n".join(said) if said else None


def find_event_kind(parts: Sequence[Part]) -> str | None:
    """Return the kind of the event that a message is, or None."""
    for part in parts:
        if isinstance(part, Event):
            return part.kind
    return None


# tool calls


def take_calls(left: Object, shape: SageNames, stamp: Json) -> tuple[Part, ...]:
    """Remove and return the tool calls, if the member is a list."""
    return tuple(_read_call(item, shape, stamp) for item in _take_list(left, shape.calls))


def _take_list(left: Object, key: str) -> list[Json]:
    found = left.get(key)
    if found is None or isinstance(found, list):
        left.pop(key, None)
    return found if isinstance(found, list) else []


def _read_call(item: Json, shape: SageNames, stamp: Json) -> Part:
    if not isinstance(item, dict) or not isinstance(item.get("name"), str):
        return UnknownPart(CALL, item)
    rest = dict(item)
    name = take_text(rest, "name") or ""
    id = take_text(rest, "id") or None
    input = rest.pop("arguments", None)
    if rest:
        _drop_stamp(rest, shape, stamp)
    return ToolCall(name, input, id, rest)


def calls_value(parts: Sequence[Part], shape: SageNames, stamp: str | None) -> list[Json]:
    """Return the calls as Sage lists them."""
    calls: list[Json] = []
    for part in parts:
        if isinstance(part, ToolCall):
            value: Object = {"id": part.id or "", "name": part.name, "arguments": part.input}
            calls.append(_add_timestamp({**value, **part.extra}, shape, stamp))
        elif isinstance(part, UnknownPart) and part.kind == CALL:
            calls.append(part.value)
    return calls


# tool results


def take_results(left: Object, shape: SageNames, stamp: Json) -> tuple[Part, ...]:
    """Remove and return the tool results, if the member is a list."""
    return tuple(_read_result(item, shape, stamp) for item in _take_list(left, shape.results))


def _read_result(item: Json, shape: SageNames, stamp: Json) -> Part:
    if not isinstance(item, dict):
        return UnknownPart(RESULT, item)
    rest = dict(item)
    failed = _take_failed(rest)
    call, name = take_text(rest, shape.call) or None, take_text(rest, shape.tool) or None
    _drop_stamp(rest, shape, stamp)
    return ToolResult(_take_output(rest), call, name, failed, None, rest)


def _take_failed(rest: Object) -> bool:
    success = rest.get("success")
    if success is None or isinstance(success, bool):
        rest.pop("success", None)
    return not success if isinstance(success, bool) else isinstance(rest.get("error"), str)


def _take_output(rest: Object) -> tuple[Text, ...]:
    """Return the output of a tool. A failure is in `error`, and its empty content stays."""
    content, error = rest.get("content"), rest.get("error")
    if error is None:
        rest.pop("error", None)
    if content == "" and isinstance(error, str):
        del rest["error"]
        return (Text(error),)
    said = take_text(rest, "content")
    return () if said is None else (Text(said),)


def results_value(parts: Sequence[Part], shape: SageNames, stamp: str | None) -> list[Json]:
    """Return the results as Sage lists them."""
    results: list[Json] = []
    for part in parts:
        if isinstance(part, ToolResult):
            results.append(_add_timestamp(_write_result(part, shape), shape, stamp))
        elif isinstance(part, UnknownPart) and part.kind == RESULT:
            results.append(part.value)
    return results


def _write_result(part: ToolResult, shape: SageNames) -> Object:
    value: Object = {shape.call: part.call or "", shape.tool: part.name or ""}
    said = join_words(part.output)
    if said is not None and "content" not in part.extra:
        value["content"] = said
    value["success"] = not part.error
    if said is not None and "content" in part.extra:
        value["error"] = said
    elif not part.error and not shape.stamped and not shape.nested:
        value["error"] = None
    return {**value, **part.extra}


# times of calls


def _drop_stamp(rest: Object, shape: SageNames, stamp: Json) -> None:
    """Drop the time of a call if it is that of its message."""
    if shape.stamped and stamp is not None and rest.get("timestamp") == stamp:
        del rest["timestamp"]


def _add_timestamp(value: Object, shape: SageNames, stamp: str | None) -> Object:
    if shape.stamped and stamp is not None:
        value.setdefault("timestamp", stamp)
    return value
