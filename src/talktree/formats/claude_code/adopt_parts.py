"""The parts that a line from another format may hold, by role.

Claude Code sends the lines of a session to the API again when it resumes the session, and the API
refuses a whole conversation because of one invalid block. So parts that could be refused become
text: blank texts, thinking without a signature, results without a call, files of other types.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b

from msgspec.structs import replace

from talktree.formats.claude_code.lens import describe_part, format_json, remove_surrogates
from talktree.model.message import Message
from talktree.model.parts import NOTHING, Attachment, Part, Text, Thinking, ToolCall, ToolResult
from talktree.text.json.value import Json

NOTHING_SAID = "(no content)"
"""The text that Claude Code writes if a message has no words."""
KINDS = {
    **dict.fromkeys(("image/png", "image/jpeg", "image/gif", "image/webp"), "image"),
    "application/pdf": "document",
}
"""Types of files that the API accepts, and the type of block for each."""
LARGEST_FILE = 5 << 20
"""Maximum number of base64 characters; a larger image makes every later request fail."""
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", re.ASCII)
_LINK = re.compile(r"https?://[!-~]+", re.ASCII)
_ID = re.compile(r"[A-Za-z0-9_-]{1,200}", re.ASCII)
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]", re.ASCII)
_LONGEST_NAME = 128


def accept_user_parts(message: Message) -> tuple[Part, ...]:
    """Return the parts that a user line may hold: text, files, and the results of calls first."""
    parts: list[Part] = []
    results: list[Part] = []
    for part in message.parts:
        match part:
            case ToolResult(call=str(call)) if call:
                results.append(_accept_result(part, make_call_id(call, "", 0)))
            case Attachment():
                parts.append(accept_file(part) or Text(describe_part(part)))
            case _:
                parts.append(Text(describe_part(part)))
    return _with_detail((*results, *_without_blank_texts(parts, alone=not results)))


def accept_assistant_parts(message: Message) -> tuple[Part, ...]:
    """Return the parts that an assistant line may hold: text, signed thinking and calls."""
    # Calls answered in the same message would wait for their results forever.
    answered = any(isinstance(part, ToolResult) for part in message.parts)
    parts: list[Part] = []
    nameless = 0
    for part in message.parts:
        match part:
            case ToolCall(id=str()) if not answered:
                parts.append(_accept_call(part, message, nameless))
                nameless += not part.id
            case Thinking() if is_signed(part, message.model):
                parts.append(replace(part, extra=NOTHING))
            case _:
                parts.append(Text(describe_part(part)))
    return _without_blank_texts(parts, alone=True)


def is_signed(thought: Thinking, model: str | None) -> bool:
    """Whether the API could accept thinking as its own: signed by a Claude model."""
    known = model is not None and "claude" in model.lower()
    return known and bool(thought.signature) and bool(thought.text.strip())


def _without_blank_texts(parts: Sequence[Part], *, alone: bool) -> tuple[Part, ...]:
    """Return parts without blank texts; at least one part remains."""
    left = tuple(part for part in parts if not isinstance(part, Text) or part.text.strip())
    return (Text(NOTHING_SAID),) if alone and not left else left


# tools


def make_call_id(id: str | None, message: str, number: int) -> str:
    """Return an id that the API accepts: its own, or one made from it or the call's position."""
    if id and _ID.fullmatch(id):
        return id
    seed = id or f"{message}\0{number}"
    return "toolu_" + blake2b(seed.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _accept_call(part: ToolCall, message: Message, number: int) -> ToolCall:
    name = _NOT_IN_NAMES.sub("_", part.name)[:_LONGEST_NAME] or "tool"
    return ToolCall(
        name, normalize_arguments(part.input), make_call_id(part.id, message.id, number)
    )


def normalize_arguments(value: Json) -> Json:
    """Return the arguments of a call as an object, as required."""
    if value is None:
        return {}
    if not is_sound(value):
        value = format_json(value)
    return value if isinstance(value, dict) else {"input": value}


def is_sound(value: Json) -> bool:
    """Whether every JSON reader accepts a value: no NaN, no surrogates, not nested too deep."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _accept_result(part: ToolResult, call: str) -> ToolResult:
    output = tuple(_accept_outputs(part))
    if not output:
        output = (Text(""),)
    detail = part.detail if is_sound(part.detail) else None
    return ToolResult(output, call, None, part.error, detail)


def _accept_outputs(part: ToolResult) -> Iterator[Text | Attachment]:
    for each in part.output:
        found = accept_file(each) if isinstance(each, Attachment) else None
        words = "" if found else describe_part(each)
        if found or words.strip() or len(part.output) == 1:
            yield found or Text(words)


def _with_detail(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the parts without `detail`: only a line with a single result has a place for it."""
    if len(parts) == 1:
        return parts
    return tuple(
        replace(part, detail=None) if isinstance(part, ToolResult) else part for part in parts
    )


# files


def accept_file(part: Attachment) -> Attachment | None:
    """Return an image or a document as the API accepts it, or None."""
    media, url = (part.media_type or "").lower(), part.url or ""
    kind = KINDS.get(media) if media else part.extra.get("type")
    if kind not in KINDS.values():
        return None
    name = remove_surrogates(part.name) if part.name and kind == "document" else None
    head = f"data:{part.media_type};base64,"
    if media and url.startswith(head):
        data = url[len(head) :]
        if not data or len(data) > LARGEST_FILE or not _BASE64.fullmatch(data):
            return None
        return Attachment(name, media, f"data:{media};base64,{data}", {"type": kind})
    if not _LINK.fullmatch(url):
        return None
    # A link has no place for the type of its target.
    return Attachment(name, None, url, {"type": kind})
