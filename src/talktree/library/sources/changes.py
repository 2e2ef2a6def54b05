"""Finding changes since the last scan: `stat` against the table `files`, without opening files.

A file whose size, times and inode are the same is unchanged. Anything else is a change; the kind of
change (grown, replaced, moved) is determined later, by its bytes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from talktree.library.sources.scan import (
    POSITIVE,
    FileStat,
    FoundPath,
    UnreadablePath,
    UnreadPath,
    find_candidates,
    to_file_stat,
)

if TYPE_CHECKING:
    from talktree.library.database.connection import Database

HERE, GONE, UNREADABLE = "here", "gone", "unreadable"
LEFT = "left"
"""The state of a file that is no longer part of a folder that still exists."""
OTHER = "other"
"""The state of a file or folder that was examined and is not a conversation."""
FOLDER = "folder"
"""The state of the row of a folder that is one source."""

_STAMPS = """
SELECT path, size, modified, changed, inode FROM files
WHERE state = 'here' AND (path = ? OR (path >= ? AND path < ?))
"""
_OTHERS = """
SELECT id, source, path, size, modified, changed, inode, device, state FROM files
WHERE state <> 'here' AND (path = ? OR (path >= ? AND path < ?))
"""
_PROVISIONAL = """
SELECT files.path FROM versions JOIN files ON files.generation = versions.generation
WHERE versions.verified = 0 AND files.state = 'here'
"""
_SOURCES_IN = "SELECT path FROM sources WHERE path > ? AND path < ?"
_AT = """
SELECT id, source, path, size, modified, changed, inode, device, state FROM files WHERE path = ?
"""


class FileRecord(NamedTuple):
    """A row of `files`."""

    id: int
    source: int | None
    path: bytes
    size: int
    modified: int
    changed: int
    inode: int
    device: int
    state: str

    def is_unchanged(self, seen: FileStat) -> bool:
        """Whether the file is as it was imported; device numbers may change."""
        return (self.size, self.modified, self.changed, self.inode) == stamp_of(seen)


def stamp_of(seen: FileStat) -> tuple[int, int, int, int]:
    """Return the values that show whether a file is unchanged."""
    return seen.size, seen.modified, seen.changed, seen.inode


class SourceChange(NamedTuple):
    """A source that is new, or has a file that changed."""

    found: FoundPath
    source: int | None
    known: FileRecord | None
    """The known row, if it is a file."""

    @property
    def size(self) -> int:
        """How many bytes may have to be read."""
        before = self.known.size if self.known else 0
        return max(0, sum(seen.size for seen in self.found.files) - before)


class SourceScan(NamedTuple):
    """The result of a scan."""

    seen: int
    unchanged: int
    passed_over: int
    changes: list[SourceChange]
    missing: list[FileRecord]
    """Files that are not where they were; their sources may have moved."""
    closed: list[UnreadablePath]
    opened: int
    """Unknown folders that had to be examined."""
    asked: list[FileStat]
    """Those of them that are not conversations, to be remembered."""
    unread: list[UnreadPath]
    """Links, special files and folders of other programs below paths that the user named."""
    forgotten: frozenset[int] = frozenset()
    """The numbers of forgotten conversations whose files were found."""

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to do and nothing to report."""
        return not (self.changes or self.missing or self.closed or self.asked or self.unread)


NOTHING = SourceScan(0, 0, 0, [], [], [], 0, [], [])
"""The result without any paths."""


Forgotten = Callable[[FoundPath], int | None]
"""Returns the tombstone number of a found path, if it was forgotten."""


def _forget_nothing(_: FoundPath) -> None:
    return None


