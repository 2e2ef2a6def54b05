"""Ids in the documented form: the milliseconds, a dash, sixteen random bytes in hex.

Older files have bare milliseconds, or milliseconds and five letters; any text is read as an id.
"""

from __future__ import annotations

RANDOM_BYTES = 16


def new_id(millis: int, random_bytes: bytes) -> str:
    """Return an id from a time and sixteen random bytes; the same ones give the same id."""
    if len(random_bytes) != RANDOM_BYTES:
        raise ValueError(f"{len(random_bytes)} random bytes instead of {RANDOM_BYTES}")
    return f"{millis}-{random_bytes.hex()}"
