"""The versions of a source: what it was each time it was seen changed."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from talktree.errors import NotFound
from talktree.library.database.connection import Database
from talktree.text.times import to_datetime

_SEEN = """
SELECT files.id, versions.seen, versions.length, versions.modified, versions.verified
FROM files JOIN generations ON generations.file = files.id
JOIN versions ON versions.generation = generations.id
WHERE files.source = ? ORDER BY versions.seen, generations.number, versions.length
"""
_FILES = """
SELECT files.id, files.path, files.state, files.modified, generations.id, generations.length
FROM files JOIN generations ON generations.id = files.generation
WHERE files.source = ? ORDER BY files.path
"""
AT = """
SELECT generations.id, versions.length, versions.modified
FROM generations JOIN versions ON versions.generation = generations.id
WHERE generations.file = ? AND versions.seen <= ?
ORDER BY versions.seen DESC, generations.number DESC, versions.length DESC LIMIT 1
"""
"""What a file was at a given time."""
_STATE = "SELECT state FROM sources WHERE id = ?"


class Version(NamedTuple):
    """A time at which a source was seen, and the total size of its files."""

    number: int
    length: int
    seen_ns: int
    modified_ns: int
    verified: bool = True
    """Whether all of its bytes were compared with the file; otherwise it is provisional."""

    @property
    def seen(self) -> datetime | None:
        """When it was first seen, in UTC."""
        return to_datetime(self.seen_ns)

    @property
    def modified(self) -> datetime | None:
        """When its file was last changed, in UTC."""
        return to_datetime(self.modified_ns)


class ArchivedFile(NamedTuple):
    """A file of a source as it was at a given time."""

    path: bytes
    generation: int
    length: int
    modified: int


def list_versions(db: Database, source: int) -> list[Version]:
    """Return the versions of a source, oldest first."""
    files: dict[int, tuple[int, int, int]] = {}
    moments: dict[int, tuple[int, int, bool]] = {}
    for file, seen, length, modified, verified in db.read(_SEEN, (source,)):
        files[file] = (length, modified, verified)
        lengths, times, proofs = zip(*files.values(), strict=True)
        moments[seen] = (sum(lengths), max(times), all(proofs))
    return [
        Version(number, length, seen, modified, verified)
        for number, (seen, (length, modified, verified)) in enumerate(moments.items(), 1)
    ]


def files_of(db: Database, source: int, version: int | None = None) -> list[ArchivedFile]:
    """Return the files of a source as they are, or as they were in the version with this number."""
    if version is None:
        return _list_newest_files(db, source)
    known = list_versions(db, source)
    if not 1 <= version <= len(known):
        raise NotFound(
            f"there is no version {version} of this conversation",
            hint=f"it has {len(known)}: `talktree library versions` lists them",
        )
    moment = known[version - 1].seen_ns
    kept = []
    for file, path, *_ in db.read(_FILES, (source,)):
        row = db.read_one(AT, (file, moment))
        if row is not None:
            kept.append(ArchivedFile(path, *row))
    return kept


def _list_newest_files(db: Database, source: int) -> list[ArchivedFile]:
    """Return all files; if the source still exists, without those that were removed from it."""
    row = db.read_one(_STATE, (source,))
    is_here = row is not None and row[0] == "here"
    return [
        ArchivedFile(path, generation, length, modified)
        for _, path, state, modified, generation, length in db.read(_FILES, (source,))
        if state != "left" and not (is_here and state == "gone")
    ]
