"""Schema 8: measures that formats record about messages are counted, and can be searched.

The next import reads sources again from the archive. Sources that are read line by line have no
such records.
"""

from __future__ import annotations

from talktree.library.database.connection import Database

_READ_AGAIN = "UPDATE sources SET indexed = -1 WHERE lines = 0"


def step(db: Database) -> None:
    """Schedule reading again all sources that are read as a whole."""
    db.run(_READ_AGAIN)
