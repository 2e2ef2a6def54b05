"""Messages from other formats as lines of the documented types.

The specification has one thing on a line: text, a call with or without text, a result, thinking, a
command or a compaction. A message with more than that is written as an API object, which has been
found in the same files.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b

from msgspec.structs import replace

from talktree.formats.blocks import make_block
from talktree.formats.claude_messages.lens import OPERATIONS
from talktree.formats.format import ConversationInfo
from talktree.model.message import ERROR, SIDECHAIN, Context, Message
from talktree.model.parts import Event, Part, Text, Thinking, ToolCall, ToolResult
from talktree.text.json.encode import encode_json
from talktree.text.json.value import Json

BETWEEN = "\n\n"


def has_place(part: Part) -> bool:
    """Whether the specification has a name for a part, if it is an event."""
    if not isinstance(part, Event):
        return True
    return part.kind == "command" or part.kind in OPERATIONS.values()


def adopt_message(message: Message, about: ConversationInfo, *, moment: int) -> Message:
    """Return the message with every required field, in a form of the specification."""
    line = replace(
        message,
        time_ns=moment if message.time_ns is None else message.time_ns,
        session=about.session,
        context=_adopt_context(message),
    )
    parts = _join_texts([_adopt_part(part, message.role) for part in message.parts]) or (Text(""),)
    return _to_documented(line, parts) or _to_api_object(line, parts)


def _adopt_context(message: Message) -> Context | None:
    """Return the context; `external` means that a user is Claude, so other roles lose it."""
    own = message.context or Context()
    aside = SIDECHAIN in message.flags
    user_type = own.user_type
    if message.role == "user":
        user_type = "external" if aside else None if user_type == "external" else user_type
    found = replace(own, platform=None, user_type=user_type)
    return None if found == Context() else found


# parts


def _adopt_part(part: Part, role: str) -> Part:
    """Return a part, or text in its place if the specification has no name for its event."""
    match part:
        case Event(kind=kind) if kind in OPERATIONS.values():
            return Event(kind, data=_make_statistics(part))
        case Event(kind="command") if role == "assistant":
            return Event("command", part.text or _part_text(part))
        case Event() | Text():
            return Text(_part_text(part))
        case _:
            return part


def _make_statistics(event: Event) -> Json:
    known: Json = event.data if isinstance(event.data, dict) and is_sound(event.data) else None
    return {} if known is None and event.kind == "compacted" else known


def _part_text(part: Part) -> str:
    """Return a part as readable text."""
    match part:
        case Text():
            return part.text
        case Event(kind="command", data={"name": str(name), **more}):
            given = more.get("args")
            return f"{name} {given}" if given and isinstance(given, str) else name
        case _:
            block = make_block(part)
            said = block.get("text") if isinstance(block, dict) else None
            return said if isinstance(said, str) else encode_json(block).decode()


def _join_texts(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return parts with all text joined at the place of the first; blank text only if it is all."""
    said = [part.text for part in parts if isinstance(part, Text)]
    words = BETWEEN.join(text for text in said if text.strip()) if len(said) > 1 else "".join(said)
    out: list[Part] = []
    for part in parts:
        if not isinstance(part, Text):
            out.append(part)
        elif said and (words.strip() or len(said) == len(parts)):
            out.append(Text(words))
            said = []
    return tuple(out)


def _adopt_call(call: ToolCall) -> ToolCall:
    """Return a call with a name, and with an object as its arguments."""
    given = {} if call.input is None else call.input
    if not is_sound(given):
        given = encode_json(given).decode()
    return ToolCall(call.name or "tool", given if isinstance(given, dict) else {"input": given})


def is_sound(value: Json) -> bool:
    """Whether every JSON reader accepts a value: no NaN, no placeholder, not nested too deep."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


# forms


def _to_documented(line: Message, parts: tuple[Part, ...]) -> Message | None:
    """Return the message as one of the documented kinds, or None if it is not one."""
    match line.role, parts:
        case _, (Text(),):
            return replace(line, parts=parts)
        case _, (Event(kind=kind),) if kind in OPERATIONS.values():
            return replace(line, role="system", parts=parts)
        case "assistant", (Event(),):
            return replace(line, parts=parts)
        case "assistant", (Thinking(text=text),):
            return replace(line, parts=(Thinking(text),))
        case "assistant", (*words, ToolCall() as call) if all(
            isinstance(part, Text) for part in words
        ):
            return replace(line, parts=(*words, _adopt_call(call)))
        case "assistant", (ToolCall() as call, Text() as text):
            return replace(line, parts=(text, _adopt_call(call)))
        case _, (ToolResult() as result,):
            # On a line with a result, the error flag belongs to the result.
            failed = result.error or ERROR in line.flags
            output = (Text(BETWEEN.join(map(_part_text, result.output))),)
            brought = ToolResult(output, error=failed)
            return replace(line, role="system", parts=(brought,), flags=line.flags - {ERROR})
        case _:
            return None


def _to_api_object(line: Message, parts: Sequence[Part]) -> Message:
    """Return the message as an API object."""
    blocks = [_adopt_block_part(part, line, at) for at, part in enumerate(parts)]
    return replace(
        line,
        parts=_join_texts(blocks),
        extra={**line.extra, "message": {"role": line.role}},
    )


def _adopt_block_part(part: Part, line: Message, at: int) -> Part:
    match part:
        case ToolCall():
            return replace(_adopt_call(part), id=part.id or _make_call_id(line.id, at))
        case ToolResult():
            output = (Text(BETWEEN.join(map(_part_text, part.output))),)
            return ToolResult(output, part.call, error=part.error)
        case Event():
            return Text(_part_text(part))
        case Thinking():
            return Thinking(part.text, part.signature)
        case _:
            return part


def _make_call_id(message: str, at: int) -> str:
    seed = f"{message}\0{at}".encode("utf-8", "surrogatepass")
    return "toolu_" + blake2b(seed, digest_size=12).hexdigest()
