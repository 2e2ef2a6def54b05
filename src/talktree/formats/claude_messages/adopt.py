"""A message from elsewhere in the documented words.

The document knows one thing a line: words, a call with or without words, a result, a thought, a
command or a compaction. A message that is more than that is written as an API object, which the
same files are seen to hold.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b

from msgspec.structs import replace

from talktree.formats.blocks import block_of
from talktree.formats.claude_messages.lens import OPERATIONS
from talktree.formats.format import About
from talktree.model.message import ERROR, SIDECHAIN, Context, Message
from talktree.model.parts import Event, Part, Text, Thinking, ToolCall, ToolResult
from talktree.text.json.encode import encode
from talktree.text.json.value import Json

BETWEEN = "\n\n"


def has_place(part: Part) -> bool:
    """Whether the document has a word for it, if it is an event."""
    if not isinstance(part, Event):
        return True
    return part.kind == "command" or part.kind in OPERATIONS.values()


def adopt(message: Message, about: About, *, moment: int) -> Message:
    """The message with every field the document demands, in a form the document knows."""
    line = replace(
        message,
        time_ns=moment if message.time_ns is None else message.time_ns,
        session=about.session,
        context=_context(message),
    )
    parts = _joined([_known(part, message.role) for part in message.parts]) or (Text(""),)
    return _documented(line, parts) or _object(line, parts)


def _context(message: Message) -> Context | None:
    """Where it was written; `external` says that a user is Claude, so others must not have it."""
    own = message.context or Context()
    aside = SIDECHAIN in message.flags
    user_type = own.user_type
    if message.role == "user":
        user_type = "external" if aside else None if user_type == "external" else user_type
    found = replace(own, platform=None, user_type=user_type)
    return None if found == Context() else found


# parts


def _known(part: Part, role: str) -> Part:
    """A part, or words in its place if it happened in a way the document has no name for."""
    match part:
        case Event(kind=kind) if kind in OPERATIONS.values():
            return Event(kind, data=_statistics(part))
        case Event(kind="command") if role == "assistant":
            return Event("command", part.text or _words(part))
        case Event() | Text():
            return Text(_words(part))
        case _:
            return part


def _statistics(event: Event) -> Json:
    known: Json = event.data if isinstance(event.data, dict) and is_sound(event.data) else None
    return {} if known is None and event.kind == "compacted" else known


def _words(part: Part) -> str:
    """A part as something to read."""
    match part:
        case Text():
            return part.text
        case Event(kind="command", data={"name": str(name), **more}):
            given = more.get("args")
            return f"{name} {given}" if given and isinstance(given, str) else name
        case _:
            block = block_of(part)
            said = block.get("text") if isinstance(block, dict) else None
            return said if isinstance(said, str) else encode(block).decode()


def _joined(parts: Sequence[Part]) -> tuple[Part, ...]:
    """All words in one text, where the first of them stood; blank ones only if nothing else is."""
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


def _asked(call: ToolCall) -> ToolCall:
    """A call that says what is called, and is given an object."""
    given = {} if call.input is None else call.input
    if not is_sound(given):
        given = encode(given).decode()
    return ToolCall(call.name or "tool", given if isinstance(given, dict) else {"input": given})


def is_sound(value: Json) -> bool:
    """Whether every reader of JSON takes it: no NaN, no placeholder, not too deep."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


# forms


def _documented(line: Message, parts: tuple[Part, ...]) -> Message | None:
    """The message as one of the documented kinds, or None if it is none of them."""
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
            return replace(line, parts=(*words, _asked(call)))
        case "assistant", (ToolCall() as call, Text() as text):
            return replace(line, parts=(text, _asked(call)))
        case _, (ToolResult() as result,):
            # On a line with a result the mark of an error belongs to the result.
            failed = result.error or ERROR in line.flags
            output = (Text(BETWEEN.join(map(_words, result.output))),)
            brought = ToolResult(output, error=failed)
            return replace(line, role="system", parts=(brought,), flags=line.flags - {ERROR})
        case _:
            return None


def _object(line: Message, parts: Sequence[Part]) -> Message:
    """The message as an API object."""
    blocks = [_block_part(part, line, at) for at, part in enumerate(parts)]
    return replace(
        line,
        parts=_joined(blocks),
        extra={**line.extra, "message": {"role": line.role}},
    )


def _block_part(part: Part, line: Message, at: int) -> Part:
    match part:
        case ToolCall():
            return replace(_asked(part), id=part.id or _call_id(line.id, at))
        case ToolResult():
            output = (Text(BETWEEN.join(map(_words, part.output))),)
            return ToolResult(output, part.call, error=part.error)
        case Event():
            return Text(_words(part))
        case Thinking():
            return Thinking(part.text, part.signature)
        case _:
            return part


def _call_id(message: str, at: int) -> str:
    seed = f"{message}\0{at}".encode("utf-8", "surrogatepass")
    return "toolu_" + blake2b(seed, digest_size=12).hexdigest()
