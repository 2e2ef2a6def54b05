"""Schema 5: checksums for what cannot be rebuilt from the archive, and for the full text."""

from __future__ import annotations

from talktree.library.database.connection import Database

_SUMS = """
CREATE TABLE checksums (
  name TEXT PRIMARY KEY,
  rows INTEGER NOT NULL,
  total INTEGER NOT NULL
) WITHOUT ROWID
"""
_FULLTEXT = """
CREATE TABLE fulltext_files (
  name TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) WITHOUT ROWID
"""
_COLUMNS = {
    "about": "CAST(key AS BLOB), CAST(value AS BLOB)",
    "places": "id, path, added",
    "sources": "id, path, CAST(format AS BLOB), CAST(state AS BLOB), CAST(trouble AS BLOB), lines,"
    " kept_until",
    "files": "id, source, path, size, modified, changed, inode, device, CAST(state AS BLOB),"
    " generation, guard, CAST(trouble AS BLOB)",
    "generations": "id, file, number, length, began",
    "versions": "generation, length, seen, modified, verified",
    "chunks": "id, hash, size, base",
    "extents": "generation, start, chunk, size",
    "landmarks": "mark, chunk",
    "operations": "id, source, time, CAST(kind AS BLOB), value",
    "branch_names": "source, CAST(conversation AS BLOB), CAST(leaf AS BLOB), CAST(name AS BLOB),"
    " time",
}


def step(db: Database) -> None:
    """Add the columns and tables, and the checksums of the existing rows."""
    db.run(_SUMS)
    db.run(_FULLTEXT)
    for name, columns in _COLUMNS.items():
        db.run(f"ALTER TABLE {name} ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0")
        db.run(f"UPDATE {name} SET checksum = row_checksum({columns})")
        db.run(
            f"INSERT INTO checksums SELECT '{name}', count(*), coalesce(sum(checksum), 0)"
            f" FROM {name}"
        )
