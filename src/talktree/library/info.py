"""The contents and the size of a library."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from talktree.library.fulltext.location import FOLDER
from talktree.library.importing.result import without_path
from talktree.library.listing import count_conversations

if TYPE_CHECKING:
    from talktree.library.database.connection import Database
    from talktree.library.library import Library

_MADE = "SELECT value FROM about WHERE key = 'made'"
_IMPORTED = "SELECT value FROM about WHERE key = 'imported'"
_STATES = "SELECT state, count(*) FROM sources GROUP BY state"
_NOT_IMPORTED = """
SELECT path, state, trouble FROM files WHERE trouble IS NOT NULL ORDER BY path
"""
_TROUBLES = """
SELECT path, state, trouble, EXISTS (SELECT 1 FROM conversations WHERE source = sources.id)
FROM sources
WHERE trouble IS NOT NULL AND path NOT IN (SELECT path FROM files WHERE trouble IS NOT NULL)
ORDER BY path
"""
_RAW = "SELECT coalesce(sum(length), 0) FROM generations"
_ARCHIVE = "SELECT coalesce(sum(length(data)), 0) FROM chunks"


class NotImported(NamedTuple):
    """A path that was not recognised, not read, or read only in part, and why."""

    path: bytes
    state: str
    why: str


class Info(Struct, frozen=True, kw_only=True):
    """The contents of a library; sizes in bytes."""

    root: Path
    made: int
    sources: int
    conversations: int
    """Without those of sub-agents."""
    here: int
    gone: int
    unreadable: int
    raw: int
    """The size of everything archived, uncompressed."""
    archive: int
    """The same, compressed."""
    index: int
    database: int
    """The database file, the archive included."""
    places: tuple[Path, ...]
    last_import: int | None
    not_imported: tuple[NotImported, ...] = ()
    """Files that the last import of them did not recognise or read."""
    damaged: tuple[NotImported, ...] = ()
    """Sources that were imported, but of which a part could not be read."""


def collect_info(library: Library) -> Info:
    """Return the contents of a library."""
    db = library.db
    states: dict[str, int] = dict(db.read(_STATES))
    made, imported = db.read_one(_MADE), db.read_one(_IMPORTED)
    not_imported, damaged = find_not_imported(db)
    raw, archive = db.read(_RAW)[0][0], db.read(_ARCHIVE)[0][0]
    database = sum(
        path.stat().st_size for path in library.root.glob(f"{db.path.name}*") if path.is_file()
    )
    return Info(
        root=library.root,
        made=int(made[0]) if made else 0,
        sources=sum(states.values()),
        conversations=count_conversations(db),
        here=states.get("here", 0),
        gone=states.get("gone", 0),
        unreadable=states.get("unreadable", 0),
        raw=raw,
        archive=archive,
        index=_folder_size(library.root / FOLDER),
        database=database,
        places=tuple(library.places()),
        last_import=int(imported[0]) if imported else None,
        not_imported=not_imported,
        damaged=damaged,
    )


def find_not_imported(db: Database) -> tuple[tuple[NotImported, ...], tuple[NotImported, ...]]:
    """Files that were not recognised or read, and sources that were read only in part."""
    not_imported = [NotImported(*row) for row in db.read(_NOT_IMPORTED)]
    damaged: list[NotImported] = []
    for path, state, why, is_imported in db.read(_TROUBLES):
        each = NotImported(path, state, without_path(why, path))
        (damaged if is_imported else not_imported).append(each)
    return tuple(not_imported), tuple(damaged)


def _folder_size(folder: Path) -> int:
    """Return the bytes of all files below a folder; those that disappear meanwhile count as 0."""
    total = 0
    for here, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(here, name)).st_size
            except OSError:
                continue
    return total
