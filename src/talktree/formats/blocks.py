"""Content blocks of the Claude API and parts, both ways.

Not a format: the lenses of the two Claude formats use it. A block whose shape is not exactly a
known one becomes an `Unknown` part that holds it whole.

A file as a format wants it: with what its own records say of one, and nothing else.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import cast
from uuid import UUID

from talktree.errors import WouldLose
from talktree.formats.format import About, Format
from talktree.formats.lens import Object
from talktree.model.message import Message
from talktree.model.operations import Attach
from talktree.model.parts import (
    Artifact,
    Attachment,
    Event,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from talktree.text.json.value import Json
from talktree.text.media_types import media_type_of

Output = tuple[Text | Thinking | ToolCall | Attachment | Artifact | Event | Unknown, ...]
_NO_EXTRA: dict[str, Json] = {}


def parts_of(content: Sequence[Json], detail: Json = None) -> tuple[Part, ...]:
    """The parts that a list of blocks stands for."""
    return tuple([part_of(block, detail) for block in content])


def part_of(block: Json, detail: Json = None) -> Part:
    """The part a block stands for."""
    if not isinstance(block, dict):
        return Unknown("value", block)
    match block.get("type"):
        case "text" if isinstance(text := block.get("text"), str):
            return Text(text, _rest(block, 2, "text"))
        case "thinking" if isinstance(text := block.get("thinking"), str):
            return _thinking(block, text)
        case "tool_use" if isinstance(name := block.get("name"), str):
            return _call(block, name)
        case "tool_result":
            return _result(block, detail)
        case "image" | "document" as kind:
            return _attachment(block) or Unknown(str(kind), block)
        case str(kind):
            return Unknown(kind, block)
        case _:
            return Unknown("block", block)


def _rest(block: Object, known: int, *names: str) -> dict[str, Json]:
    """The members beyond the type and the given ones; usually there are none."""
    if len(block) == known:
        return _NO_EXTRA
    return {key: item for key, item in block.items() if key != "type" and key not in names}


def _thinking(block: Object, text: str) -> Part:
    signature = block.get("signature")
    if signature is not None and not isinstance(signature, str):
        return Unknown("thinking", block)
    return Thinking(text, signature, _rest(block, 3, "thinking", "signature"))


def _call(block: Object, name: str) -> Part:
    id = block.get("id")
    if id is not None and not isinstance(id, str):
        return Unknown("tool_use", block)
    return ToolCall(name, block.get("input"), id, _rest(block, 4, "name", "input", "id"))


def _result(block: Object, detail: Json) -> Part:
    call, content, error = block.get("tool_use_id"), block.get("content"), block.get("is_error")
    if isinstance(content, str):
        output: Output = (Text(content),)
    elif isinstance(content, list):
        output = cast(Output, parts_of(content))
        if any(isinstance(part, ToolResult) for part in output):
            return Unknown("tool_result", block)
    elif content is None:
        output = ()
    else:
        return Unknown("tool_result", block)
    odd_error = error is not None and not isinstance(error, bool)
    if odd_error or not (call is None or isinstance(call, str)):
        return Unknown("tool_result", block)
    names = ("tool_use_id", "content", "is_error")
    return ToolResult(output, call, None, error is True, detail, _rest(block, 0, *names))


_BASE64 = {"type", "media_type", "data"}


def _attachment(block: Object) -> Attachment | None:
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


def blocks_of(parts: Sequence[Part]) -> list[Json]:
    """The blocks of parts; those without a block of their own are told in text."""
    return [block_of(part) for part in parts]


def block_of(part: Part) -> Json:
    """The block of a part."""
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
            return _result_block(part)
        case Attachment():
            return _source_block(part)
        case Unknown():
            kept: Json = part.value
            return kept
        case Artifact():
            return {"type": "text", "text": part.content or part.title or ""}
        case Event():
            return {"type": "text", "text": part.text or part.kind}


def _result_block(part: ToolResult) -> Json:
    block: Object = {"type": "tool_result"}
    if part.call is not None:
        block["tool_use_id"] = part.call
    match part.output:
        case ():
            pass
        case (Text(text=text, extra=extra),) if not extra:
            block["content"] = text
        case several:
            block["content"] = blocks_of(several)
    if part.error:
        block["is_error"] = True
    return {**block, **part.extra}


def _source_block(part: Attachment) -> Json:
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


def attach(format: Format, about: str, name: str, media_type: str, url: str) -> Attach:
    """The operation that puts a file with a message, if the format has a place for such a file."""
    part = Attachment(name, media_type, url)
    fitting = _fitted(format, part) if format.has_place(part) else None
    if fitting is None or fitting.url is None:
        raise WouldLose(
            f"{format.info.slug} has no place for a file of the type {media_type}",
            hint="write it to a format that has one, or name the file in the message",
        )
    return Attach(
        about=about,
        name=fitting.name,
        media_type=fitting.media_type or media_type,
        url=fitting.url,
        extra=dict(fitting.extra),
    )


def attach_file(
    format: Format, about: str, name: str, data: bytes, media_type: str | None = None
) -> Attach:
    """The operation that puts a file with a message; its type is what its bytes say, or given."""
    media_type = media_type or media_type_of(data, name)
    url = f"data:{media_type};base64,{b64encode(data).decode()}"
    return attach(format, about, name, media_type, url)


def _fitted(format: Format, part: Attachment) -> Attachment | None:
    """What a format makes of a file that comes from elsewhere."""
    message = Message(id=_ANY, parent=None, role="user", parts=(Text("-"), part), time_ns=0)
    adopted = format.adopt(message, About(id=_ANY, session=_ANY), moment=0)
    return next((each for each in adopted.parts if isinstance(each, Attachment)), None)
