"""Looking after a library: is it whole, make the caches again, let go of a conversation."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from talktree.errors import TalktreeError
from talktree.library.archive.restore import Holds
from talktree.library.archive.sweep import drop_unused
from talktree.library.archive.verify import Trouble
from talktree.library.database.checksums import HINTS, mismatches
from talktree.library.database.connection import Database
from talktree.library.database.failures import damaged
from talktree.text.visible import visible_line

__all__ = ["COPY", "REINDEX", "Trouble", "check", "forget", "forget_files"]

REINDEX = "`talktree library reindex` makes it again from the archive"
COPY = (
    "put back a copy of the library if you have one; `talktree library restore` still gives what "
    "is intact"
)
_PATHS = {
    "sources": "SELECT path FROM sources WHERE id = ?",
    "files": "SELECT path FROM files WHERE id = ?",
    "branch_names": "SELECT path FROM sources WHERE id = ?",
    "operations": """
SELECT sources.path FROM operations JOIN sources ON sources.id = operations.source
WHERE operations.id = ?""",
}

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
    "DELETE FROM conversations WHERE source = ?",
    "DELETE FROM operations WHERE source = ?",
    "DELETE FROM branch_names WHERE source = ?",
    "DELETE FROM files WHERE source = ?",
    "DELETE FROM sources WHERE id = ?",
)


_FILE_CHUNKS = """
SELECT DISTINCT extents.chunk
FROM generations JOIN extents ON extents.generation = generations.id WHERE generations.file = ?
"""
_FILE_GENERATIONS = "SELECT id FROM generations WHERE file = ?"
_FORGET_FILE = "DELETE FROM files WHERE id = ? AND source = 0"


def check(library: Holds, *, read_data: bool = False) -> list[Trouble]:
    """What is wrong with the database and the archive of a library; nothing is changed."""
    found: list[Trouble] = []
    structure: list[Trouble] = []
    try:
        structure += _structure(library.db, read_data=read_data)
    except TalktreeError as error:
        structure.append(Trouble("database", error.message, error.hint or ""))
    for look in (
        _checksums(library.db),
        # A damaged structure may hide damaged data, and what to do depends on that.
        _archive(library, read_data=read_data or bool(structure)),
    ):
        try:
            found.extend(look)
        except TalktreeError as error:
            # Damage that keeps from looking further is what was looked for.
            found.append(Trouble("database", error.message, error.hint or ""))
    if structure and not found:
        # Everything that cannot be made again is whole.
        structure = [each._replace(hint=REINDEX) for each in structure]
    if any(each.kind in ("checksum", "archive", "database") for each in found):
        # What seems to belong to nothing may be what a damaged row spoke of.
        found = [each._replace(hint=COPY) if each.kind == "unused" else each for each in found]
    return [*structure, *found]


def _structure(db: Database, *, read_data: bool) -> Iterator[Trouble]:
    for what in db.structure(thorough=read_data):
        error = damaged(db.path, what)
        yield Trouble("database", error.message, error.hint or "")


def _checksums(db: Database) -> Iterator[Trouble]:
    """Rows that were not written here, or were changed since."""
    with db.snapshot():
        for table, key in mismatches(db):
            hint = REINDEX if table == HINTS else COPY
            if key is None:
                yield Trouble("checksum", f"rows of the table {table} are missing or added", hint)
                continue
            shown = visible_line(", ".join(map(str, key)))
            path = _path(db, table, key)
            what = f"row {shown} of the table {table} is not what was written{path}"
            yield Trouble("checksum", what, hint)


def _path(db: Database, table: str, key: tuple[object, ...]) -> str:
    """The source that a row belongs to, as far as it can be known."""
    sql = _PATHS.get(table)
    row = None if sql is None else db.one(sql, key[:1])
    return "" if row is None else f": it belongs to {visible_line(os.fsdecode(row[0]))}"


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


def forget_files(library: Holds, files: Iterable[int]) -> None:
    """Remove files that have no source, by their numbers."""
    db = library.db
    with db.transaction(durable=True):
        library.archive.flush()
        for file in files:
            chunks = [int(row[0]) for row in db.read(_FILE_CHUNKS, (file,))]
            for (generation,) in db.read(_FILE_GENERATIONS, (file,)):
                for statement in _FORGET_GENERATION:
                    db.run(statement, (generation,))
            db.run(_FORGET_FILE, (file,))
            drop_unused(db, chunks)
