"""Levels of detail: the same message with parts left out.

| level | left out |
|---|---|
| full | nothing |
| high | thinking, notes of the program; outputs of tools beyond 2,000 characters |
| low | also: inputs and outputs of tools, apart from one line each |
| minimal | also: tools, attachments and artifacts; only texts are left |
| user-only | also: everything that users did not write themselves |
"""

from __future__ import annotations

from msgspec.structs import replace

from talktree.export.choice import Detail, ExportOptions, Images
from talktree.export.hidden import without_hidden
from talktree.model.compaction import COMPACTIONS
from talktree.model.message import META, SIDECHAIN, Message
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
from talktree.text.media import parse_data_url
from talktree.views.width import format_count

LONGEST_OUTPUT = 2_000
NO_IMAGE = "image left out"
LEFT_OUT = "(left out)"


def select_detail(message: Message, choice: ExportOptions) -> Message | None:
    """Return the message with the chosen detail; None if nothing of it is left."""
    detail, images = choice.detail, choice.images
    if not choice.include_deleted:
        message = without_hidden(message)
    if detail != "full":
        if META in message.flags or not _is_included(message, detail):
            return None
        kept = tuple(
            part for each in message.parts if (part := _select_part(each, detail)) is not None
        )
        if not kept:
            return None
        message = replace(message, parts=kept, todos=None, thinking=None)
    return message if images == "keep" else without_images(message, images)


def _is_included(message: Message, detail: Detail) -> bool:
    """Whether a message is included; those of sub-agents only at levels that include tools."""
    if detail in ("minimal", "user-only") and SIDECHAIN in message.flags:
        return False
    return detail != "user-only" or message.role == "user"


def _select_part(part: Part, detail: Detail) -> Part | None:
    match part:
        case Text():
            return part if part.text.strip() else None
        case Thinking() | UnknownPart():
            return None
        case Event():
            return part if part.kind in COMPACTIONS and detail in ("high", "low") else None
        case Attachment() | Artifact():
            return part if detail in ("high", "low") or _is_spoken(part, detail) else None
        case ToolCall():
            return _select_call(part, detail)
        case ToolResult():
            return _select_result(part, detail)


def _is_spoken(part: Part, detail: Detail) -> bool:
    """Whether a part was said; attachments belong to what users say."""
    return detail == "user-only" and isinstance(part, Attachment)


def _select_call(part: ToolCall, detail: Detail) -> ToolCall | None:
    if detail == "high":
        return part
    return replace(part, extra={}) if detail == "low" else None


def _select_result(part: ToolResult, detail: Detail) -> ToolResult | None:
    if detail == "high":
        return _shorten_result(part)
    # The line of a call shows its result.
    return (
        replace(part, output=(Text(LEFT_OUT),), detail=None, extra={}) if detail == "low" else None
    )


def _shorten_result(result: ToolResult) -> ToolResult:
    """Return a result with its long texts cut."""
    if all(
        not isinstance(each, Text) or len(each.text) <= LONGEST_OUTPUT for each in result.output
    ):
        return result if result.detail is None else replace(result, detail=None)
    output = tuple(
        replace(each, text=_cut_text(each.text)) if isinstance(each, Text) else each
        for each in result.output
    )
    return replace(result, output=output, detail=None)


def _cut_text(text: str) -> str:
    if len(text) <= LONGEST_OUTPUT:
        return text
    return (
        f"{text[:LONGEST_OUTPUT]}\n… {format_count(len(text) - LONGEST_OUTPUT, 'more character')}"
    )


def without_images(message: Message, images: Images) -> Message:
    """Return the message without the bytes of its images; external links stay with `link`."""
    if not any(isinstance(part, Attachment | ToolResult) for part in message.parts):
        return message
    parts = tuple(_drop_image(part, images) for part in message.parts)
    return message if parts == message.parts else replace(message, parts=parts)


def _drop_image(part: Part, images: Images) -> Part:
    if isinstance(part, Attachment) and _is_image(part):
        bare = part.url is not None and (images == "drop" or parse_data_url(part.url) is not None)
        # As text, because not every format has a place for a missing image.
        return Text(f"[{NO_IMAGE}{f': {part.name}' if part.name else ''}]") if bare else part
    if isinstance(part, ToolResult) and any(isinstance(each, Attachment) for each in part.output):
        output = tuple(_drop_image(each, images) for each in part.output)
        return replace(part, output=output)
    return part


def _is_image(part: Attachment) -> bool:
    if (part.media_type or "").lower().startswith("image/"):
        return True
    head = parse_data_url(part.url) if part.url else None
    return head is not None and head.media_type.startswith("image/")
