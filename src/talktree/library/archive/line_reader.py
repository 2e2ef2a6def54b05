"""Reading single lines from the archive, each with one statement.

Other cases (a line across chunks, a damaged chunk) are left to `Archive.slice`. Chunks are not
cached: the next hits are nearly always in others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from talktree.library.archive.codec import decompress_chunk
from talktree.library.database.connection import Database

_CHUNK = """
SELECT e.start, c.data, b.data FROM extents AS e JOIN chunks AS c ON c.id = e.chunk
LEFT JOIN chunks AS b ON b.id = c.base
WHERE e.generation = ? AND e.start <= ? ORDER BY e.start DESC LIMIT 1
"""


class LinePlace(NamedTuple):
    """The place where a line begins."""

    generation: int
    at: int


def read_lines_at(db: Database, places: Sequence[LinePlace]) -> dict[LinePlace, bytes]:
    """Return the lines at these places, as far as one statement can read them."""
    found: dict[LinePlace, bytes] = {}
    for place in places:
        row = db.read_one(_CHUNK, place)
        line = None if row is None else _read_line(place.at - row[0], row[1], row[2])
        if line:
            found[place] = line
    return found


def _read_line(offset: int, data: bytes, base: bytes | None) -> bytes | None:
    """Return the line at an offset of a chunk; None if it is incomplete or cannot be unpacked."""
    try:
        chunk = decompress_chunk(data, None if base is None else decompress_chunk(base))
    except ValueError:
        return None
    end = chunk.find(b"\n", offset) + 1
    return chunk[offset:end] if end else None
