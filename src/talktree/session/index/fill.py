"""Updating the cache: only new bytes are read, line by line.

The parent of a line is the last line before it with the parent's uuid, so the later line of a
duplicate uuid has the children written after it. If there is none yet, the child is a root until
one is written, unless that would make a cycle. So the cache never has a cycle, and every walk
upward ends.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import NamedTuple

from talktree.session.capture.snapshots import parse_snapshot
from talktree.session.index.node import IndexedMessage, has_own_id, parse_node
from talktree.session.index.schema import TABLES
from talktree.session.journal.lines import JournalLine, read_lines
from talktree.text.json.decode import decode

MARKED = 4096
"""Number of bytes before the end of the index that show whether the file is still the same."""
REMEMBERED = 100_000
"""Maximum number of ids that are held in memory while filling; others are queried."""
LARGEST = 2**63 - 1


class IndexedLog(NamedTuple):
    """How far a log is indexed, and which file it was."""

    device: int
    inode: int
    stop: int
    mark: bytes


NOTHING_KNOWN = IndexedLog(-1, -1, 0, b"")


def encode_text(text: str) -> bytes:
    """Return a text as bytes for the cache, including unpaired surrogates."""
    return text.encode("utf-8", "surrogatepass")


def decode_text(data: bytes) -> str:
    """Return the text that was stored."""
    return data.decode("utf-8", "surrogatepass")


def read_indexed(db: sqlite3.Connection, log: str) -> IndexedLog:
    """Return how far a log is indexed."""
    query = "SELECT device, inode, stop, mark FROM known WHERE log = ?"
    row = db.execute(query, (log,)).fetchone()
    return IndexedLog(*row) if row else NOTHING_KNOWN


def is_current(so_far: IndexedLog, fd: int) -> bool:
    """Whether a log has nothing new, judged by its size and identity."""
    status = os.fstat(fd)
    return (so_far.device, so_far.inode, so_far.stop) == (
        status.st_dev,
        status.st_ino,
        status.st_size,
    )


def catch_up(db: sqlite3.Connection, log: str, descriptor: Callable[[str], int]) -> IndexedLog:
    """Index what is new in a log, completely or not at all; start over if it is another file.

    The log is opened inside the transaction, so a replaced log is never read again.
    """
    db.execute("BEGIN IMMEDIATE")
    try:
        fd = descriptor(log)
        so_far = read_indexed(db, log)
        status = os.fstat(fd)
        if (so_far.device, so_far.inode) != (status.st_dev, status.st_ino) or not _is_same_file(
            so_far, fd
        ):
            for table in TABLES[log]:
                db.execute(f"DELETE FROM {table}")
            so_far = NOTHING_KNOWN
        stop = _index_lines(db, log, fd, so_far.stop)
        found = IndexedLog(status.st_dev, status.st_ino, stop, _hash_end(fd, stop))
        db.execute("INSERT OR REPLACE INTO known VALUES (?, ?, ?, ?, ?)", (log, *found))
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return found


def forget_log(db: sqlite3.Connection, log: str) -> None:
    """Make the next update index a log from its start."""
    db.execute("DELETE FROM known WHERE log = ?", (log,))


def _is_same_file(so_far: IndexedLog, fd: int) -> bool:
    return so_far.stop <= os.fstat(fd).st_size and _hash_end(fd, so_far.stop) == so_far.mark


def _hash_end(fd: int, stop: int) -> bytes:
    start = max(0, stop - MARKED)
    return blake2b(os.pread(fd, stop - start, start), digest_size=16).digest()


def _index_lines(db: sqlite3.Connection, log: str, fd: int, start: int) -> int:
    """Index a log from an offset on, and return the end of its last complete line."""
    stop = start
    fill = MessageFill(db).add if log == "messages" else Snapshots(db).add
    for line in read_lines(fd, start):
        fill(line)
        stop = line.start + len(line.raw) + 1
    # The last line may be complete and still lack its newline.
    return min(stop, os.fstat(fd).st_size)


class MessageFill:
    """Adds messages to the cache."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._near: dict[bytes, tuple[int, int]] = {}
        """For known ids: the last line with the id, and a line above it."""
        query = "SELECT 1 FROM nodes WHERE up IS NULL AND parent IS NOT NULL LIMIT 1"
        self._waiting = db.execute(query).fetchone() is not None

    def add(self, line: JournalLine) -> None:
        """Index a line, if it is a message."""
        node = parse_node(line.raw, line.start)
        if node is None:
            return
        id = encode_text(node.id)
        parent = None if node.parent is None else encode_text(node.parent)
        up, root = self._find_place(parent) or (None, node.start)
        self._db.execute(
            "INSERT INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*_to_place(node), id, parent, up, root, encode_text(node.type), *_to_rest(node)),
        )
        if self._waiting and has_own_id(node):
            self._adopt_waiting(id, node.start)
        self._waiting = self._waiting or (parent is not None and up is None)
        self._near[id] = (node.start, root)
        if len(self._near) > REMEMBERED:
            for old in list(self._near)[: REMEMBERED // 2]:
                del self._near[old]

    def _find_place(self, id: bytes | None) -> tuple[int, int] | None:
        """Return the last line with this id, and a line above it."""
        if id is None:
            return None
        query = "SELECT start, root FROM nodes WHERE id = ? ORDER BY start DESC LIMIT 1"
        found: tuple[int, int] | None = self._near.get(id)
        return found or self._db.execute(query, (id,)).fetchone()

    def _adopt_waiting(self, id: bytes, start: int) -> None:
        """Attach lines that named this id before its line existed."""
        query = "SELECT start FROM nodes WHERE up IS NULL AND parent = ? AND start < ?"
        for (child,) in self._db.execute(query, (id, start)).fetchall():
            top = self._find_root(start)
            if top != child:
                self._db.execute(
                    "UPDATE nodes SET up = ?, root = ? WHERE start = ?", (start, top, child)
                )

    def _find_root(self, start: int) -> int:
        """Return the root above a line, and store it in all lines on the way."""
        passed = []
        while (above := self._read_root(start)) != start:
            passed.append(start)
            start = above
        update = "UPDATE nodes SET root = ? WHERE start = ?"
        self._db.executemany(update, [(start, each) for each in passed])
        return start

    def _read_root(self, start: int) -> int:
        (root,) = self._db.execute("SELECT root FROM nodes WHERE start = ?", (start,)).fetchone()
        return int(root)


def _to_place(node: IndexedMessage) -> tuple[int, int]:
    return node.start, node.length


def _to_rest(node: IndexedMessage) -> tuple[bool, bool, int | None]:
    time = node.time
    return node.sidechain, node.note, None if time is None or abs(time) > LARGEST else time


class Snapshots:
    """Adds snapshots to the cache."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def add(self, line: JournalLine) -> None:
        """Index a line, if it is a snapshot."""
        value, _, usable = decode(line.raw)
        if not usable or not isinstance(value, dict):
            return
        found = parse_snapshot(value)
        self._db.execute(
            "INSERT INTO snapshots VALUES (?, ?, ?)",
            (line.start, len(line.raw), encode_text(found.message)),
        )
        touched: Iterator[tuple[bytes, int]] = (
            (change.path, line.start) for change in found.changes
        )
        self._db.executemany("INSERT OR IGNORE INTO touched VALUES (?, ?)", touched)
