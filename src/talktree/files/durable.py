"""Durable writes: the bytes are on the disk when a call returns."""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from talktree.files.sandbox import Anchor

UNFINISHED = ".unfinished-"
"""Prefix of names of files that are being written and not yet renamed."""

BLOCK = 1 << 20


def sync_folder(folder: int | str | bytes | Path) -> None:
    """Sync the entries of a folder: files that were created, renamed or removed there."""
    if isinstance(folder, int):
        os.fsync(folder)
        return
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write everything, continuing after short writes."""
    done = os.write(fd, data)
    if done == len(data):
        return
    rest = memoryview(data)[done:]
    while rest:
        rest = rest[os.write(fd, rest) :]


def copy_range(source: int, start: int, stop: int, target: int) -> None:
    """Append a range of one file to another; raise if the file ends too early."""
    while start < stop:
        block = os.pread(source, min(BLOCK, stop - start), start)
        if not block:
            raise OSError(f"the file ended at byte {start} of {stop}")
        write_all(target, block)
        start += len(block)


def make_temporary_name(name: bytes = b"") -> bytes:
    """Return a new name for a file that is being written."""
    return b"%s%s-%s" % (UNFINISHED.encode(), secrets.token_hex(8).encode(), name[:150])


def create_whole(
    folder: int, name: bytes, fill: Callable[[int], object], mode: int = 0o600
) -> None:
    """Create or replace a file: temporary name, write, sync, rename, sync the folder."""
    building = make_temporary_name(name)
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(building, flags, mode, dir_fd=folder)
    try:
        try:
            os.fchmod(fd, mode)
            fill(fd)
            os.fsync(fd)
        finally:
            os.close(fd)
        os.rename(building, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        _remove(folder, building)
        raise
    os.fsync(folder)


def _remove(folder: int, name: bytes) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except OSError:
        pass


def replace(anchor: Anchor, path: bytes, data: bytes, mode: int = 0o600) -> None:
    """Create or replace a file below a folder, so that it is complete and on the disk."""
    with anchor.open_parent(path) as (folder, name):
        create_whole(folder, name, lambda fd: write_all(fd, data), mode)


def sync_filesystem(fd: int) -> bool:
    """Sync the whole file system of a descriptor; false where the system does not support this."""
    call = _load_syncfs()
    if call is None:
        return False
    if call(fd) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return True


def raise_lost_writes(fd: int) -> None:
    """Raise the error of a write to the disk that failed since the file was opened.

    The system reports it once to each open file, here or at a sync. Nothing is written, and this
    does not wait; where the system does not support it, nothing is raised.
    """
    call = _load_sync_file_range()
    if call is not None and call(fd, 0, 1, _WAIT_BEFORE) != 0:
        number = ctypes.get_errno()
        if number in _LOST:
            raise OSError(number, os.strerror(number))


_WAIT_BEFORE = 1
_LOST = (errno.EIO, errno.ENOSPC, errno.EDQUOT)
"""The errors of failed writes; any other means that the system does not support the call."""


@functools.cache
def _load_sync_file_range() -> Callable[[int, int, int, int], int] | None:
    try:
        found = ctypes.CDLL(None, use_errno=True).sync_file_range
    except (AttributeError, OSError):
        return None
    found.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint]
    found.restype = ctypes.c_int
    return found


@functools.cache
def _load_syncfs() -> Callable[[int], int] | None:
    try:
        found = ctypes.CDLL(None, use_errno=True).syncfs
    except (AttributeError, OSError):
        return None
    found.argtypes = [ctypes.c_int]
    found.restype = ctypes.c_int
    return found
