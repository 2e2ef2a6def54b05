"""Chunks that nothing refers to any more."""

from __future__ import annotations

from collections.abc import Iterable

from talktree.library.database.connection import Database

_IS_USED = """
SELECT EXISTS (SELECT 1 FROM extents WHERE chunk = ?)
OR EXISTS (SELECT 1 FROM chunks WHERE base = ?)
"""
_BASE = "SELECT base FROM chunks WHERE id = ?"
_DELETE = "DELETE FROM chunks WHERE id = ?"
_DELETE_MARKS = "DELETE FROM landmarks WHERE chunk = ?"
_LOST_EXTENTS = "DELETE FROM extents WHERE generation NOT IN (SELECT id FROM generations)"
_LOST_VERSIONS = "DELETE FROM versions WHERE generation NOT IN (SELECT id FROM generations)"
UNUSED = """
SELECT id FROM chunks
WHERE NOT EXISTS (SELECT 1 FROM extents WHERE extents.chunk = chunks.id)
AND NOT EXISTS (SELECT 1 FROM chunks AS other WHERE other.base = chunks.id)
"""


def drop_unused(db: Database, chunks: Iterable[int]) -> int:
    """Delete those of some chunks that no file holds and no chunk needs; how many those were."""
    dropped = 0
    todo = list(chunks)
    while todo:
        chunk = todo.pop()
        if db.read(_IS_USED, (chunk, chunk))[0][0]:
            continue
        row = db.one(_BASE, (chunk,))
        if row is None:
            continue
        db.run(_DELETE_MARKS, (chunk,))
        db.run(_DELETE, (chunk,))
        dropped += 1
        if row[0] is not None:
            todo.append(row[0])
    return dropped


def sweep(db: Database) -> int:
    """Delete all chunks that nothing refers to; how many those were."""
    with db.transaction():
        db.run(_LOST_EXTENTS)
        db.run(_LOST_VERSIONS)
        return drop_unused(db, [int(row[0]) for row in db.read(UNUSED)])
