"""Companion files in the archive: what belongs to an archived file, such as a session's sub-agents.

Companions that are conversations are sources of their own; all others are files without a source.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from talktree.files import Content
from talktree.files.source import natural_sort_key
from talktree.formats import all_formats
from talktree.formats.companions import Companions, FolderView
from talktree.library.archive.source_versions import AT, ArchivedFile, list_versions
from talktree.library.database.connection import Database

if TYPE_CHECKING:
    from talktree.library.archive.store import Archive

_SOURCE = "SELECT path, format FROM sources WHERE id = ?"
_MAIN = "SELECT generation FROM files WHERE source = ? AND path = ? AND generation IS NOT NULL"
_BELOW = """
SELECT f.id, f.source, f.path, f.modified, g.id, g.length
FROM files AS f JOIN generations AS g ON g.id = f.generation
WHERE f.path >= ? AND f.path < ? AND f.state <> 'left'
"""
_BESIDE = _BELOW + " AND instr(substr(f.path, ?), CAST('/' AS BLOB)) = 0"


class ArchivedCompanion(NamedTuple):
    """A companion file as it was at a given time."""

    file: int
    source: int
    """The source it is, or 0."""
    kept: ArchivedFile


def find_archived_companions(
    db: Database, archive: Archive, source: int, version: int | None = None
) -> dict[str, ArchivedCompanion]:
    """Return the companion files of a source, by their paths relative to its folder.

    Those of a version are as they were before the next version of the source was seen. Files that
    are gone from the disk are included: the library still has them.
    """
    row = db.read_one(_SOURCE, (source,))
    if row is None:
        return {}
    path, slug = row
    format = next((each for each in all_formats() if each.info.slug == slug), None)
    main = db.read_one(_MAIN, (source, path))
    if main is None or format is None:
        return {}  # a folder, or a format of a plug-in that is no longer installed
    around = _FolderInArchive(
        db, archive, os.path.dirname(path), _find_last_moment(db, source, version)
    )
    name = os.fsdecode(os.path.basename(path))
    found = Companions(format, around).find_companions(name, around.open_generation(main[0]))
    return {each: around.found[each] for each in found}


def _find_last_moment(db: Database, source: int, version: int | None) -> int | None:
    """Return the last time at which a version was the newest one; None if it still is."""
    later = [] if version is None else list_versions(db, source)[version : version + 1]
    return later[0].seen_ns - 1 if later else None


class _FolderInArchive(FolderView):
    """A view of a folder as the archive has it."""

    def __init__(self, db: Database, archive: Archive, folder: bytes, moment: int | None) -> None:
        self._db = db
        self._archive = archive
        self._top = folder.rstrip(b"/") + b"/"
        self._moment = moment
        self.found: dict[str, ArchivedCompanion] = {}
        """All files that were looked up."""

    def list_names(self) -> Iterable[str]:
        return self._list_files(_BESIDE, b"", len(self._top) + 1)

    def list_files_below(self, folder: str) -> Sequence[str]:
        return self._list_files(_BELOW, os.fsencode(folder) + b"/")

    def read_content(self, path: str) -> Content:
        each = self.found[path].kept
        return self.open_generation(each.generation, each.length)

    def open_generation(self, generation: int, length: int | None = None) -> Content:
        """Return the content of a generation."""
        from talktree.library.archive.file_content import ArchivedContent

        return ArchivedContent(self._archive, generation, length)

    def _list_files(self, sql: str, inside: bytes, *more: int) -> list[str]:
        first = self._top + inside
        taken = []
        for file, source, path, modified, generation, length in self._db.read(
            sql, (first, first[:-1] + b"0", *more)
        ):
            kept = self._find_file_version(file, ArchivedFile(path, generation, length, modified))
            if kept is not None:
                name = os.fsdecode(path[len(self._top) :])
                self.found[name] = ArchivedCompanion(file, source, kept)
                taken.append(name)
        return sorted(taken, key=natural_sort_key)

    def _find_file_version(self, file: int, newest: ArchivedFile) -> ArchivedFile | None:
        if self._moment is None:
            return newest
        row = self._db.read_one(AT, (file, self._moment))
        return None if row is None else ArchivedFile(newest.path, *row)
