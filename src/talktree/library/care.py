"""Looking after a library: is it whole, make the caches again, let go of a conversation."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.errors import TalktreeError
from talktree.library.archive.restore import Holds
from talktree.library.archive.sweep import drop_unused
from talktree.library.archive.verify import Trouble
from talktree.library.database.connection import Database
from talktree.library.database.failures import damaged

__all__ = ["Trouble", "check", "forget"]

_CHUNKS = """
SELECT DISTINCT extents.chunk
FROM files JOIN generations ON generations.file = files.id
JOIN extents ON extents.generation = generations.id WHERE files.source = ?
"""
_GENERATIONS = """
SELECT generations.id FROM files JOIN generations ON generations.file = files.id
WHERE files.source = ?
"""
_FORGET_GENERATION = (
    "DELETE FROM extents WHERE generation = ?",
    "DELETE FROM versions WHERE generation = ?",
    "DELETE FROM generations WHERE id = ?",
)
_FORGET_SOURCE = (
    "DELETE FROM replies WHERE source = ?",
    "DELETE FROM calls WHERE source = ?",
    "DELETE FROM measures WHERE source = ?",
    "DELETE FROM pieces WHERE source = ?",
    "DELETE FROM roles WHERE source = ?",
    "DELETE FROM operations WHERE source = ?",
    "DELETE FROM branch_names WHERE source = ?",
    "DELETE FROM files WHERE source = ?",
    "DELETE FROM sources WHERE id = ?",
)


def check(library: Holds, *, read_data: bool = False) -> list[Trouble]:
    """What is wrong with the database and the archive of a library; nothing is changed."""
    found: list[Trouble] = []
    for look in (
        _database(library.db, read_data=read_data),
        _archive(library, read_data=read_data),
    ):
        try:
            found.extend(look)
        except TalktreeError as error:
            # Damage that keeps from looking further is what was looked for.
            found.append(Trouble("database", error.message, error.hint or ""))
    return found


def _database(db: Database, *, read_data: bool) -> Iterator[Trouble]:
    for what in db.structure(thorough=read_data):
        error = damaged(db.path, what)
        yield Trouble("database", error.message, error.hint or "")


def _archive(library: Holds, *, read_data: bool) -> Iterator[Trouble]:
    with library.db.snapshot():
        yield from library.archive.verify(read_data=read_data)


def forget(library: Holds, source: int) -> int:
    """Remove a source from database and archive; how many bytes of the file are free for others.

    Chunks that other sources have too, or that their chunks are compressed against, stay. The file
    itself gets smaller, and forgets what was in it, by `Database.shrink` after the transaction.
    """
    db = library.db
    before = db.used()
    with db.transaction(durable=True):
        # What is queued may refer to a chunk that is about to go.
        library.archive.flush()
        chunks = [int(row[0]) for row in db.read(_CHUNKS, (source,))]
        for (generation,) in db.read(_GENERATIONS, (source,)):
            for statement in _FORGET_GENERATION:
                db.run(statement, (generation,))
        for statement in _FORGET_SOURCE:
            db.run(statement, (source,))
        drop_unused(db, chunks)
    return max(0, before - db.used())
