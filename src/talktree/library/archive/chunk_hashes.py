"""The hash that names a chunk."""

from __future__ import annotations

HASH_SIZE = 20


def chunk_hash(data: bytes) -> bytes:
    """Return the hash of a chunk; equal hashes mean equal bytes."""
    from hashlib import sha256  # only here: it loads a whole library, and a search needs none

    return sha256(data).digest()[:HASH_SIZE]
