"""The rows of sources and files, as an import writes them."""

from __future__ import annotations

from typing import NamedTuple

from talktree.library.database.connection import Database
from talktree.library.database.names import replace_surrogates
from talktree.library.sources.changes import FileRecord
from talktree.library.sources.scan import FileStat

_SOURCE_AT = "SELECT id FROM sources WHERE path = ?"
_ADD_SOURCE = "INSERT INTO sources (path, format, lines, size) VALUES (?, ?, ?, 0)"
_FORMAT = "UPDATE sources SET format = ?, lines = ? WHERE id = ?"
_SOURCE = "SELECT id, path, format, lines, archived, heading, shape FROM sources WHERE id = ?"
_IDS_OF = """
SELECT native FROM conversations WHERE source = ? UNION SELECT native FROM sources WHERE id = ?
"""
_UNTOLD = "UPDATE sources SET indexed = -1 WHERE id = ?"
_STATE = "UPDATE sources SET state = ?, trouble = ? WHERE id = ?"
_FILE_AT = "SELECT id, source, generation, guard FROM files WHERE path = ?"
_FILES_OF = """
SELECT id, source, path, size, modified, changed, inode, device, state FROM files
WHERE source = ? AND state <> 'folder'
"""
_PROVISIONAL = """
SELECT files.path FROM files JOIN versions ON versions.generation = files.generation
WHERE files.source = ? AND versions.verified = 0
"""
_ADD_FILE = """
INSERT INTO files
  (source, path, size, modified, changed, inode, device, state, generation, guard, trouble)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_SET_FILE = """
UPDATE files SET source = ?, path = ?, size = ?, modified = ?, changed = ?, inode = ?, device = ?,
  state = ?, generation = ?, guard = ?, trouble = ?
WHERE id = ?
"""
_FILE_STATE = "UPDATE files SET state = ?, trouble = ? WHERE id = ?"
_FILE_PATH = "UPDATE files SET path = ? WHERE id = ?"
_SOURCE_PATH = "UPDATE sources SET path = ? WHERE id = ?"
_DROP_FILE = "DELETE FROM files WHERE id = ?"


class SourceRow(NamedTuple):
    """The state of a source that is needed to continue reading it."""

    id: int
    path: bytes
    format: str
    lines: bool
    archived: int
    heading: bytes | None
    shape: bytes | None


class FileRow(NamedTuple):
    """The state of a file that is needed to continue archiving it."""

    id: int
    source: int
    generation: int | None
    guard: bytes | None


class ImportRows:
    """Reads and writes rows of sources and files."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def find_source(self, id: int) -> SourceRow | None:
        """Return a source by its number."""
        row = self._db.read_one(_SOURCE, (id,))
        return None if row is None else SourceRow(*row)

    def get_or_make_source(self, path: bytes, format: str, *, lines: bool) -> int:
        """Return the source at a path, created if there is none."""
        row = self._db.read_one(_SOURCE_AT, (path,))
        if row is None:
            return self._db.run(_ADD_SOURCE, (path, format, int(lines)))
        self._db.run(_FORMAT, (format, int(lines), row[0]))
        return int(row[0])

    def set_state(self, id: int, state: str, trouble: str | None = None) -> None:
        """Record whether a source exists and is in order."""
        self._db.run(_STATE, (state, trouble, id))

    def mark_outdated(self, id: int) -> None:
        """Record that the facts of a source are outdated; the next import extracts it again."""
        self._db.run(_UNTOLD, (id,))

    def find_file(self, path: bytes) -> FileRow | None:
        """Return the file at a path."""
        row = self._db.read_one(_FILE_AT, (path,))
        return None if row is None else FileRow(*row)

    def ids_of(self, source: int) -> set[str]:
        """Return the ids of the conversations of a source."""
        return {row[0] for row in self._db.read(_IDS_OF, (source, source)) if row[0]}

    def files_of(self, source: int) -> dict[bytes, FileRecord]:
        """Return the known files of a source, by their paths."""
        return {row[2]: FileRecord(*row) for row in self._db.read(_FILES_OF, (source,))}

    def provisional_files(self, source: int) -> set[bytes]:
        """Return the files of a source with versions that were not compared as a whole."""
        return {row[0] for row in self._db.read(_PROVISIONAL, (source,))}

    def make_file(self, source: int, path: bytes) -> int:
        """Add a row for a file that is about to be read."""
        return self._db.run(
            _ADD_FILE, (source, path, 0, 0, 0, 0, 0, "unreadable", None, None, None)
        )

    def set_file(
        self,
        source: int,
        seen: FileStat,
        state: str,
        generation: int | None = None,
        guard: bytes | None = None,
        trouble: str | None = None,
    ) -> None:
        """Record a file as it was seen and imported, or why it was not."""
        row = self.find_file(seen.path)
        values = (
            seen.size,
            seen.modified,
            seen.changed,
            seen.inode,
            seen.device,
            state,
            generation,
            guard,
            None if trouble is None else replace_surrogates(trouble),
        )
        if row is None:
            self._db.run(_ADD_FILE, (source, seen.path, *values))
        else:
            self._db.run(_SET_FILE, (source, seen.path, *values, row.id))

    def set_file_state(self, id: int, state: str, trouble: str | None = None) -> None:
        """Record whether a file exists, and why it cannot be read."""
        self._db.run(_FILE_STATE, (state, trouble, id))

    def vacate(self, path: bytes) -> bool:
        """Delete the record of a file without a conversation, so that another can have the path.

        If a file is archived at the path, nothing is done; return false.
        """
        row = self.find_file(path)
        if row is not None and (row.source or row.generation is not None):
            return False
        if self._db.read_one(_SOURCE_AT, (path,)) is not None:
            return False
        if row is not None:
            self.drop_file(row.id)
        return True

    def move(self, file: int, source: int, path: bytes) -> None:
        """Record the new path of a file that is a source of its own."""
        self._db.run(_FILE_PATH, (path, file))
        self._db.run(_SOURCE_PATH, (path, source))

    def drop_file(self, id: int) -> None:
        """Delete the record of a file that is not archived."""
        self._db.run(_DROP_FILE, (id,))
