"""Records of the documented message types and entries, in both directions."""

from __future__ import annotations

from talktree.formats.blocks import make_blocks, parse_blocks
from talktree.formats.claude_messages.detect import TYPES, role_of
from talktree.formats.format import Record, make_opaque
from talktree.formats.lens import Object, merge_json, take_flag, take_text, with_rest
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import ABORTED, DELETED, ERROR, META, SIDECHAIN, Context, Message
from talktree.model.parts import Event, Part, Text, Thinking, ToolCall, ToolResult
from talktree.text.json.value import Json
from talktree.text.times import from_iso, to_iso

FLAGS = {
    "isSidechain": SIDECHAIN,
    "isDeleted": DELETED,
    "isMeta": META,
    "isError": ERROR,
    "isAborted": ABORTED,
}
OPERATIONS = {
    "conversation_compacting": "compacting",
    "conversation_compacted": "compacted",
    "conversation_restoring": "restoring",
    "conversation_restored": "restored",
}
UNTYPED = "untyped"
"""The kind of a line with an id, as messages have, and without a type."""
CONTEXT = {"cwd": "cwd", "gitBranch": "git_branch", "userType": "user_type", "version": "version"}
"""Native names of the context, and the fields they are read into."""


def get(record: Record) -> Entry:
    """Return the entry of a line."""
    value = record.value
    if not isinstance(value, dict) or not record.usable:
        return make_opaque(record)
    type = value.get("type")
    if not isinstance(type, str) and "uuid" in value:
        return make_opaque(record, UNTYPED)
    if not isinstance(type, str) or type not in TYPES:
        return make_opaque(record, type if isinstance(type, str) else "unknown")
    left = dict(value)
    del left["type"]
    own = take_text(left, "uuid")
    parent = take_text(left, "parentUuid")
    flags = frozenset(flag for key, flag in FLAGS.items() if take_flag(left, key))
    parts, flags = _read_parts(type, left, flags)
    return Message(
        id=record.id or own or "",
        parent=record.parent or parent,
        role=role_of(type),
        parts=parts,
        time_ns=_take_time(left),
        session=take_text(left, "sessionId"),
        flags=flags,
        context=_take_context(left),
        extra=left,
    )


def _take_time(left: Object) -> int | None:
    stamp = left.get("timestamp")
    time = from_iso(stamp) if isinstance(stamp, str) else None
    if time is not None or stamp is None:
        left.pop("timestamp", None)
    return time


def _take_context(left: Object) -> Context | None:
    found = {field: take_text(left, key) for key, field in CONTEXT.items()}
    return Context(**found) if any(item is not None for item in found.values()) else None


def _read_parts(
    type: str, left: Object, flags: frozenset[str]
) -> tuple[tuple[Part, ...], frozenset[str]]:
    subtype = left.get("subtype")
    said = left.get("message")
    if isinstance(said, dict) and isinstance(said.get("content"), str | list):
        return _read_api_parts(said, left), flags
    words = (Text(said),) if isinstance(said, str) else ()
    match type, subtype:
        case "compact_system", None if isinstance(said, str) and said in OPERATIONS:
            parts: tuple[Part, ...] = (Event(OPERATIONS[said], data=left.pop("metadata", None)),)
        case "assistant", "tool_use" if isinstance(left.get("toolName"), str):
            call = ToolCall(str(left.pop("toolName")), left.pop("toolArguments", None))
            parts = (*words, call)
        case "assistant", "thinking" if isinstance(said, str):
            parts = (Thinking(said),)
        case "assistant", "command" if isinstance(said, str):
            parts = (Event("command", text=said),)
        case "system", "tool_result":
            parts = (ToolResult(words, error=ERROR in flags),)
            flags -= {ERROR}
        case (("assistant" | "system"), "error"):
            parts, flags = words, flags | {ERROR}
        case "system", "meta":
            parts, flags = words, flags | {META}
        case ("assistant", "response") | (("user" | "assistant" | "system"), None):
            parts = words
        case _:
            # An undocumented subtype stays where it is; its text is read anyway.
            left.pop("message" if words else "", None)
            return words, flags
    if isinstance(said, str):
        del left["message"]
    left.pop("subtype", None)
    return parts, flags


def _read_api_parts(said: Object, left: Object) -> tuple[Part, ...]:
    """Return the parts of a message that is an API object, as in lines of the other dialect."""
    content = said["content"]
    left["message"] = {key: item for key, item in said.items() if key != "content"}
    if isinstance(content, str):
        return (Text(content),)
    return parse_blocks(content) if isinstance(content, list) else ()


# writing


def write_entry(entry: Entry) -> Json:
    """Return a new line for an entry."""
    match entry:
        case Message():
            return _write_line(entry)
        case Opaque():
            kept: Json = entry.value
            return kept
        case Head() | Snapshot():
            return {"type": entry.kind if isinstance(entry, Head) else "snapshot", **entry.extra}


def _write_line(message: Message) -> Object:
    flags = message.flags
    value: Object = {"type": message.role}
    if message.id:
        value["uuid"] = message.id
    if message.parent is not None:
        value["parentUuid"] = message.parent
    if message.time_ns is not None:
        value["timestamp"] = to_iso(message.time_ns, digits=0)
    if message.session is not None:
        value["sessionId"] = message.session
    flags = _write_parts(message, value, flags)
    for key, flag in FLAGS.items():
        if flag in flags:
            value[key] = True
    if message.context is not None:
        for key, field in CONTEXT.items():
            item = getattr(message.context, field)
            if item is not None:
                value[key] = item
    return with_rest(value, message.extra)


def _write_parts(message: Message, value: Object, flags: frozenset[str]) -> frozenset[str]:
    """Write the parts; return the flags that are still to be written."""
    api = message.extra.get("message")
    if isinstance(api, dict):
        plain = len(message.parts) == 1 and isinstance(message.parts[0], Text)
        content = message.text if plain else make_blocks(message.parts)
        value["message"] = {**api, "content": content}
        return flags
    said = [part.text for part in message.parts if isinstance(part, Text)]
    if said:
        value["message"] = "\n\n".join(said)
    special = next((part for part in message.parts if not isinstance(part, Text)), None)
    match special:
        case ToolCall():
            value |= {
                "subtype": "tool_use",
                "toolName": special.name,
                "toolArguments": special.input,
            }
        case ToolResult():
            value |= {"subtype": "tool_result", "message": _join_output(special)}
            return flags | {ERROR} if special.error else flags
        case Thinking():
            value |= {"subtype": "thinking", "message": special.text}
        case Event(kind="command"):
            value |= {"subtype": "command", "message": special.text or ""}
        case Event():
            _write_operation(special, value)
        case _ if "subtype" in message.extra or message.role == "user":
            pass
        case _ if ERROR in flags:
            value["subtype"] = "error"
        case _ if META in flags and message.role == "system":
            value["subtype"] = "meta"
        case _ if message.role == "assistant":
            value["subtype"] = "response"
    return flags


def _join_output(result: ToolResult) -> str:
    return "\n\n".join(part.text for part in result.output if isinstance(part, Text))


def _write_operation(event: Event, value: Object) -> None:
    words = {kind: said for said, kind in OPERATIONS.items()}
    value["type"] = "compact_system"
    value["message"] = words.get(event.kind, event.kind)
    if event.data is not None:
        value["metadata"] = event.data


def put(entry: Entry, base: Record | None) -> Json:
    """Return the value of an entry, in the form of its old record if there is one."""
    if base is None:
        return write_entry(entry)
    return merge_json(base.value, write_entry(get(base)), write_entry(entry))
