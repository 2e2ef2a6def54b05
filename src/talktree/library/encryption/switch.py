"""Encrypting or decrypting a library: a new library is built next to it, verified, and switched to.

The library does not change until the new one is complete. Then one file, the database, is replaced;
that is the switch. A kill before it leaves the old library, a kill after it the new one, and
`leftovers.py` does the rest. No other process can have the library open meanwhile.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from talktree.errors import LockHeld, NotFound, NotSaved, Unreadable, UsageError
from talktree.files.durable import sync_folder
from talktree.library import care
from talktree.library.database.cipher import (
    derive_database_key,
    format_cipher_key,
    load_cipher_module,
    silence_stderr,
    use_key,
)
from talktree.library.database.connection import PAGE
from talktree.library.database.database_errors import explain_error
from talktree.library.encryption.file_erasure import erase_folder, overwrite
from talktree.library.encryption.key_file import LibraryKey, write_key_file
from talktree.library.encryption.leftovers import finish_switch
from talktree.library.encryption.state import (
    DATABASE,
    DECRYPTING,
    ENCRYPTING,
    OLD_DATABASE,
    is_encrypted,
)
from talktree.library.erasure.key import NAME as FORGET_KEY
from talktree.library.fulltext.location import FOLDER
from talktree.library.importing.import_run import ImportRun
from talktree.library.importing.lock import WriterLock
from talktree.library.importing.result import ImportResult, Tell
from talktree.library.library import Library
from talktree.library.sources.changes import NOTHING

WAIT = 5.0
"""Seconds to wait for other programs that use the library."""
_BUSY = 5
_POLL = 0.05
_SOURCES = "SELECT id, archived FROM sources ORDER BY id"
_KEPT = (
    *("places", "sources", "files", "generations", "versions", "chunks", "extents"),
    *("operations", "branch_names", "landmarks"),
)
"""The tables whose rows must be equal on both sides."""


def encrypt_library(
    root: Path, key: bytes, about: LibraryKey, *, progress: Tell | None = None, wait: float = WAIT
) -> None:
    """Encrypt the library in a folder with a data key that a key file wraps."""
    if not (root / DATABASE).exists():
        raise NotFound(f"{root}: there is no library here", hint="make one with `talktree import`")
    with WriterLock(root).hold(wait):
        if is_encrypted(root):
            raise UsageError(
                f"{root}: the library is encrypted already",
                hint="unlock it: talktree library unlock",
            )
        _switch(root, None, key, about, progress, wait)


def decrypt_library(
    root: Path, key: bytes, *, progress: Tell | None = None, wait: float = WAIT
) -> None:
    """Decrypt the library in a folder."""
    with WriterLock(root).hold(wait):
        if not is_encrypted(root):
            raise UsageError(f"{root}: the library is not encrypted", hint="nothing has to be done")
        _switch(root, key, None, None, progress, wait)


def _switch(
    root: Path,
    old: bytes | None,
    new: bytes | None,
    about: LibraryKey | None,
    progress: Tell | None,
    wait: float,
) -> None:
    finish_switch(root)
    _check_room(root)
    # A library whose creation was interrupted has no tables yet.
    Library(root, write=True, key=old).close()
    building = root / (ENCRYPTING if new is not None else DECRYPTING)
    with _lock_exclusively(root / DATABASE, old, wait) as database:
        try:
            building.mkdir(mode=0o700)
            _copy_tables(database, building / DATABASE, new)
            if about is not None:
                write_key_file(building, about)
            if (root / FORGET_KEY).exists():
                # Tombstones must be recognised while the full text is built.
                shutil.copy(root / FORGET_KEY, building / FORGET_KEY)
            _build_fulltext(building, new, progress)
            _verify_copy(building, new, _count_rows(database))
            if about is not None:
                write_key_file(root, about)
            sync_folder(building)
        except OSError as error:
            erase_folder(building)
            raise explain_error(error, building) from None
        except NotSaved as error:
            erase_folder(building)
            raise NotSaved(error.message, hint="make room; the library is as it was") from None
        except BaseException:
            erase_folder(building)
            raise
        _replace_database(root, building, plain=old is None)
    finish_switch(root)
    sync_folder(root)


def _check_room(root: Path) -> None:
    """Raise an error early if the disk has no room for a second library."""
    needed = (root / DATABASE).stat().st_size
    needed += sum(file.stat().st_size for file in (root / FOLDER).rglob("*") if file.is_file())
    free = shutil.disk_usage(root).free
    if free < needed + needed // 4:
        raise NotSaved(
            f"{root}: the disk is too full: a second library of about {needed / 1e6:.1f} MB is "
            f"built beside the first, and {free / 1e6:.1f} MB are free",
            hint="make room; nothing was changed",
        )


@contextmanager
def _lock_exclusively(path: Path, key: bytes | None, wait: float) -> Iterator[Any]:
    """Open a database exclusively: no other connection has it open, or gets it until the end."""
    sqlite = load_cipher_module()
    try:
        connection = sqlite.connect(os.fspath(path), isolation_level=None, timeout=0.0)
        try:
            silence_stderr(connection)
            own = derive_database_key(key)
            if own is not None:
                use_key(connection, own)
            end = time.monotonic() + wait
            while not _is_alone(sqlite, connection):
                if time.monotonic() >= end:
                    raise LockHeld(
                        f"{path}: another program has the library open",
                        hint="end it (an import, a watch, a studio) and try again",
                    )
                time.sleep(_POLL)
            yield connection
        finally:
            connection.close()
    except sqlite.Error as error:
        raise explain_error(error, path, encrypted=key is not None) from error


def _is_alone(sqlite: Any, connection: Any) -> bool:  # noqa: ANN401
    """Take the database for this connection alone; false if another connection has it open.

    SQLite lets only the sole connection leave the write-ahead log; that also writes the log to the
    file.
    """
    try:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
    except sqlite.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != _BUSY:
            raise
        connection.execute("PRAGMA locking_mode = NORMAL")
        return False
    return True


def _copy_tables(database: Any, path: Path, key: bytes | None) -> None:  # noqa: ANN401
    """Copy all tables into a new database with another key, or without one."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    own = derive_database_key(key)
    database.execute(
        "ATTACH ? AS other KEY ?", (os.fspath(path), "" if own is None else format_cipher_key(own))
    )
    try:
        if own is not None:
            database.execute(f"PRAGMA other.cipher_page_size = {PAGE}")
        database.execute(f"PRAGMA other.page_size = {PAGE}")
        database.execute("PRAGMA other.auto_vacuum = INCREMENTAL")
        database.execute("PRAGMA other.journal_mode = OFF")
        try:
            database.execute("SELECT sqlcipher_export('other')").fetchall()
        except load_cipher_module().Error as error:
            # The copying function reports errors only as text.
            raise NotSaved(
                f"{path}: cannot be written: {error}",
                hint="nothing was changed; make room, and look for damage with `library check`",
            ) from error
    finally:
        database.execute("DETACH other")


