"""Schema 9: compactions are counted, and restored messages are in the context again.

The next import reads sources again from the archive.
"""

from __future__ import annotations

from talktree.library.database.connection import Database

_READ_AGAIN = "UPDATE sources SET indexed = -1"


def step(db: Database) -> None:
    """Schedule reading all sources again."""
    db.run(_READ_AGAIN)
