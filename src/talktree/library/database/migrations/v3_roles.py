"""Schema 3: how many messages of each role a source has.

The stored facts do not contain it, so the next import extracts all sources again from the archive.
"""

from __future__ import annotations

from talktree.library.database.connection import Database

_TABLE = """
CREATE TABLE roles (
  source INTEGER NOT NULL,
  role INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  PRIMARY KEY (source, role)
) WITHOUT ROWID
"""
_TELL_AGAIN = "UPDATE sources SET indexed = -1"


def step(db: Database) -> None:
    """Create the table of roles, and schedule filling it."""
    db.run(_TABLE)
    db.run(_TELL_AGAIN)
