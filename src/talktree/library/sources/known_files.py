"""Finding files on the disk that are archived unchanged."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from talktree.library.database.connection import Database

_FILE = """
SELECT files.size, files.modified, generations.length
FROM files JOIN generations ON generations.id = files.generation WHERE files.path = ?
"""


def is_archived(db: Database, path: Path) -> bool:
    """Whether the archive has a file with its present size and modification time."""
    row = db.read_one(_FILE, (os.path.abspath(os.fsencode(path)),))
    if row is None:
        return False
    about = os.stat(path)
    return tuple(row) == (about.st_size, about.st_mtime_ns, about.st_size)
