"""How much a library holds, and how much room that takes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from talktree.library.fulltext.place import FOLDER

if TYPE_CHECKING:
    from talktree.library.library import Library

_MADE = "SELECT value FROM about WHERE key = 'made'"
_IMPORTED = "SELECT value FROM about WHERE key = 'imported'"
_STATES = "SELECT state, count(*) FROM sources GROUP BY state"
_RAW = "SELECT coalesce(sum(length), 0) FROM generations"
_ARCHIVE = "SELECT coalesce(sum(length(data)), 0) FROM chunks"


class Info(Struct, frozen=True, kw_only=True):
    """What is in a library; sizes in bytes."""

    root: Path
    made: int
    sources: int
    here: int
    gone: int
    unreadable: int
    raw: int
    """What is kept, as it was."""
    archive: int
    """The same, compressed."""
    index: int
    database: int
    """The database file, the archive included."""
    places: tuple[bytes, ...]
    last_import: int | None


def info(library: Library) -> Info:
    """What is in a library."""
    db = library.db
    states: dict[str, int] = dict(db.read(_STATES))
    made, imported = db.one(_MADE), db.one(_IMPORTED)
    raw, archive = db.read(_RAW)[0][0], db.read(_ARCHIVE)[0][0]
    database = sum(
        path.stat().st_size for path in library.root.glob(f"{db.path.name}*") if path.is_file()
    )
    return Info(
        root=library.root,
        made=int(made[0]) if made else 0,
        sources=sum(states.values()),
        here=states.get("here", 0),
        gone=states.get("gone", 0),
        unreadable=states.get("unreadable", 0),
        raw=raw,
        archive=archive,
        index=_size(library.root / FOLDER),
        database=database,
        places=tuple(library.places()),
        last_import=int(imported[0]) if imported else None,
    )


def _size(folder: Path) -> int:
    """The bytes of all files below a folder; those that go away meanwhile have none."""
    total = 0
    for here, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(here, name)).st_size
            except OSError:
                continue
    return total
