"""Schema 4: whether all bytes of a version were compared, and why a file was not imported.

Before, only the last bytes of a file that grew were compared. So all but the first version of each
content become provisional, and the next import compares their files.
"""

from __future__ import annotations

from talktree.library.database.connection import Database

_COLUMN = "ALTER TABLE versions ADD COLUMN verified INTEGER NOT NULL DEFAULT 1"
_TROUBLE = "ALTER TABLE files ADD COLUMN trouble TEXT"
_INDEX = "CREATE INDEX versions_provisional ON versions (generation) WHERE verified = 0"
_DOUBT = """
UPDATE versions SET verified = 0 WHERE length > (
  SELECT min(first.length) FROM versions AS first WHERE first.generation = versions.generation
)
"""


def step(db: Database) -> None:
    """Add the columns, and make versions of files that grew provisional."""
    db.run(_TROUBLE)
    db.run(_COLUMN)
    db.run(_INDEX)
    db.run(_DOUBT)
