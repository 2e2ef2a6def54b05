"""The hash that names a chunk."""

from __future__ import annotations

HASH_SIZE = 20


def chunk_hash(data: bytes) -> bytes:
    """The name of a chunk: what has the same one is the same."""
    from hashlib import sha256  # only here: it loads a whole library, and a search needs none

    return sha256(data).digest()[:HASH_SIZE]
