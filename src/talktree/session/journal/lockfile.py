"""The file `lock`: bytes to be locked, and marks that say how far each log is synced.

Byte 0 is locked to append, bytes 1 to 3 to sync a log. Byte 4 is shared by all handles that may
write, and locked exclusively to erase something. The marks follow. Each has the log's inode and the
boot id of the machine, so that an outdated mark is detected. The file's space is allocated when it
is created, so noting a mark needs none.
"""

from __future__ import annotations

import os
import secrets
import struct
from fcntl import fcntl
from typing import NamedTuple

from talktree.files.locking import (
    EXCLUSIVE,
    FREE,
    HELD_BY_ANOTHER,
    SHARED,
    TRY,
    WAIT,
    require_locks,
)

NAME = "lock"
APPENDING = 0
WRITING = 4
"""The byte on which every handle that may write holds a shared lock."""
SIZE = 4096
_LOGS = 3
_FIRST_MARK = 64
_MARK_SIZE = 64
_MARK = struct.Struct("<16sQQQQQ")
"""The boot, device and inode, the length, whether a sync failed, and the length once more."""
_PATIENCE = 1000
"""How often a mark is read again while it is written; one that stays inconsistent is ignored."""
_BOOT_ID = "/proc/sys/kernel/random/boot_id"


class DurableMark(NamedTuple):
    """How far a log is known to be on the disk."""

    identity: tuple[int, int]
    """The file it is about: its device and inode."""
    length: int
    failed: bool = False
    """A sync failed: nothing after the length may ever be acknowledged in this file."""


class LockFile:
    """The lock of one session, opened when it is first needed."""

    def __init__(self, folder: int) -> None:
        self._folder = folder
        self.fd = -1
        self._identity = (0, 0)
        self._is_writer = False
        self._seen: list[tuple[bytes, DurableMark | None]] = [(b"", None)] * _LOGS
        """The last marks that were read or noted, so that the same bytes are not parsed again."""

    def open(self) -> None:
        """Open it, or open it again if its name leads to another file than before."""
        require_locks()
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(NAME, flags, 0o600, dir_fd=self._folder)
        found = os.fstat(fd)
        try:
            if found.st_size < SIZE:
                os.posix_fallocate(fd, 0, SIZE)
        except OSError:
            os.close(fd)
            raise
        if self.fd < 0:
            self.fd = fd
        else:
            # Another thread may be using that number at this moment.
            os.dup2(fd, self.fd, inheritable=False)
            os.close(fd)
        self._identity = (found.st_dev, found.st_ino)
        if self._is_writer:
            fcntl(self.fd, WAIT, SHARED[WRITING])

    def join_writers(self) -> None:
        """Hold the shared lock of writers until the file is closed; wait for an erasure to end."""
        self._is_writer = True
        if self.fd < 0:
            self.open()
        else:
            fcntl(self.fd, WAIT, SHARED[WRITING])

    def exclude_writers(self) -> bool:
        """Make the shared lock of writers exclusive; False if another handle has it."""
        return self.try_acquire(WRITING)

    def readmit_writers(self) -> None:
        """Return to the shared lock of writers."""
        if self.fd >= 0:
            fcntl(self.fd, WAIT, SHARED[WRITING])

    def close(self) -> None:
        """Close the file, which releases every lock."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def is_replaced(self) -> bool:
        """Whether its name leads to another file, where other writers lock."""
        try:
            found = os.stat(NAME, dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            return True
        return (found.st_dev, found.st_ino) != self._identity

    def acquire(self, byte: int) -> None:
        """Wait for the lock of a byte."""
        if self.fd < 0:
            self.open()
        fcntl(self.fd, WAIT, EXCLUSIVE[byte])

    def try_acquire(self, byte: int) -> bool:
        """Take the lock of a byte if it is free."""
        if self.fd < 0:
            self.open()
        try:
            fcntl(self.fd, TRY, EXCLUSIVE[byte])
        except OSError as error:
            if error.errno in HELD_BY_ANOTHER:
                return False
            raise
        return True

    def release(self, byte: int) -> None:
        """Release the lock of a byte; if that fails, close the file."""
        if self.fd >= 0:
            try:
                fcntl(self.fd, WAIT, FREE[byte])
            except OSError:
                self.close()

    def read_mark(self, log: int) -> DurableMark | None:
        """Return the mark of a log, also without a lock; None if it is missing or outdated."""
        data = os.pread(self.fd, _MARK.size, _FIRST_MARK + log * _MARK_SIZE)
        seen, mark = self._seen[log]
        if data != seen:
            for _ in range(_PATIENCE):
                if not _is_being_written(data):
                    break
                data = os.pread(self.fd, _MARK.size, _FIRST_MARK + log * _MARK_SIZE)
            mark = _parse_mark(data)
            self._seen[log] = (data, mark)
        return mark

    def write_mark(self, log: int, mark: DurableMark) -> None:
        """Publish the mark to the other writers; the lock of the log's byte is held."""
        (device, inode), length, failed = mark
        data = _MARK.pack(_BOOT, device, inode, length, failed, length)
        os.pwrite(self.fd, data, _FIRST_MARK + log * _MARK_SIZE)
        self._seen[log] = (data, mark)


def _is_being_written(data: bytes) -> bool:
    """Whether a mark was read in the middle of another's `pwrite`, which takes very little time."""
    return len(data) == _MARK.size and data[:16] == _BOOT and data[32:40] != data[48:56]


def _parse_mark(data: bytes) -> DurableMark | None:
    if len(data) < _MARK.size:
        return None
    boot, device, inode, length, failed, again = _MARK.unpack(data)
    if boot != _BOOT or length != again:
        return None
    return DurableMark((device, inode), length, bool(failed))


def _read_boot_id() -> bytes:
    """Return the id of the machine's current boot; marks from before may be wrong."""
    try:
        with open(_BOOT_ID, "rb") as file:
            return bytes.fromhex(file.read().strip().replace(b"-", b"").decode())
    except (OSError, ValueError):
        # No other process can know this name, so every process checks the log itself.
        return secrets.token_bytes(16)


_BOOT = _read_boot_id()
