"""Writing entries as Sage records: new ones as documented, old ones with only their changes.

Entries are written so that strict readers of JSON accept them as well. Sage's own reader skips a
line that holds a surrogate, a value that is not JSON (`NaN`, `...`) or brackets nested too deep.
Surrogates become U+FFFD, the other two become text that shows them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import astuple, replace

from talktree.formats.format import Record
from talktree.formats.lens import Object, merge_json, with_rest
from talktree.formats.sage.detect_kinds import detect_kind
from talktree.formats.sage.lens import get
from talktree.formats.sage.lens_heads import metadata_value, session_value
from talktree.formats.sage.lens_members import (
    DOCUMENTED,
    FULL,
    LEGACY,
    SageNames,
    context_value,
    find_shape,
    get_inner_object,
    infer_type,
    names_of,
    thinking_value,
    todos_value,
    usage_value,
)
from talktree.formats.sage.lens_parts import (
    calls_value,
    find_event_kind,
    join_words,
    operation_value,
    results_value,
)
from talktree.formats.sage.lens_snapshots import snapshot_value
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import ERROR, SIDECHAIN, Author, Context, Message, Usage
from talktree.model.parts import Part, Text, ToolResult
from talktree.text.json.encode import encode_json
from talktree.text.json.value import Json, Token
from talktree.text.times import to_iso


def put(entry: Entry, base: Record | None, *, fresh: SageNames = FULL) -> Json:
    """Return the value of an entry, in the form of its old record if there is one."""
    if base is None:
        return write_entry(entry, fresh)
    shape = _find_shape(base)
    return merge_json(base.value, write_entry(get(base), shape), write_entry(entry, shape))


def _find_shape(base: Record) -> SageNames:
    value = base.value
    if detect_kind(value, base.path) in ("legacy", "session"):
        return LEGACY
    return find_shape(value) if isinstance(value, dict) else DOCUMENTED


def write_entry(entry: Entry, shape: SageNames) -> Json:
    """Return the value of an entry in one of the forms."""
    match entry:
        case Message():
            return _write_legacy_message(entry) if shape is LEGACY else _write_line(entry, shape)
        case Snapshot():
            return snapshot_value(entry)
        case Head():
            return session_value(entry) if shape is LEGACY else metadata_value(entry)
        case Opaque():
            kept: Json = entry.value
            return kept


def _write_line(message: Message, shape: SageNames) -> Object:
    type, role = _line_names(message)
    answers = type == "tool_result"
    bare = answers and not shape.full
    value: Object = {"type": type, "uuid": message.id, "parentUuid": message.parent}
    _add_place(value, message)
    value["sessionId"] = message.session or ""
    value |= operation_value(message.parts)
    if message.context is not None or not bare:
        context = message.context or Context()
        value["version"] = context.version or ""
        value["context"] = context_value(context, get_inner_object(message.extra, "context"))
    said = _message_members(message, role, shape)
    if not bare or len(said) > 1:
        value["message"] = said
    if not shape.nested:
        results = results_value(message.parts, shape, None)
        if results or answers:
            value[shape.results] = results
    _add_state(value, message, shape)
    value["isSidechain"] = SIDECHAIN in message.flags
    return with_rest(value, message.extra) if message.extra else value


def _message_members(message: Message, role: str, shape: SageNames) -> Object:
    """Return the members inside `message`; tool results require an empty text beside them."""
    said: Object = {"role": role}
    words = join_words(message.parts)
    if words is None and shape.full and message.role == "tool":
        words = ""
    if words is not None:
        said["content"] = words
    if calls := calls_value(message.parts, shape, None):
        said[shape.calls] = calls
    if shape.nested and (results := results_value(message.parts, shape, None)):
        said[shape.results] = results
    said |= get_inner_object(message.extra, "message")
    return said


def _write_legacy_message(message: Message) -> Object:
    type, role = _line_names(message)
    stamp = None if message.time_ns is None else to_iso(message.time_ns)
    value: Object = {"role": role}
    words = join_words(message.parts)
    if words is not None or message.role == "tool":
        value["content"] = words or ""
    if calls := calls_value(message.parts, LEGACY, stamp):
        value[LEGACY.calls] = calls
    if results := results_value(message.parts, LEGACY, stamp):
        value[LEGACY.results] = results
    if type != infer_type(role):
        value["messageType"] = type
    value["uuid"] = message.id
    value |= operation_value(message.parts)
    _add_place(value, message)
    if message.session is not None:
        value["sessionId"] = message.session
    if message.context is not None:
        value |= _write_legacy_context(message.context, message)
    _add_state(value, message, LEGACY)
    if SIDECHAIN in message.flags:
        value["isSidechain"] = True
    return with_rest(value, message.extra)


def _write_legacy_context(context: Context, message: Message) -> Object:
    value: Object = {} if context.version is None else {"version": context.version}
    return {**value, "context": context_value(context, get_inner_object(message.extra, "context"))}


def _line_names(message: Message) -> tuple[str, str]:
    error = ERROR in message.flags
    return names_of(message.role, error=error, event=find_event_kind(message.parts))


def _add_place(value: Object, message: Message) -> None:
    """Add the parents and the time."""
    if message.follows is not None:
        value["branchParentUuid"] = message.follows
    if message.time_ns is not None:
        value["timestamp"] = to_iso(message.time_ns)


def _add_state(value: Object, message: Message, shape: SageNames) -> None:
    """Add tokens, thinking and tasks, as far as the message has them."""
    if usage := usage_value(message.usage, get_inner_object(message.extra, shape.usage), shape):
        value[shape.usage] = usage
    if message.thinking is not None:
        value["thinkingMetadata"] = thinking_value(message.thinking)
    if message.todos is not None:
        value["todos"] = todos_value(message.todos)


DEEPEST = 100
"""Maximum nesting depth: Sage fails at 128 levels, and the line around a value has some as well."""
Some = TypeVar("Some", bound=Struct)
_packed = msgspec.msgpack.Encoder().encode
_FLAT = frozenset({str, int, float, bool, Token, frozenset, Author, Usage, Context})
"""Types whose values contain nothing that may be nested."""


def make_strict(entry: Some) -> Some:
    """Return an entry without anything that a strict reader of JSON refuses."""
    if _is_strict(entry):
        return entry
    fields = {name: _make_field_strict(getattr(entry, name)) for name in entry.__struct_fields__}
    return replace(entry, **fields)


def _is_strict(entry: Struct) -> bool:
    try:
        # It refuses what JSON refuses, but accepts any string.
        _packed(entry)
    except (TypeError, UnicodeEncodeError, OverflowError, RecursionError):
        return False
    if not isinstance(entry, Message):
        return _are_shallow([entry])
    nesting: list[Any] = [part for part in entry.parts if not _is_words(part)]
    nesting += [each for each in (entry.todos, entry.thinking, entry.extra) if each]
    return not nesting or _are_shallow(nesting)


def _is_words(part: Part) -> bool:
    """Whether a part is only text, in which nothing can be nested."""
    if isinstance(part, ToolResult):
        return part.detail is None and not part.extra and all(map(_is_words, part.output))
    return isinstance(part, Text) and not part.extra


def _are_shallow(level: list[Any]) -> bool:
    """Whether none of some values is nested too deep."""
    for _ in range(DEEPEST):
        level = [
            inner
            for each in level
            for inner in _iterate_inside(each)
            if inner and type(inner) not in _FLAT
        ]
        if not level:
            return True
    return False


def _iterate_inside(value: Any) -> Iterable[Any]:  # noqa: ANN401
    if isinstance(value, dict):
        return value.values()
    return astuple(value) if isinstance(value, Struct) else value


def _make_field_strict(value: Any) -> Any:  # noqa: ANN401
    match value:
        case str():
            return replace_surrogates(value)
        case Struct():
            return make_strict(value)
        case tuple():
            return tuple(map(_make_field_strict, value))
        case dict() if any(isinstance(each, Struct) for each in value.values()):
            return {
                replace_surrogates(name): _make_field_strict(each) for name, each in value.items()
            }
        case dict() | list() | Token():
            return make_json_strict(value)
        case _:
            return value


def replace_surrogates(text: str) -> str:
    """Return a text with surrogates replaced; a surrogate pair becomes one character."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def make_json_strict(value: Json) -> Json:
    """Return a JSON value with everything in it made valid JSON."""
    top: list[Any] = [value]
    pending: list[tuple[Any, Any, int]] = [(top, 0, 0)]
    while pending:
        container, key, depth = pending.pop()
        item = container[key]
        if isinstance(item, str):
            container[key] = replace_surrogates(item)
        elif isinstance(item, Token):
            container[key] = replace_surrogates(item.text)
        elif isinstance(item, dict | list):
            if depth == DEEPEST:
                container[key] = encode_json(item).decode()
                continue
            inner: Any = (
                {replace_surrogates(name): each for name, each in item.items()}
                if isinstance(item, dict)
                else list(item)
            )
            container[key] = inner
            names = inner if isinstance(inner, dict) else range(len(inner))
            pending += [(inner, name, depth + 1) for name in names]
    found: Json = top[0]
    return found
