"""New ids for messages that have none, or one that is taken: the same each time."""

from __future__ import annotations

from hashlib import blake2b
from uuid import UUID

from talktree.formats.talk import Talk

NOTE = "minted"


def is_wanted(talk: Talk) -> bool:
    """Whether the format's own programs want an id on every message."""
    can = talk.format.can
    return can.ids == "uuid" or can.everything


def minted(talk: Talk, position: int) -> str:
    """An id nobody has, made from the name the skeleton gave it and the conversation's."""
    bones = talk.bones
    if talk.format.can.ids == "uuid":
        seed = f"{talk.id}\0{bones.ids[position]}".encode("utf-8", "surrogatepass")
        return str(UUID(bytes=blake2b(seed, digest_size=16).digest(), version=4))
    # `m#3` becomes `m-3`, and `@5` becomes `message-5`.
    number = bones.ids[position].rpartition("#")[2].lstrip("@").rstrip("'")
    found = f"{bones.own_id(position) or 'message'}-{number}"
    given: set[str] = talk.notes.setdefault(NOTE, set())
    while found in bones.by_id or found in given:
        found += "'"
    given.add(found)
    return found
