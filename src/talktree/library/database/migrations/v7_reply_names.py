"""Schema 7: replies are known by their API message ids alone, and shapes name exact copies.

The next import reads all sources again from the archive.
"""

from __future__ import annotations

from talktree.library.database.connection import Database

_READ_AGAIN = "UPDATE sources SET indexed = -1"


def step(db: Database) -> None:
    """Have all sources read again."""
    db.run(_READ_AGAIN)
