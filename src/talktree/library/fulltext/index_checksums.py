"""Checksums of the files of the full-text index, which are written once and never changed.

They are recorded in the library's database when a writer is done. While one is at work, the record
of the manifest is missing, so that half-written files are not compared.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from talktree.library.fulltext.location import MANIFEST, fulltext_folder

if TYPE_CHECKING:
    from talktree.library.database.connection import Database

CHANGING = (MANIFEST, ".managed.json")
"""The files that each commit replaces."""
PART = 1 << 20
_ALL = "SELECT name, size, checksum FROM fulltext_files"
_IS_RECORDED = "SELECT 1 FROM fulltext_files WHERE name = ?"
_ADD = """
INSERT INTO fulltext_files (name, size, checksum) VALUES (?, ?, ?)
ON CONFLICT (name) DO UPDATE SET size = excluded.size, checksum = excluded.checksum
"""
_DROP = "DELETE FROM fulltext_files WHERE name = ?"
_CLEAR = "DELETE FROM fulltext_files"


def is_recorded(db: Database) -> bool:
    """Whether the recorded checksums are those of the present index."""
    return db.read_one(_IS_RECORDED, (MANIFEST,)) is not None


def expect_changes(db: Database) -> None:
    """Delete the checksums of files that are about to change, in the caller's transaction."""
    db.run_many_atomically(_DROP, ((name,) for name in CHANGING))


def forget_files(db: Database) -> None:
    """Delete all checksums: the index is going to be rebuilt."""
    db.run(_CLEAR)


def record_files(db: Database, root: Path) -> None:
    """Record the checksums of new files; nothing may be writing the index."""
    if db.key is not None:
        # Its pages have keyed hashes; the record only means that nothing is being written.
        db.run(_ADD, (MANIFEST, 0, 0))
        return
    folder = fulltext_folder(root)
    known = {name: size for name, size, _ in db.read(_ALL)}
    found = _list_file_sizes(folder)
    new = [
        (name, size, _checksum(folder / name))
        for name, size in found.items()
        if known.get(name) != size or name in CHANGING
    ]
    with db.transaction():
        db.run_many_atomically(_DROP, ((name,) for name in known if name not in found))
        db.run_many_atomically(_ADD, new)


def find_damaged_files(db: Database, root: Path) -> list[str]:
    """Return the files that are missing or changed; none while the index is written."""
    while db.key is None:
        recorded = db.read(_ALL)
        if not is_recorded(db):
            return []
        folder = fulltext_folder(root)
        found = _list_file_sizes(folder)
        bad = [
            name
            for name, size, checksum in recorded
            if found.get(name) != size or _checksum(folder / name) != checksum
        ]
        # A writer deletes the checksums before it changes a file.
        if not bad or db.read(_ALL) == recorded:
            return bad
    return []


def _list_file_sizes(folder: Path) -> dict[str, int]:
    """Return the sizes of the files of an index, by name."""
    try:
        with os.scandir(folder) as entries:
            return {
                entry.name: entry.stat(follow_symlinks=False).st_size
                for entry in entries
                if not entry.name.endswith(".lock") and entry.is_file(follow_symlinks=False)
            }
    except FileNotFoundError:
        return {}


def _checksum(path: Path) -> int | None:
    made = 0
    try:
        with path.open("rb") as file:
            while data := file.read(PART):
                made = zlib.crc32(data, made)
    except OSError:
        return None
    return made