class _Walk:
    """The known files below some paths, which are crossed off as they are found."""

    def __init__(
        self, db: Database, roots: Sequence[bytes], quiet: float | None, is_forgotten: Forgotten
    ) -> None:
        self._db = db
        self._is_forgotten = is_forgotten
        self.forgotten: set[int] = set()
        self._provisional = {row[0] for row in db.read(_PROVISIONAL)}
        """Files with versions that were not compared as a whole."""
        self._quiet_since = None if quiet is None else time.time_ns() - int(quiet * 1e9)
        self._stamps: dict[bytes, tuple[int, ...]] = {}
        """Files that exist in the library and were not found yet."""
        self._others: dict[bytes, FileRecord] = {}
        """All other known paths."""
        self.unchanged = 0
        self.passed_over = 0
        self.opened = 0
        self.asked: list[FileStat] = []
        self._met: set[bytes] = set()
        self._folders: dict[bytes, FoundPath] = {}
        for root in roots:
            slash = root if root.endswith(b"/") else root + b"/"
            below = (root, slash, slash[:-1] + b"0")
            self._stamps.update({row[0]: row[1:] for row in db.read(_STAMPS, below)})
            self._others.update((row[2], FileRecord(*row)) for row in db.read(_OTHERS, below))

    def is_same(self, path: bytes, about: os.stat_result | None) -> bool:
        """Whether a file is unchanged; without a `stat`, whether it is known."""
        if about is None:
            return path in self._stamps or path in self._others
        stamp = self._stamps.get(path)
        if stamp is not None:
            same = stamp == (
                about.st_size,
                about.st_mtime_ns,
                about.st_ctime_ns,
                about.st_ino & POSITIVE,
            )
            if same and path in self._provisional and self._is_quiet(about.st_ctime_ns):
                return False
            if same:
                self.unchanged += 1
                del self._stamps[path]
            return same
        if self._others:
            other = self._others.get(path)
            if (
                other is not None
                and other.state == OTHER
                and other.is_unchanged(to_file_stat(path, about))
            ):
                self.passed_over += 1
                self._met.add(path)
                return True
        return False

    def find_parts(
        self, folder: FileStat, inside: tuple[FileStat, ...]
    ) -> tuple[FileStat, ...] | None:
        """Return the files of a folder that is one source; None if it is not one.

        A folder that was one before still is; only its new files are examined.
        """
        row = self._others.get(folder.path)
        if row is not None and row.state == FOLDER:
            own = self._find_sources_in(folder.path)
            if any(self._is_new_in(seen.path, folder.path) for seen in inside):
                new = self._detect_parts(folder, inside)
                own |= {
                    seen.path
                    for seen in inside
                    if seen not in new and self._is_new_in(seen.path, folder.path)
                }
            return tuple(seen for seen in inside if seen.path not in own) if own else inside
        self._met.add(folder.path)
        if row is not None and row.state == OTHER and row.is_unchanged(folder):
            return None
        self.opened += 1
        parts = self._detect_parts(folder, inside)
        if not parts:
            self.asked.append(folder)
        return parts or None

    def _detect_parts(self, folder: FileStat, inside: tuple[FileStat, ...]) -> tuple[FileStat, ...]:
        from talktree.library.sources.detect import find_parts_of_folder  # slow to import

        return find_parts_of_folder(FoundPath(folder.path, "folder", inside))

    def _find_sources_in(self, folder: bytes) -> set[bytes]:
        """Return the files in a folder that are sources of their own."""
        return {row[0] for row in self._db.read(_SOURCES_IN, (folder + b"/", folder + b"0"))}

    def _is_new_in(self, path: bytes, folder: bytes) -> bool:
        """Whether a file that is directly in a folder is not known."""
        return (
            path not in self._stamps
            and path not in self._others
            and os.path.dirname(path) == folder
        )

    def find_change(self, one: FoundPath) -> SourceChange | None:
        """Return the change of a found path that may have changed; None if it has not."""
        number = self._is_forgotten(one)
        if number is not None:
            self.forgotten.add(number)
            return None
        if one.kind == "folder":
            self._folders[one.path] = one
            return None  # removed parts are seen when all files were found
        if one.asked and one.path in self._stamps and self._is_as_before(one.files[0]):
            self.unchanged += 1
            self.mark_present(one.path)
            return None
        self.mark_present(one.path)
        row = self.find_record(one.path)
        return SourceChange(one, row.source or None if row else None, row)

    def find_folder_changes(self) -> Iterator[SourceChange]:
        """Yield the sources that are folders and changed."""
        for path, one in self._folders.items():
            marker = self._others.get(path)
            source = marker.source if marker is not None and marker.state == FOLDER else None
            same = all(map(self._is_as_before, one.files))
            self._met.add(path)
            for seen in one.files:
                self.mark_present(seen.path)
            lost = [each for each in self._stamps if each.startswith(path + b"/")]
            if lost:
                own = self._find_sources_in(path)
                lost = [each for each in lost if each not in own]
            for each in lost:
                self.mark_present(each)
            if source and same and not lost:
                self.unchanged += 1
                continue
            yield SourceChange(one, source, None)

    def _is_as_before(self, seen: FileStat) -> bool:
        """Whether a file of a folder is unchanged."""
        stamp = self._stamps.get(seen.path)
        if stamp is not None:
            if seen.path in self._provisional and self._is_quiet(seen.changed):
                return False
            return stamp == stamp_of(seen)
        other = self._others.get(seen.path)
        return other is not None and other.state == OTHER and other.is_unchanged(seen)

    def _is_quiet(self, changed: int) -> bool:
        """Whether a file was unchanged for long enough to be compared as a whole."""
        return self._quiet_since is None or changed <= self._quiet_since

    def is_kept(self, path: bytes) -> bool:
        """Whether an imported file was at a path; then that file is gone."""
        other = self._others.get(path)
        return path in self._stamps or (other is not None and bool(other.source))

    def find_record(self, path: bytes) -> FileRecord | None:
        """Return the row of a file."""
        row = self._db.read_one(_AT, (path,))
        return None if row is None else FileRecord(*row)

    def find_missing(self, closed: Sequence[UnreadablePath]) -> list[FileRecord]:
        """Return known files that were not found; nothing is known below unreadable folders."""
        shut = tuple(each.path.rstrip(b"/") + b"/" for each in closed if not each.absent)
        paths = [
            *self._stamps,
            *(
                path
                for path, row in self._others.items()
                if row.state not in (GONE, LEFT) and path not in self._met
            ),
        ]
        rows = (self.find_record(path) for path in paths if not (shut and path.startswith(shut)))
        return [row for row in rows if row is not None]

    def mark_present(self, path: bytes) -> None:
        """Record that something still exists at a path."""
        self._stamps.pop(path, None)
        if path in self._others:
            self._met.add(path)


