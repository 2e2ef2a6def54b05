"""Damaged chunks made whole again from files that still hold the same bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator

from talktree.library.archive.codec import packed
from talktree.library.archive.hashes import chunk_hash
from talktree.library.archive.threads import Crew
from talktree.library.archive.verify import damaged_chunks
from talktree.library.database.connection import Database

_HASH = "SELECT hash, size FROM chunks WHERE id = ?"
_PLACES = """
SELECT files.path, extents.start
FROM extents JOIN generations ON generations.id = extents.generation
JOIN files ON files.id = generations.file WHERE extents.chunk = ?
"""
_COPIES = "SELECT id FROM chunks WHERE base = ?"
_RENEW = "UPDATE chunks SET data = ?, base = NULL WHERE id = ?"


def mend_chunks(db: Database, crew: Crew) -> int:
    """Put back the data of damaged chunks where a file still has it; how many those were.

    A chunk that is compressed against one that stays damaged gets data of its own.
    """
    mended = 0
    while found := damaged_chunks(db, crew):
        now = sum(_mended(db, chunk) or _copies_mended(db, chunk) for chunk in found)
        if not now:
            break
        mended += now
    return mended


def _copies_mended(db: Database, chunk: int) -> int:
    return sum(_mended(db, int(row[0])) for row in db.read(_COPIES, (chunk,)))


def _mended(db: Database, chunk: int) -> bool:
    row = db.one(_HASH, (chunk,))
    if row is None:
        return False
    for data in _candidates(db, chunk, row[1]):
        if chunk_hash(data) == row[0]:
            db.run(_RENEW, (packed(data), chunk))
            return True
    return False


def _candidates(db: Database, chunk: int, size: int) -> Iterator[bytes]:
    """What is now in the files at the places where the chunk was."""
    for path, start in db.read(_PLACES, (chunk,)):
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            yield os.pread(fd, size, start)
        except OSError:
            continue
        finally:
            os.close(fd)
