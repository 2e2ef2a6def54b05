"""Whether the database and the archive of a library are whole."""

from __future__ import annotations

import os
from collections.abc import Iterator

from talktree.errors import TalktreeError
from talktree.library.archive.restore import Holds
from talktree.library.archive.verify import Trouble
from talktree.library.database.connection import Database
from talktree.library.database.database_errors import damaged
from talktree.library.database.row_checksums import HINTS, mismatches
from talktree.text.escape import visible_line

__all__ = ["COPY", "REINDEX", "Trouble", "check"]

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
    if structure and not found and library.db.key is None:
        # Everything that cannot be made again is whole. Of an encrypted file no damaged page can
        # be read, also not to write the others again.
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
