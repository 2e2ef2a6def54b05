"""Translating database errors for users: what happened, and what to do."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from talktree.errors import LockHeld, NotSaved, TalktreeError, Unreadable

_KIND = 0xFF
"""The kind of an error is in its lowest byte, the details above it."""
_READS = frozenset(
    {
        sqlite3.SQLITE_IOERR_READ,
        sqlite3.SQLITE_IOERR_SHORT_READ,
        sqlite3.SQLITE_IOERR_FSTAT,
        sqlite3.SQLITE_IOERR_CORRUPTFS,
    }
)
_WRITES = frozenset(
    {sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_SHMSIZE}
)
_HEADER = b"SQLite format 3\0"
_SHARED_SIZE = 32 << 10
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def explain_error(error: Exception, path: Path, *, encrypted: bool = False) -> Exception:
    """Return the error for the user; a programming error is returned unchanged."""
    if isinstance(error, OSError):
        return _system_error(error, path)
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        # Only valid characters are written, so invalid text was overwritten.
        return damage_error(path, str(error)) if "Could not decode" in str(error) else error
    kind = code & _KIND
    if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LockHeld(
            f"{path}: another program is writing to the library",
            hint="wait until it is done, or end it, and try again",
        )
    if kind == sqlite3.SQLITE_NOTADB and (encrypted or not _has_header(path)):
        return undecipherable_error(path, encrypted=encrypted)
    if kind in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or code in _READS:
        return damage_error(path, str(error))
    if kind == sqlite3.SQLITE_FULL or (kind == sqlite3.SQLITE_IOERR and _is_disk_full(path)):
        return _disk_full_error(path)
    if code in _WRITES and _is_size_limited():
        return NotSaved(
            f"{path}: cannot grow: the limit on the size of files is reached",
            hint="nothing of this step was kept, and what was kept before is whole; raise the "
            "limit (`ulimit -f unlimited`) and try again",
        )
    if kind in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_NOLFS):
        return NotSaved(
            f"{path}: cannot be written: {error}",
            hint="nothing of this step was kept, and what was kept before is whole; "
            "see whether the disk is full or may not be written to",
        )
    if kind in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return Unreadable(
            f"{path}: cannot be opened: {error}", hint="check the path and its rights"
        )
    return error


def damage_error(path: Path, why: str) -> Unreadable:
    """Return the error for a database file with a damaged structure."""
    return Unreadable(
        f"{path}: the library's database is damaged: {why}",
        hint="put a copy of the file back if there is one; else move it away and import again: "
        "`talktree library restore` gives what can still be read of the old one",
    )


def undecipherable_error(path: Path, *, encrypted: bool) -> Unreadable:
    """Return the error for a file whose beginning cannot be read."""
    reason = (
        "the key file belongs to another library, or the database is damaged"
        if encrypted
        else "it is damaged, or it is encrypted and its key file is missing"
    )
    return Unreadable(
        f"{path}: the library's database cannot be read: {reason}",
        hint="put a copy of library.key back, if the library was encrypted, or else a copy of the "
        "database; nothing was changed",
    )


def _is_disk_full(path: Path) -> bool:
    """Whether there is no room for the file that SQLite shares with other readers."""
    try:
        found = os.statvfs(path.parent)
    except (OSError, AttributeError):
        return False
    return found.f_bavail * found.f_frsize < _SHARED_SIZE


def _is_size_limited() -> bool:
    """Whether the size of this process's files is limited; SQLite does not report it."""
    try:
        import resource
    except ImportError:
        return False
    return resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY


def _has_header(path: Path) -> bool:
    """Whether a file begins like a plain database."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_HEADER)) == _HEADER
    except OSError:
        return True


def _disk_full_error(path: Path) -> NotSaved:
    return NotSaved(
        f"{path}: the disk is full",
        hint="nothing of this step was kept, and what was kept before is whole; make room and try "
        "again",
    )


def _system_error(error: OSError, path: Path) -> TalktreeError:
    if error.errno in _NO_SPACE:
        return _disk_full_error(path)
    return Unreadable(
        f"{path}: cannot be opened: {error.strerror or os.strerror(error.errno or 0)}",
        hint="check the path and its rights",
    )
