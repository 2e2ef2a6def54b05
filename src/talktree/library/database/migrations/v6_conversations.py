"""Schema 6: a row for every conversation of a source.

Until the next import has extracted all sources again from the archive, each source has one row.
"""

from __future__ import annotations

from talktree.library.database.connection import Database

_TABLE = """
CREATE TABLE conversations (
  source INTEGER NOT NULL,
  number INTEGER NOT NULL,
  start INTEGER NOT NULL,
  key TEXT,
  native TEXT,
  title TEXT,
  first INTEGER,
  last INTEGER,
  messages INTEGER NOT NULL,
  threads INTEGER NOT NULL,
  branches INTEGER NOT NULL,
  sidechains INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  PRIMARY KEY (source, number)
) WITHOUT ROWID
"""
_INDEXES = (
    "CREATE INDEX conversations_native ON conversations (native)",
    "CREATE INDEX sources_parent ON sources (parent) WHERE parent IS NOT NULL",
)
_FILL = """
INSERT INTO conversations (source, number, start, native, title, first, last,
  messages, threads, branches, sidechains, errors)
SELECT id, 0, 0, native, title, first, last, messages, min(branches, 1), branches, sidechains,
  errors
FROM sources
"""
_TELL_AGAIN = "UPDATE sources SET indexed = -1"


def step(db: Database) -> None:
    """Create the table of conversations, and schedule filling it."""
    db.run(_TABLE)
    for statement in _INDEXES:
        db.run(statement)
    db.run(_FILL)
    db.run(_TELL_AGAIN)
