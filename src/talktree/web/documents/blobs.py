"""Files that belong to messages, by number, and their bytes.

A number below `NESTED` is a part of the message. Attachments of a tool result are counted from
`(part + 1) * NESTED`, where the part is the call or the result itself.
"""

from __future__ import annotations

from typing import NamedTuple

from talktree.errors import NotFound
from talktree.model.parts import Artifact, Attachment, Part, ToolCall, ToolResult
from talktree.text.media import PICTURES, decode_data_url, detect_media_type, parse_data_url
from talktree.web.documents.open_conversation import OpenConversation
from talktree.web.documents.row_list import build_rows

NESTED = 1000
LARGEST = 256 << 20
UNKNOWN = "application/octet-stream"
_SAFE = PICTURES | {"application/pdf"}


class Blob(NamedTuple):
    """A file that belongs to a message."""

    data: bytes | None
    """None if only its address is known."""
    media_type: str
    """The media type detected from its first bytes; the declared type is not trusted."""
    name: str
    remote: str
    """Its declared address, if it is not embedded."""
    details: str
    """The declared media type or name."""


def find_part(opened: OpenConversation, id: str, number: int) -> Part:
    """Return the part of a message with a number."""
    position = opened.conversation.find_position(id)
    message = opened.conversation[id]
    place, inner = (number, None) if number < NESTED else divmod(number - NESTED, NESTED)
    if not 0 <= place < len(message.parts):
        raise _missing_error(id, number)
    part = message.parts[place]
    if inner is None:
        return part
    result = _find_result(opened, position, place) if isinstance(part, ToolCall) else part
    if not isinstance(result, ToolResult) or inner >= len(result.output):
        raise _missing_error(id, number)
    return result.output[inner]


def _find_result(opened: OpenConversation, position: int, place: int) -> ToolResult | None:
    """Return the result of a call, as the row of its message shows it."""
    rows = opened.get_rows(opened.conversation.skeleton.ids[position])
    number = rows.number_at(position)
    if number is None:
        return None
    for row in build_rows(opened.conversation, rows, number, number + 1):
        for step in row.steps:
            if step.position == position:
                return step.answers.get(place)
    return None


def read_blob(opened: OpenConversation, id: str, number: int) -> Blob:
    """Return the file with a number."""
    part = find_part(opened, id, number)
    match part:
        case Attachment():
            return _read_attachment(part)
        case Artifact():
            data = (part.content or "").encode("utf-8", "replace")
            return Blob(data, UNKNOWN, part.title or "artifact", "", part.media_type or "")
        case _:
            raise _missing_error(id, number)


def _read_attachment(part: Attachment) -> Blob:
    url, name, details = part.url or "", part.name or "file", part.media_type or ""
    head = parse_data_url(url)
    if head is None:
        return Blob(None, UNKNOWN, name, url, details)
    data = decode_data_url(url, head, most=LARGEST)
    kind = detect_media_type(data[:96]) or UNKNOWN
    return Blob(data, kind if kind in _SAFE else UNKNOWN, name, "", details or head.media_type)


def _missing_error(id: str, number: int) -> NotFound:
    return NotFound(f"{id[:60]} has no file {number}", hint="the message itself tells what it has")
