"""Schema 10: tombstones of forgotten conversations, scrubbed secrets, unfinished erasures.

Older versions did not always overwrite deleted rows, so the first erasure rewrites the database
file.
"""

from __future__ import annotations

from talktree.library.database.connection import Database

_TABLES = (
    """
CREATE TABLE tombstones (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  format TEXT NOT NULL,
  time INTEGER NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0
)
""",
    """
CREATE TABLE tombstone_hashes (
  hash BLOB NOT NULL,
  tombstone INTEGER NOT NULL,
  kind TEXT NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (hash, tombstone)
) WITHOUT ROWID
""",
    """
CREATE TABLE scrubs (
  hash BLOB PRIMARY KEY,
  size INTEGER NOT NULL,
  probe INTEGER NOT NULL,
  time INTEGER NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID
""",
    "CREATE TABLE erasures (source INTEGER PRIMARY KEY)",
)
_SUMS = """
INSERT INTO checksums (name, rows, total) VALUES
  ('tombstones', 0, 0), ('tombstone_hashes', 0, 0), ('scrubs', 0, 0)
"""
_NOT_OVERWRITTEN = """
INSERT INTO about (key, value, checksum) VALUES
  ('vacuum', 'needed', row_checksum(CAST('vacuum' AS BLOB), CAST('needed' AS BLOB)))
"""
_COUNTED = """
UPDATE checksums SET rows = rows + 1,
  total = total + (SELECT checksum FROM about WHERE key = 'vacuum')
WHERE name = 'about'
"""


def step(db: Database) -> None:
    """Add the tables, and note that deleted rows may still be in the file."""
    for statement in _TABLES:
        db.run(statement)
    db.run(_SUMS)
    db.run(_NOT_OVERWRITTEN)
    db.run(_COUNTED)