def scan_paths(
    db: Database,
    roots: Sequence[bytes],
    *,
    leave: Sequence[bytes] = (),
    quiet: float | None = None,
    every: Collection[bytes] = (),
    is_forgotten: Forgotten = _forget_nothing,
) -> SourceScan:
    """Scan some paths, none below another, and compare them with what is known.

    Below the paths in `every`, all files are examined, whatever their names are. A file with
    provisional versions counts as changed; with `quiet`, only after that many seconds without a
    change. Sources that were forgotten are counted and otherwise skipped.
    """
    walk = _Walk(db, roots, quiet, is_forgotten)
    changes: list[SourceChange] = []
    closed: list[UnreadablePath] = []
    unread: list[UnreadPath] = []
    for root in roots:
        for one in find_candidates(
            root, walk.find_parts, walk.is_same, leave=leave, every=root in every
        ):
            if isinstance(one, UnreadablePath):
                closed.append(one)
            elif isinstance(one, UnreadPath):
                if not walk.is_kept(one.seen.path):
                    unread.append(one)
                    walk.mark_present(one.seen.path)
            elif (change := walk.find_change(one)) is not None:
                changes.append(change)
    changes += walk.find_folder_changes()
    return SourceScan(
        walk.unchanged + len(changes),
        walk.unchanged,
        walk.passed_over,
        changes,
        walk.find_missing(closed),
        closed,
        walk.opened,
        walk.asked,
        unread,
        frozenset(walk.forgotten),
    )
