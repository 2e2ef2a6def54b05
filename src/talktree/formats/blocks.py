"""Content blocks of the Claude API and parts, in both directions.

Not a format: the lenses of the two Claude formats use it. A block whose shape is not exactly a
known one becomes an `UnknownPart` that holds all of it.

It also builds attachments as a format's own records describe files, with no other members.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import cast
from uuid import UUID

from talktree.errors import WouldLose
from talktree.formats.format import ConversationInfo, Format
from talktree.formats.lens import Object
from talktree.model.message import Message
from talktree.model.operations import AttachFile
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
from talktree.text.json.value import Json
from talktree.text.media_types import find_media_type

Output = tuple[Text | Thinking | ToolCall | Attachment | Artifact | Event | UnknownPart, ...]
_NO_EXTRA: dict[str, Json] = {}


def parse_blocks(content: Sequence[Json], detail: Json = None) -> tuple[Part, ...]:
    """Return the parts that a list of blocks represents."""
    return tuple([parse_block(block, detail) for block in content])


def parse_block(block: Json, detail: Json = None) -> Part:
    """Return the part that a block represents."""
    if not isinstance(block, dict):
        return UnknownPart("value", block)
    match block.get("type"):
        case "text" if isinstance(text := block.get("text"), str):
            return Text(text, _unknown_members(block, 2, "text"))
        case "thinking" if isinstance(text := block.get("thinking"), str):
            return _parse_thinking(block, text)
        case "tool_use" if isinstance(name := block.get("name"), str):
            return _parse_call(block, name)
        case "tool_result":
            return _parse_result(block, detail)
        case "image" | "document" as kind:
            return _parse_attachment(block) or UnknownPart(str(kind), block)
        case str(kind):
            return UnknownPart(kind, block)
        case _:
            return UnknownPart("block", block)


def _unknown_members(block: Object, known: int, *names: str) -> dict[str, Json]:
    """Return the members other than the type and the given ones; usually there are none."""
    if len(block) == known:
        return _NO_EXTRA
    return {key: item for key, item in block.items() if key != "type" and key not in names}


def _parse_thinking(block: Object, text: str) -> Part:
    signature = block.get("signature")
    if signature is not None and not isinstance(signature, str):
        return UnknownPart("thinking", block)
    return Thinking(text, signature, _unknown_members(block, 3, "thinking", "signature"))


def _parse_call(block: Object, name: str) -> Part:
    id = block.get("id")
    if id is not None and not isinstance(id, str):
        return UnknownPart("tool_use", block)
    return ToolCall(name, block.get("input"), id, _unknown_members(block, 4, "name", "input", "id"))


def _parse_result(block: Object, detail: Json) -> Part:
    call, content, error = block.get("tool_use_id"), block.get("content"), block.get("is_error")
    if isinstance(content, str):
        output: Output = (Text(content),)
    elif isinstance(content, list):
        output = cast(Output, parse_blocks(content))
        if any(isinstance(part, ToolResult) for part in output):
            return UnknownPart("tool_result", block)
    elif content is None:
        output = ()
    else:
        return UnknownPart("tool_result", block)
    odd_error = error is not None and not isinstance(error, bool)
    if odd_error or not (call is None or isinstance(call, str)):
        return UnknownPart("tool_result", block)
    names = ("tool_use_id", "content", "is_error")
    return ToolResult(output, call, None, error is True, detail, _unknown_members(block, 0, *names))


_BASE64 = {"type", "media_type", "data"}


def _parse_attachment(block: Object) -> Attachment | None:
    source = block.get("source")
    if not isinstance(source, dict):
        return None
    match source:
        case {"type": "base64", "media_type": str(media), "data": str(data)} if len(source) == 3:
            url = f"data:{media};base64,{data}"
        case {"type": "url", "url": str(url)} if len(source) == 2 and not url.startswith("data:"):
            media = ""
        case _:
            return None
    name = block.get("title")
    if ";" in media or "," in media or not (name is None or isinstance(name, str)):
        return None
    extra = {key: item for key, item in block.items() if key not in ("source", "title")}
    return Attachment(name, media or None, url, extra)


# writing


def make_blocks(parts: Sequence[Part]) -> list[Json]:
    """Return the blocks of parts. Parts without a block of their own become text."""
    return [make_block(part) for part in parts]


def make_block(part: Part) -> Json:
    """Return the block of a part."""
    match part:
        case Text():
            return {"type": "text", "text": part.text, **part.extra}
        case Thinking():
            signed = {} if part.signature is None else {"signature": part.signature}
            return {"type": "thinking", "thinking": part.text, **signed, **part.extra}
        case ToolCall():
            named = {} if part.id is None else {"id": part.id}
            return {
                "type": "tool_use",
                **named,
                "name": part.name,
                "input": part.input,
                **part.extra,
            }
        case ToolResult():
            return _make_result_block(part)
        case Attachment():
            return _make_source_block(part)
        case UnknownPart():
            kept: Json = part.value
            return kept
        case Artifact():
            return {"type": "text", "text": part.content or part.title or ""}
        case Event():
            return {"type": "text", "text": part.text or part.kind}


def _make_result_block(part: ToolResult) -> Json:
    block: Object = {"type": "tool_result"}
    if part.call is not None:
        block["tool_use_id"] = part.call
    match part.output:
        case ():
            pass
        case (Text(text=text, extra=extra),) if not extra:
            block["content"] = text
        case several:
            block["content"] = make_blocks(several)
    if part.error:
        block["is_error"] = True
    return {**block, **part.extra}


def _make_source_block(part: Attachment) -> Json:
    url = part.url or ""
    head = f"data:{part.media_type or ''};base64,"
    source: Object = {"type": "url", "url": url}
    if url.startswith(head):
        source = {"type": "base64", "media_type": part.media_type or "", "data": url[len(head) :]}
    media = part.media_type or ""
    kind = "image" if media.startswith("image/") or not media else "document"
    block: Object = {"type": kind, "source": source}
    if part.name is not None:
        block["title"] = part.name
    return {**block, **part.extra}


_ANY = str(UUID(int=0, version=4))


def make_attach_operation(
    format: Format, about: str, name: str, media_type: str, url: str
) -> AttachFile:
    """Return the operation that attaches a file to a message, if the format has a place for it."""
    part = Attachment(name, media_type, url)
    fitting = _fit_attachment(format, part) if format.has_place(part) else None
    if fitting is None or fitting.url is None:
        raise WouldLose(
            f"{format.info.slug} has no place for a file of the type {media_type}",
            hint="write it to a format that has one, or name the file in the message",
        )
    return AttachFile(
        about=about,
        name=fitting.name,
        media_type=fitting.media_type or media_type,
        url=fitting.url,
        extra=dict(fitting.extra),
    )


def make_attach_file_operation(
    format: Format, about: str, name: str, data: bytes, media_type: str | None = None
) -> AttachFile:
    """Return the operation that attaches a file; its type is detected unless it is given."""
    media_type = media_type or find_media_type(data, name)
    url = f"data:{media_type};base64,{b64encode(data).decode()}"
    return make_attach_operation(format, about, name, media_type, url)


def _fit_attachment(format: Format, part: Attachment) -> Attachment | None:
    """Return the attachment as a format stores a file from another source."""
    message = Message(id=_ANY, parent=None, role="user", parts=(Text("-"), part), time_ns=0)
    adopted = format.adopt(message, ConversationInfo(id=_ANY, session=_ANY), moment=0)
    return next((each for each in adopted.parts if isinstance(each, Attachment)), None)
