"""A connection to the library's database: statements, transactions, and readable errors.

This is the only module that depends on the database engine. All others pass statements, which are
constants next to the function that uses them, with `?` for each value, in portable SQL.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from talktree.errors import NotFound, TalktreeError
from talktree.library.database.cipher import find_damaged_pages, load_cipher_module, use_key
from talktree.library.database.database_errors import explain_error

Row = tuple[Any, ...]
Values = Sequence[object]

PATIENCE = 10.0
"""Seconds to wait for another process that is writing."""
PAGE = 8192
"""Bytes of a page; compressed chunks fill several, and half a page is wasted for each.

Pages are written one by one, twice with the log: smaller ones cost more time than they save.
"""
CACHE, WRITERS_CACHE = 32 << 20, 8 << 20
LOG = 32 << 20
"""How many bytes of the write-ahead log start a checkpoint."""
LOG_KEPT = 64 << 20
"""Size to which the write-ahead log is truncated after it was larger."""
NORMAL, FULL = 1, 2


class Database:
    """A connection; used by one thread at a time."""

    def __init__(
        self, path: Path, *, write: bool, patience: float = PATIENCE, key: bytes | None = None
    ) -> None:
        self.path = path
        self.write = write
        self.key = key
        """The key the file is encrypted with; None if it is plain."""
        self._sqlite = sqlite3 if key is None else load_cipher_module()
        self.rollbacks = 0
        """Number of transactions rolled back: caches of rows must be cleared when it changes."""
        self._depth = 0
        self._patience = patience
        with self._translate_errors():
            self._connection = _connect(self._sqlite, path, write, patience)
            try:
                if key is not None:
                    use_key(self._connection, key)
                _set_up(self._connection, write, patience)
            except BaseException:
                self._connection.close()
                raise

    def read(self, sql: str, values: Values = ()) -> list[Row]:
        """Return all rows of a statement."""
        try:
            return self._select(sql, values).fetchall()
        except self._sqlite.Error as error:
            raise self._explain_error(error) from error

    def read_one(self, sql: str, values: Values = ()) -> Row | None:
        """Return the first row of a statement, or None."""
        try:
            found: Row | None = self._select(sql, values).fetchone()
        except self._sqlite.Error as error:
            raise self._explain_error(error) from error
        return found

    def iter_rows(self, sql: str, values: Values = ()) -> Iterator[Row]:
        """Yield the rows of a statement as they are requested."""
        with self._translate_errors():
            yield from self._select(sql, values)

    def _select(self, sql: str, values: Values) -> sqlite3.Cursor:
        try:
            return self._connection.execute(sql, values)
        except UnicodeEncodeError:
            # Text that is not valid UTF-8, such as a typed path: as bytes it equals no text.
            return self._connection.execute(sql, _encode_values(values))

    def run(self, sql: str, values: Values = ()) -> int:
        """Run a statement; return the number of the inserted row, if there is one."""
        try:
            return self._connection.execute(sql, values).lastrowid or 0
        except self._sqlite.Error as error:
            raise self._explain_error(error) from error

    def execute_change(self, sql: str, values: Values = ()) -> int:
        """Run a statement; return how many rows it changed."""
        try:
            return self._connection.execute(sql, values).rowcount
        except self._sqlite.Error as error:
            raise self._explain_error(error) from error

    def run_many_atomically(self, sql: str, rows: Iterable[Values]) -> None:
        """Run a statement for many rows, in one transaction."""
        with self.transaction(), self._translate_errors():
            self._connection.executemany(sql, rows)

    def run_many(self, sql: str, rows: Sequence[Values]) -> None:
        """Run a statement for some rows, in the open transaction."""
        with self._translate_errors():
            self._connection.executemany(sql, rows)

    @property
    def error(self) -> type[Exception]:
        """The exception class that the database raises for programming errors."""
        found: type[Exception] = self._sqlite.Error
        return found

    @contextmanager
    def transaction(self, *, durable: bool = False) -> Iterator[None]:
        """Run the block in a transaction; a nested one is part of the outer one.

        It survives a process that is killed later. With `durable` it also survives a power failure;
        otherwise the last transactions may be lost, but never half of one.
        """
        if self._depth:
            yield
            return
        self._begin(durable=durable)
        self._depth += 1
        try:
            yield
            with self._translate_errors():
                self._connection.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise
        finally:
            self._depth -= 1

    def _begin(self, *, durable: bool) -> None:
        with self._translate_errors():
            self._connection.execute(
                "PRAGMA synchronous = FULL" if durable else "PRAGMA synchronous = NORMAL"
            )
            self._connection.execute("BEGIN IMMEDIATE")

    def _roll_back(self) -> None:
        self.rollbacks += 1
        # After a full disk or an I/O error the database may already have rolled back.
        if self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except self._sqlite.Error:
                pass

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read a consistent state, whatever others write meanwhile."""
        if self._connection.in_transaction:
            yield
            return
        with self._translate_errors():
            self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK")

    def limit_cache(self, size: int) -> None:
        """Limit the page cache to this many bytes."""
        with self._translate_errors():
            self._connection.execute(f"PRAGMA cache_size = {-int(size) // 1024}")

    def checkpoint(self, wait: float | None = None) -> bool:
        """Write the whole log to the database file and empty the log.

        Return false if readers prevented it for too long; a later checkpoint does the rest.
        """
        with self._translate_errors():
            if wait is not None:
                self._connection.execute(f"PRAGMA busy_timeout = {int(wait * 1000)}")
            try:
                row = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                if wait is not None:
                    self._connection.execute(f"PRAGMA busy_timeout = {int(self._patience * 1000)}")
        return row is not None and row[0] == 0

    def shrink(self, wait: float | None = None) -> bool:
        """Return the space of deleted rows to the file system; false if readers prevent it."""
        with self._translate_errors():
            # It works page by page as long as rows are fetched, which only `executescript` does.
            self._connection.executescript("PRAGMA incremental_vacuum")
        return self.checkpoint(wait)

    def vacuum(self) -> None:
        """Rewrite the whole file from its rows; slow if it is large."""
        with self._translate_errors():
            self._connection.execute("VACUUM")

    def drop_cache(self) -> None:
        """Drop the page cache, so that pages are read from the file again."""
        with self._translate_errors():
            self._connection.execute("PRAGMA shrink_memory")

    @property
    def log(self) -> Path:
        """The write-ahead log."""
        return _log_path(self.path)

    def used_bytes(self) -> int:
        """Return how many bytes of the database file are in use."""
        pages, free, page = (
            int(self.read(sql)[0][0])
            for sql in ("PRAGMA page_count", "PRAGMA freelist_count", "PRAGMA page_size")
        )
        return (pages - free) * page

    def add_function(self, name: str, function: Callable[..., int]) -> None:
        """Register an SQL function whose result depends only on its arguments."""
        with self._translate_errors():
            self._connection.create_function(name, -1, function, deterministic=True)

    def check_structure(self, *, thorough: bool) -> list[str]:
        """Return the problems in the structure of the file, as the database describes them."""
        if thorough and self.key is not None and (found := self._find_damaged_pages()):
            return found[:20]
        sql = "PRAGMA integrity_check(20)" if thorough else "PRAGMA quick_check(20)"
        return [str(row[0]) for row in self.read(sql) if row[0] != "ok"]

    def _find_damaged_pages(self) -> list[str]:
        with self._translate_errors():
            return find_damaged_pages(self._connection)

    @property
    def connection(self) -> sqlite3.Connection:
        """The underlying connection, for code that closes it when it is no longer used."""
        return self._connection

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _explain_error(self, error: Exception) -> Exception:
        return explain_error(error, self.path, encrypted=self.key is not None)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except self._sqlite.Error as error:
            raise self._explain_error(error) from error


