"""A message as it is in its source: the bytes of its record, and where they are."""

from __future__ import annotations

import msgspec

from talktree.errors import TalktreeError
from talktree.formats.engine import DocumentOrigin
from talktree.model.message import Message
from talktree.text.json.encode import encode_json
from talktree.views.html.rendering import render_code
from talktree.web.documents.open_conversation import OpenConversation
from talktree.web.schemas.transcript import Raw

MOST = 200_000
"""Maximum number of characters of a record that are sent."""
_LANGUAGES = {"jsonl": "json", "json": "json", "xml": "xml", "md": "markdown"}


def read_raw(opened: OpenConversation, id: str) -> Raw:
    """Return the record of a message; for an edited message, the record that would be written."""
    conversation = opened.original_conversation
    position = opened.conversation.find_position(id)
    number = conversation.members[position]
    origin = conversation.store
    assert isinstance(origin, DocumentOrigin)
    if number in conversation.changed:
        return _render_edited(opened, origin, position)
    which, index = origin.sheet_of(number)
    sheet = origin.sheets[which]
    return _to_raw(sheet.path, sheet.line_of(index), sheet.record(index).raw)


def _render_edited(opened: OpenConversation, origin: DocumentOrigin, position: int) -> Raw:
    conversation = opened.original_conversation
    entry = conversation.entry(position)
    number = conversation.members[position]
    path = origin.path_of(number) if number >= 0 else conversation.main_file
    base = origin.record_as_read(number) if number >= 0 else None
    try:
        native = origin.format.put(origin.format.complete(entry) if base is None else entry, base)
        data = encode_json(native)
    except (TalktreeError, TypeError, ValueError):
        data = (entry.text if isinstance(entry, Message) else "").encode("utf-8", "replace")
    return _to_raw(path, None, data)


def _to_raw(path: str, line: int | None, data: bytes) -> Raw:
    text = data[: 4 * MOST].decode("utf-8", "replace")
    kept = text[:MOST]
    cut = max(0, len(text) - MOST, len(data) - 4 * MOST)
    language = _LANGUAGES.get(path.rpartition(".")[2].lower(), "")
    laid_out = _pretty_print(data) if language == "json" and not cut else kept
    return Raw(
        path=path,
        line=line,
        size=len(data),
        html=render_code(laid_out, language),
        text=kept,
        cut=cut,
    )


def _pretty_print(data: bytes) -> str:
    """Return JSON with one member per line; other text is returned unchanged."""
    try:
        return msgspec.json.format(data.strip(), indent=2).decode("utf-8", "replace")
    except (ValueError, RecursionError):
        return data.decode("utf-8", "replace")
