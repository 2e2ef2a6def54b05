"""Schema 7: replies are identified by API message ids alone, and packed trees know exact copies.

The next import reads all sources again from the archive.
"""

from __future__ import annotations

from talktree.library.database.connection import Database

_READ_AGAIN = "UPDATE sources SET indexed = -1"


def step(db: Database) -> None:
    """Schedule reading all sources again."""
    db.run(_READ_AGAIN)