def remove_empty_log(path: Path, *, key: bytes | None = None) -> None:
    """Let SQLite remove the empty log that readers left, if no connection uses it any more.

    A log with changes stays, and so does one that cannot be removed.
    """
    try:
        if _log_path(path).stat().st_size:
            return
    except OSError:
        return
    sqlite = sqlite3 if key is None else load_cipher_module()
    with suppress(TalktreeError, sqlite.Error):
        connection = _connect(sqlite, path, write=True, patience=0)
        try:
            if key is not None:
                use_key(connection, key)
            # SQLite removes the log when the last writable connection that has read it is closed.
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        finally:
            connection.close()


def _connect(
    sqlite: Any,  # noqa: ANN401
    path: Path,
    write: bool,  # noqa: FBT001
    patience: float,
) -> sqlite3.Connection:
    """Open a connection; a new file is readable only by its owner."""
    if write:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        try:
            os.close(os.open(path, flags, 0o600))
        except OSError as error:
            raise explain_error(error, path) from None
    elif not path.exists():
        raise NotFound(f"{path}: there is no library here", hint="make one with `talktree import`")
    connection: sqlite3.Connection = sqlite.connect(
        _format_uri(path, "rw" if write else "ro"),
        uri=True,
        timeout=patience,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    return connection


def _format_uri(path: Path, mode: str) -> str:
    """Return the path as a URI, whatever bytes it contains."""
    escaped = "".join(f"%{byte:02x}" for byte in os.fsencode(path.absolute()))
    address = f"file:{escaped}?mode={mode}"
    folder = path.parent
    if mode == "ro" and not os.access(folder, os.W_OK) and not _log_path(path).exists():
        # The file is read-only for everyone, so nothing changes and no log is needed.
        address += "&immutable=1"
    return address


def _log_path(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _set_up(connection: sqlite3.Connection, write: bool, patience: float) -> None:  # noqa: FBT001
    connection.execute(f"PRAGMA cache_size = {-(WRITERS_CACHE if write else CACHE) // 1024}")
    if not write:
        return
    # Page size and vacuum mode only take effect before the first table is created.
    connection.execute(f"PRAGMA page_size = {PAGE}")
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    # Deleted rows are overwritten immediately, however SQLite was built.
    connection.execute("PRAGMA secure_delete = ON")
    _use_write_ahead_log(connection, patience)
    connection.execute(f"PRAGMA wal_autocheckpoint = {LOG // PAGE}")
    connection.execute(f"PRAGMA journal_size_limit = {LOG_KEPT}")
    connection.execute("PRAGMA synchronous = NORMAL")


def _use_write_ahead_log(connection: sqlite3.Connection, patience: float) -> None:
    """Switch to the write-ahead log; SQLite itself does not wait for others that do the same."""
    end = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except Exception as error:
            # The cipher's library has its own error classes, with the same codes.
            code = getattr(error, "sqlite_errorcode", 0)
            if code & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
        time.sleep(0.01)


def _encode_values(values: Values) -> Values:
    """Return the same values, with text that is not valid UTF-8 as bytes."""
    return tuple(map(_encode_value, values))


def _encode_value(value: object) -> object:
    if isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):
        return value.encode("utf-8", "surrogatepass")
    return value