def _build_fulltext(building: Path, key: bytes | None, progress: Tell | None) -> None:
    """Build the full text of the new library from its archive."""
    with Library(building, write=True, key=key) as library:
        library.invalidate_fulltext()
        ImportRun(library, NOTHING, dict(library.db.read(_SOURCES)), ImportResult(), progress).run()
        library.db.checkpoint()


def _verify_copy(building: Path, key: bytes | None, expected: dict[str, int]) -> None:
    """Read everything that was built: every row, and every chunk against its hash."""
    with Library(building, write=False, key=key) as library:
        counts = {table: library.db.read(f"SELECT count(*) FROM {table}")[0][0] for table in _KEPT}
        troubles = care.check_storage(library, read_data=True)
        # A library without imports has no full text.
        if counts["sources"] or library.has_fulltext():
            library.fulltext.searcher()
    wrong = [table for table in _KEPT if counts[table] != expected[table]]
    if wrong or troubles:
        what = troubles[0].what if troubles else f"rows of {wrong[0]} are missing"
        raise Unreadable(
            f"the copy of the library is not what it should be: {what}",
            hint="nothing was changed; look for damage with `talktree library check --read-data`",
        )


def _count_rows(database: Any) -> dict[str, int]:  # noqa: ANN401
    """Return how many rows each table has."""
    return {
        table: int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
        for table in _KEPT
    }


def _replace_database(root: Path, building: Path, *, plain: bool) -> None:
    """Replace the old database with the new one, and erase the old one."""
    old = root / OLD_DATABASE
    try:
        # A second name, so that it can still be erased after a kill.
        os.link(root / DATABASE, old)
        sync_folder(root)
    except OSError:
        pass  # a file system without links
    try:
        os.replace(building / DATABASE, root / DATABASE)
        sync_folder(root)
    except OSError as error:
        old.unlink(missing_ok=True)
        erase_folder(building)
        raise NotSaved(f"{root / DATABASE}: {error.strerror}", hint="nothing was changed") from None
    if plain and old.exists():
        # A process that waits for the old file must not find a library in it.
        overwrite(old)
