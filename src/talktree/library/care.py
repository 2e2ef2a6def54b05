"""Checking the database and the archive of a library."""

from __future__ import annotations

import os
from collections.abc import Iterator

from talktree.errors import TalktreeError
from talktree.library.archive.restore import RestorableLibrary
from talktree.library.archive.verify import ArchiveProblem
from talktree.library.database.connection import Database
from talktree.library.database.database_errors import damage_error
from talktree.library.database.row_checksums import HINTS, find_mismatches
from talktree.text.escape import escape_line

__all__ = ["COPY", "REINDEX", "ArchiveProblem", "check_storage"]

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


def check_storage(library: RestorableLibrary, *, read_data: bool = False) -> list[ArchiveProblem]:
    """Return the problems of a library's database and archive; nothing is changed."""
    found: list[ArchiveProblem] = []
    structure: list[ArchiveProblem] = []
    try:
        structure += _check_structure(library.db, read_data=read_data)
    except TalktreeError as error:
        structure.append(ArchiveProblem("database", error.message, error.hint or ""))
    for look in (
        _check_checksums(library.db),
        # A damaged structure may hide damaged data, and the repair depends on that.
        _check_archive(library, read_data=read_data or bool(structure)),
    ):
        try:
            found.extend(look)
        except TalktreeError as error:
            # Damage that prevents further checks is itself the finding.
            found.append(ArchiveProblem("database", error.message, error.hint or ""))
    if structure and not found and library.db.key is None:
        # Everything that cannot be rebuilt is valid. In an encrypted file, a damaged page cannot be
        # read, not even to write the others again.
        structure = [each._replace(hint=REINDEX) for each in structure]
    if any(each.kind in ("checksum", "archive", "database") for each in found):
        # Unreferenced chunks may belong to a damaged row.
        found = [each._replace(hint=COPY) if each.kind == "unused" else each for each in found]
    return [*structure, *found]


def _check_structure(db: Database, *, read_data: bool) -> Iterator[ArchiveProblem]:
    for what in db.check_structure(thorough=read_data):
        error = damage_error(db.path, what)
        yield ArchiveProblem("database", error.message, error.hint or "")


def _check_checksums(db: Database) -> Iterator[ArchiveProblem]:
    """Yield rows that were not written by Talktree, or were changed since."""
    with db.snapshot():
        for table, key in find_mismatches(db):
            hint = REINDEX if table == HINTS else COPY
            if key is None:
                yield ArchiveProblem(
                    "checksum", f"rows of the table {table} are missing or added", hint
                )
                continue
            shown = escape_line(", ".join(map(str, key)))
            path = _find_source_path(db, table, key)
            what = f"row {shown} of the table {table} is not what was written{path}"
            yield ArchiveProblem("checksum", what, hint)


def _find_source_path(db: Database, table: str, key: tuple[object, ...]) -> str:
    """Return the source that a row belongs to, as far as it is known."""
    sql = _PATHS.get(table)
    row = None if sql is None else db.read_one(sql, key[:1])
    return "" if row is None else f": it belongs to {escape_line(os.fsdecode(row[0]))}"


def _check_archive(library: RestorableLibrary, *, read_data: bool) -> Iterator[ArchiveProblem]:
    with library.db.snapshot():
        yield from library.archive.verify(read_data=read_data)
