"""Schema 2: branches can have names."""

from __future__ import annotations

from talktree.library.database.connection import Database

_TABLE = """
CREATE TABLE branch_names (
  source INTEGER NOT NULL,
  conversation TEXT NOT NULL,
  leaf TEXT NOT NULL,
  name TEXT NOT NULL,
  time INTEGER NOT NULL,
  PRIMARY KEY (source, conversation, leaf)
) WITHOUT ROWID
"""


def step(db: Database) -> None:
    """Create the table of names."""
    db.run(_TABLE)
