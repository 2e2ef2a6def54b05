"""What has changed since the last look: `stat` against the table `files`, no file is opened.

A file whose size, times and inode are what they were is the same. Anything else is a change; what
kind of change it is (grown, replaced, moved) is seen when its turn comes, by its bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from talktree.library.sources.find import Closed, Found, Seen, found
from talktree.library.sources.recognise import is_conversation_folder

if TYPE_CHECKING:
    from talktree.library.database.connection import Database

HERE, GONE, UNREADABLE = "here", "gone", "unreadable"
OTHER = "other"
"""The state of a file or folder that was looked at and is no conversation."""
FOLDER = "folder"
"""The state of the row that says that a folder is one source."""

_BELOW = """
    SELECT id, source, path, size, modified, changed, inode, device, state FROM files
    WHERE path = ? OR (path >= ? AND path < ?)
"""
_ALL = "SELECT id, source, path, size, modified, changed, inode, device, state FROM files"


class Known(NamedTuple):
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

    def is_still(self, seen: Seen) -> bool:
        """Whether the file is as it was when it was taken in; devices are numbered anew."""
        return (
            self.size == seen.size
            and self.modified == seen.modified
            and self.changed == seen.changed
            and self.inode == seen.inode
        )


class Change(NamedTuple):
    """A source that is new, or of which a file is not what it was."""

    found: Found
    source: int | None
    known: dict[bytes, Known]
    """What is known of its files, those that are missing now included."""

    @property
    def size(self) -> int:
        """How many bytes may have to be read."""
        return sum(
            max(0, seen.size - (old.size if (old := self.known.get(seen.path)) else 0))
            for seen in self.found.files
        )


class Look(NamedTuple):
    """What a walk has shown."""

    seen: int
    unchanged: int
    passed_over: int
    changes: list[Change]
    missing: list[Known]
    """Files that are not where they were; their sources may have moved."""
    closed: list[Closed]
    opened: int
    """Folders that had to be looked into because nobody knew them."""
    asked: list[Seen]
    """Those of them that are no conversations, so that they need not be asked again."""

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to do and nothing to tell."""
        return not (self.changes or self.missing or self.closed or self.asked)


NOTHING = Look(0, 0, 0, [], [], [], 0, [])
"""What is seen where nobody looks."""


class _Walk:
    def __init__(self, rows: Iterable[Known]) -> None:
        self.rows = {row.path: row for row in rows}
        self.unvisited = dict(self.rows)
        self.opened = 0
        self.asked: list[Seen] = []
        folders = {row.source for row in self.rows.values() if row.state == FOLDER}
        self.of_folder: dict[int, dict[bytes, Known]] = {}
        if folders:
            for row in self.rows.values():
                if row.source in folders and row.source is not None and row.state != FOLDER:
                    self.of_folder.setdefault(row.source, {})[row.path] = row

    def is_one(self, folder: Seen, inside: tuple[Seen, ...]) -> bool:
        """Whether a folder is one source, as it was found before or is found now."""
        row = self.rows.get(folder.path)
        if row is not None and row.state == FOLDER:
            return True
        self.unvisited.pop(folder.path, None)
        if row is not None and row.state == OTHER and row.is_still(folder):
            return False
        self.opened += 1
        if is_conversation_folder(Found(folder.path, "folder", inside)):
            return True
        self.asked.append(folder)
        return False

    def change(self, one: Found) -> Change | Known | None:
        """How a source differs from what is known; a row if it is no conversation, else None."""
        if one.kind == "file":
            return self._file_change(one)
        marker = self.unvisited.pop(one.path, None)
        known = self.of_folder.get(marker.source, {}) if marker and marker.source else {}
        for path in (*known, *(seen.path for seen in one.files)):
            self.unvisited.pop(path, None)
        same = (
            marker is not None
            and sum(row.state != GONE for row in known.values()) == len(one.files)
            and all(
                (row := known.get(seen.path)) and row.state in (HERE, OTHER) and row.is_still(seen)
                for seen in one.files
            )
        )
        return None if same else Change(one, marker.source if marker else None, known)

    def _file_change(self, one: Found) -> Change | Known | None:
        row = self.unvisited.pop(one.path, None)
        if row is None:
            return Change(one, None, {})
        if row.is_still(one.files[0]):
            if row.state == HERE:
                return None
            if row.state == OTHER and not one.asked:
                return row
        return Change(one, row.source, {one.path: row})


def look(
    db: Database, roots: Sequence[bytes], *, leave: Sequence[bytes] = (), known: bool = True
) -> Look:
    """Walk some paths and compare what is there with what is known of them."""
    walk = _Walk(_rows(db, roots) if known else ())
    seen = unchanged = passed_over = 0
    changes: list[Change] = []
    closed: list[Closed] = []
    visited: set[bytes] = set()
    for root in roots:
        for one in found(root, walk.is_one, leave=leave):
            if isinstance(one, Closed):
                closed.append(one)
                continue
            if one.path in visited:
                continue
            if len(roots) > 1:
                visited.add(one.path)
            change = walk.change(one)
            if isinstance(change, Known):
                passed_over += 1
                continue
            seen += 1
            if change is None:
                unchanged += 1
            else:
                changes.append(change)
    missing = _missing(walk.unvisited.values(), closed)
    return Look(seen, unchanged, passed_over, changes, missing, closed, walk.opened, walk.asked)


def every_row(db: Database) -> list[Known]:
    """All that is known of all files."""
    return [Known(*row) for row in db.read(_ALL)]


def _rows(db: Database, roots: Sequence[bytes]) -> Iterable[Known]:
    for root in roots:
        slash = root if root.endswith(b"/") else root + b"/"
        for row in db.read(_BELOW, (root, slash, slash[:-1] + b"0")):
            yield Known(*row)


def _missing(rows: Iterable[Known], closed: Sequence[Closed]) -> list[Known]:
    """Files that were here and are not; below what cannot be looked at nothing is known."""
    shut = tuple(each.path.rstrip(b"/") + b"/" for each in closed if not each.absent)
    return [row for row in rows if row.state != GONE and not (shut and row.path.startswith(shut))]
