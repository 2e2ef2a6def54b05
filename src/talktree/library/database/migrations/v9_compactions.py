"""Schema 9: compactions are counted, and what a restoration brought back is in the context again.

The next import reads sources again from the archive.
"""

from __future__ import annotations

from talktree.library.database.connection import Database

_READ_AGAIN = "UPDATE sources SET indexed = -1"


def step(db: Database) -> None:
    """Have all sources read again."""
    db.run(_READ_AGAIN)
