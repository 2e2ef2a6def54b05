"""The cache on disk: its tables, and opening a valid one or creating it.

Every user of a cache file holds a shared lock on the file beside it. A damaged cache is removed
only under the exclusive lock, because SQLite opens its files by name. A process that cannot get
that lock, or cannot write there, uses a cache in memory.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from talktree.errors import LockHeld

MARK = 0x74747369
"""The application id in the file's header."""
VERSION = 1
PATIENCE = 30.0
"""Seconds to wait while another process fills the same cache."""
SCHEMA = """
CREATE TABLE known (log TEXT PRIMARY KEY, device INTEGER, inode INTEGER, stop INTEGER, mark BLOB);
CREATE TABLE nodes (
  start INTEGER PRIMARY KEY, length INTEGER, id BLOB, parent BLOB,
  up INTEGER, root INTEGER, type BLOB, sidechain INTEGER, note INTEGER, time INTEGER);
CREATE INDEX nodes_by_id ON nodes (id, start);
CREATE INDEX nodes_by_up ON nodes (up);
CREATE INDEX waiting ON nodes (parent) WHERE up IS NULL AND parent IS NOT NULL;
CREATE TABLE snapshots (start INTEGER PRIMARY KEY, length INTEGER, message BLOB);
CREATE INDEX snapshots_by_message ON snapshots (message);
CREATE TABLE touched (path BLOB, start INTEGER, PRIMARY KEY (path, start)) WITHOUT ROWID;
"""
"""`up` is the line of the parent, `root` the line of some message above, or its own."""
TABLES = {"messages": ("nodes",), "snapshots": ("snapshots", "touched")}


class IndexCache:
    """A connection to a valid cache, on disk or in memory."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = -1
        self.db = self._open_on_disk() or open_in_memory()

    @property
    def in_memory(self) -> bool:
        """Whether the cache is private and ends with this object."""
        return self._path is None

    def fall_back(self, error: sqlite3.Error) -> bool:
        """Whether there is another cache to use, once this one has failed."""
        if self.in_memory:
            return False
        damaged = not isinstance(error, sqlite3.OperationalError)
        self.db.close()
        made = self._replace_damaged() if damaged else None
        if made is None:
            self._forget_path()
        self.db = made or open_in_memory()
        return True

    def close(self) -> None:
        """Close the connection."""
        with suppress(sqlite3.Error):
            self.db.close()
        self._forget_path()

    # on disk

    def _open_on_disk(self) -> sqlite3.Connection | None:
        try:
            if self._path is not None:
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._lock = _open_private(self._path.with_suffix(".lock"))
                fcntl.flock(self._lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return self._connect()
        except sqlite3.DatabaseError as error:
            made = None if isinstance(error, sqlite3.OperationalError) else self._replace_damaged()
            if made is not None:
                return made
        except OSError:
            pass
        self._forget_path()
        return None

    def _connect(self) -> sqlite3.Connection:
        assert self._path is not None
        os.close(_open_private(self._path))
        db = sqlite3.connect(
            self._path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            _prepare_tables(db)
        except sqlite3.Error:
            db.close()
            raise
        return db

    def _replace_damaged(self) -> sqlite3.Connection | None:
        """Return a new cache in place of a damaged one; None if another process has it open."""
        assert self._path is not None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for ending in ("", "-wal", "-shm", "-journal"):
                self._path.with_name(self._path.name + ending).unlink(missing_ok=True)
            made = self._connect()
            fcntl.flock(self._lock, fcntl.LOCK_SH)
        except (OSError, sqlite3.Error):
            return None
        return made

    def _forget_path(self) -> None:
        self._path = None
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def open_in_memory() -> sqlite3.Connection:
    """Return an empty private cache."""
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    db.executescript(SCHEMA)
    return db


def _open_private(path: Path) -> int:
    """Return a descriptor of a file that only its owner may read; links are refused."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def _prepare_tables(db: sqlite3.Connection) -> None:
    """Create the tables in a new file; another program's file counts as damaged."""
    db.execute("PRAGMA journal_mode = WAL")
    # What a power failure removes is indexed again; the rest is consistent.
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("BEGIN IMMEDIATE")
    try:
        mark, version = _read_header(db)
        if (mark, version) != (MARK, VERSION):
            if db.execute("SELECT 1 FROM sqlite_schema").fetchone():
                raise sqlite3.DatabaseError("not a cache of this version")
            for statement in SCHEMA.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {MARK}")
            db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except sqlite3.Error:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _read_header(db: sqlite3.Connection) -> tuple[int, int]:
    (mark,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return mark, version


def clear_cache(path: Path) -> None:
    """Remove a cache; while others have it open, overwrite its contents.

    The file beside it stays, because others hold a lock on it.
    """
    if not path.exists():
        return
    lock = _open_private(path.with_suffix(".lock"))
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            _overwrite(path)
            return
        for ending in ("", "-wal", "-shm", "-journal"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
    finally:
        os.close(lock)


def _overwrite(path: Path) -> None:
    """Remove the rows of a cache that others have open, in its file and in its log."""
    db = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    try:
        db.execute("PRAGMA secure_delete = ON")
        db.execute("BEGIN IMMEDIATE")
        for table in ("known", *(each for tables in TABLES.values() for each in tables)):
            db.execute(f"DELETE FROM {table}")
        db.execute("COMMIT")
        (busy, _, _) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise LockHeld(
                f"{path}: another program is reading it",
                hint="end it; opening the session then erases the rest",
            )
    except sqlite3.Error as error:
        raise LockHeld(
            f"{path}: cannot be cleared while another program has it open: {error}",
            hint="end it; opening the session then erases the rest",
        ) from error
    finally:
        db.close()
