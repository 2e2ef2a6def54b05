"""Deterministic UUIDs for names."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from uuid import UUID

_UUID4 = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.ASCII
)


def is_uuid4(text: str) -> bool:
    """Whether it is a random UUID in the usual spelling."""
    return _UUID4.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def make_uuid(name: str, conversation: str) -> str:
    """Return a UUID for a name in a conversation; a name that is a UUID is returned unchanged."""
    if is_uuid4(name):
        return name
    seed = f"{conversation}\0{name}".encode("utf-8", "surrogatepass")
    return str(UUID(bytes=blake2b(seed, digest_size=16).digest(), version=4))
