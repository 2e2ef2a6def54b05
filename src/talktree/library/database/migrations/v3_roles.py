"""Schema 3: how many messages of which role a source has.

What was told before does not say it, so the next import tells all sources again from the archive.
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
    """Make the table of roles, and have it filled."""
    db.run(_TABLE)
    db.run(_TELL_AGAIN)
