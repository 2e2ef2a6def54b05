"""Joining many small chunks at the end of a generation, as files grow by a few lines at a time."""

from __future__ import annotations

from talktree.library.archive.chunk_hashes import chunk_hash
from talktree.library.archive.chunks import CHUNK, LEAST
from talktree.library.archive.codec import compress_chunk
from talktree.library.archive.reader import Reader
from talktree.library.archive.verify import drop_unused_chunks
from talktree.library.database.connection import Database, Row

MANY = 32
"""Number of small chunks that are packed even if together they do not fill one."""
_LOOKED_AT = 4 * MANY

_TAIL = """
SELECT start, chunk, size FROM extents WHERE generation = ? ORDER BY start DESC LIMIT ?
"""
_DELETE = "DELETE FROM extents WHERE generation = ? AND start >= ?"
_ADD_EXTENT = "INSERT INTO extents (generation, start, chunk, size) VALUES (?, ?, ?, ?)"
_FIND = "SELECT id FROM chunks WHERE hash = ?"
_ADD_CHUNK = "INSERT INTO chunks (hash, size, data) VALUES (?, ?, ?)"
_MOVE_MARKS = """
INSERT INTO landmarks (mark, chunk) SELECT mark, ? FROM landmarks WHERE chunk = ?
ON CONFLICT DO NOTHING
"""


def pack_tail(db: Database, generation: int, reader: Reader) -> bool:
    """Pack the end of a generation if that is worthwhile, and return whether it was."""
    tail = _select_small_extents(db.read(_TAIL, (generation, _LOOKED_AT)))
    if len(tail) < 2 or (len(tail) < MANY and sum(row[2] for row in tail) < CHUNK):
        return False
    start = tail[0][0]
    data = b"".join(reader.chunk(row[1]) for row in tail)
    with db.transaction():
        chunk = _store_chunk(db, data)
        for row in tail:
            db.run(_MOVE_MARKS, (chunk, row[1]))
        db.run(_DELETE, (generation, start))
        db.run(_ADD_EXTENT, (generation, start, chunk, len(data)))
        drop_unused_chunks(db, {row[1] for row in tail} - {chunk})
    reader.clear_cache()
    return True


def _select_small_extents(backwards: list[Row]) -> list[Row]:
    """Return the small extents at the end, in order."""
    tail = []
    for row in backwards:
        if row[2] >= LEAST:
            break
        tail.append(row)
    return tail[::-1]


def _store_chunk(db: Database, data: bytes) -> int:
    hash = chunk_hash(data)
    found = db.read_one(_FIND, (hash,))
    return int(found[0]) if found else db.run(_ADD_CHUNK, (hash, len(data), compress_chunk(data)))
