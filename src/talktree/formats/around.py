"""What stands around a record's own bytes in its file."""

from __future__ import annotations

from typing import NamedTuple


class Around(NamedTuple):
    """What stands around a record's own bytes, so that the file can be put together again."""

    gap: bytes = b""
    """Before it."""
    hole: int | None = None
    """Where in its bytes the records nested in it stand."""
    tail: bytes = b""
    """Behind the last record nested in it."""
    depth: int = 0
