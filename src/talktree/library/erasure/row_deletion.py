"""Deleting all rows of sources from the archive, the index and the statistics."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from talktree.library.archive.verify import erase_unused_chunks
from talktree.library.sources.changes import OTHER

if TYPE_CHECKING:
    from talktree.library.archive.restore import RestorableLibrary
    from talktree.library.database.connection import Database

_FILES = "SELECT id, path FROM files WHERE source = ?"
_FILE_AT = "SELECT id, path FROM files WHERE path = ? AND source = 0"
_CHUNKS = """
SELECT DISTINCT extents.chunk
FROM generations JOIN extents ON extents.generation = generations.id WHERE generations.file = ?
"""
_GENERATIONS = "SELECT id FROM generations WHERE file = ?"
_FORGET_GENERATION = (
    "DELETE FROM extents WHERE generation = ?",
    "DELETE FROM versions WHERE generation = ?",
    "DELETE FROM generations WHERE id = ?",
)
_FORGET_FILE = "DELETE FROM files WHERE id = ?"
_FORGET_SOURCE = (
    "DELETE FROM replies WHERE source = ?",
    "DELETE FROM calls WHERE source = ?",
    "DELETE FROM measures WHERE source = ?",
    "DELETE FROM pieces WHERE source = ?",
    "DELETE FROM roles WHERE source = ?",
    "DELETE FROM conversations WHERE source = ?",
    "DELETE FROM operations WHERE source = ?",
    "DELETE FROM branch_names WHERE source = ?",
    "DELETE FROM sources WHERE id = ?",
)
_FORGET_PLACE = "DELETE FROM places WHERE path = ?"
_IS_KNOWN_BELOW = "SELECT 1 FROM files WHERE path > ? AND path < ? LIMIT 1"
_FORGET_FOLDER = "DELETE FROM files WHERE path = ? AND source = 0 AND state = ?"


def delete_sources(
    library: RestorableLibrary, sources: Sequence[int], files: Iterable[int] = ()
) -> None:
    """Delete sources, and files that have no source, in the caller's transaction.

    Chunks that other sources also have stay. Chunks that others are only compressed against do not.
    """
    db = library.db
    library.archive.flush()  # queued chunks may refer to a chunk that is about to be deleted
    chunks: dict[int, None] = {}
    gone = [(int(id), path) for source in sources for id, path in db.read(_FILES, (source,))]
    for file in [*files, *(id for id, _ in gone)]:
        chunks.update(dict.fromkeys(int(row[0]) for row in db.read(_CHUNKS, (file,))))
        _delete_file(db, file)
    for source in sources:
        for statement in _FORGET_SOURCE:
            db.run(statement, (source,))
    erase_unused_chunks(db, [*chunks])
    library.archive.clear_cache()


def find_loose_files(db: Database, paths: Iterable[bytes]) -> list[int]:
    """Return the files at some paths that have no source."""
    return [int(row[0]) for path in paths for row in db.read(_FILE_AT, (path,))]


def delete_paths(db: Database, paths: Iterable[bytes]) -> None:
    """Delete other rows with the paths of sources: places, and folders that are now empty."""
    for path in paths:
        db.run(_FORGET_PLACE, (path,))
        above = os.path.dirname(path)
        while len(above) > 1 and db.read_one(_IS_KNOWN_BELOW, (above + b"/", above + b"0")) is None:
            db.run(_FORGET_FOLDER, (above, OTHER))
            above = os.path.dirname(above)


def _delete_file(db: Database, file: int) -> None:
    for (generation,) in db.read(_GENERATIONS, (file,)):
        for statement in _FORGET_GENERATION:
            db.run(statement, (generation,))
    db.run(_FORGET_FILE, (file,))
