"""Chunks that nothing refers to any more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from talktree.library.archive.codec import packed, packed_against, unpacked
from talktree.library.database.connection import Database

_IS_USED = """
SELECT EXISTS (SELECT 1 FROM extents WHERE chunk = ?)
OR EXISTS (SELECT 1 FROM chunks WHERE base = ?)
"""
_BASE = "SELECT base FROM chunks WHERE id = ?"
_IN_FILES = "SELECT 1 FROM extents WHERE chunk = ? LIMIT 1"
_DATA = "SELECT data, base FROM chunks WHERE id = ?"
_AGAINST = "SELECT id, data FROM chunks WHERE base = ? ORDER BY id"
_SET_DATA = "UPDATE chunks SET data = ?, base = ? WHERE id = ?"
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


def erase_unused(db: Database, chunks: Sequence[int]) -> None:
    """Delete those of some chunks that no file holds, also if others are compressed against them.

    Those others are compressed again without them. A chunk that cannot be read any more keeps its
    base: it can still be compared with a copy of the library.
    """
    for chunk in chunks:
        if db.one(_IN_FILES, (chunk,)) is None:
            _release(db, chunk)
    drop_unused(db, chunks)


def _release(db: Database, chunk: int) -> None:
    """Compress what is compressed against a chunk without it: one alone, the rest against that."""
    row = db.one(_DATA, (chunk,))
    others = db.read(_AGAINST, (chunk,))
    if row is None or not others:
        return
    base = unpacked(row[0])
    first: tuple[int, bytes] | None = None
    for id, data in others:
        try:
            whole = unpacked(data, base)
        except ValueError:
            continue  # damaged before; `check` reports it
        if first is None:
            first = (id, whole)
            db.run(_SET_DATA, (packed(whole), None, id))
            continue
        new, against = packed_against(whole, first[1])
        db.run(_SET_DATA, (new, first[0] if against else None, id))


def sweep(db: Database) -> int:
    """Delete all chunks that nothing refers to; how many those were."""
    with db.transaction():
        db.run(_LOST_EXTENTS)
        db.run(_LOST_VERSIONS)
        return drop_unused(db, [int(row[0]) for row in db.read(UNUSED)])
