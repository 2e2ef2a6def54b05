"""Ids in the form a format demands, made from the old ones so that they are the same each time."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from uuid import UUID

from talktree.formats.base import Format
from talktree.formats.engine import Origin

HEAD = 4096
MOST_HEADS = 64
"""How many bytes of how many files identify a source, beside the names and sizes of all."""

_UUID4 = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.ASCII
)


def is_uuid4(text: str) -> bool:
    """Whether it is a random UUID in the usual spelling."""
    return _UUID4.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def uuid_for(name: str, conversation: str) -> str:
    """A UUID that stands for a name in a conversation; one that is a UUID stands for itself."""
    if is_uuid4(name):
        return name
    seed = f"{conversation}\0{name}".encode("utf-8", "surrogatepass")
    return str(UUID(bytes=blake2b(seed, digest_size=16).digest(), version=4))


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
