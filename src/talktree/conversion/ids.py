"""Ids in the form a format demands, made from the old ones so that they are the same each time."""

from __future__ import annotations

from hashlib import blake2b

from talktree.formats.engine import Origin
from talktree.formats.format import Format
from talktree.text.uuids import is_uuid4 as is_uuid4
from talktree.text.uuids import uuid_for as uuid_for

HEAD = 4096
MOST_HEADS = 64
"""How many bytes of how many files identify a source, beside the names and sizes of all."""


def id_for(name: str, conversation: str, target: Format) -> str:
    """The id that a message of a conversation gets in another format."""
    return (
        uuid_for(name, conversation)
        if target.can.ids == "uuid"
        else target.id_for(name, conversation)
    )


def source_id(origin: Origin) -> str:
    """Identifies a source: by its name, the files with its records, and how these begin."""
    state = blake2b(origin.source.name.encode("utf-8", "surrogatepass"), digest_size=5)
    sheets = sorted((sheet for sheet in origin.sheets if len(sheet)), key=lambda each: each.path)
    for number, sheet in enumerate(sheets):
        content = sheet.content
        state.update(f"\0{sheet.path}\0{content.size}\0".encode("utf-8", "surrogatepass"))
        if number < MOST_HEADS:
            state.update(content.read(0, HEAD))
    return state.hexdigest()
