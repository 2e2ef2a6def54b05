"""Bytes that are on the disk when a call returns."""

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
"""How names of files begin that are being written and not yet renamed to what they are."""

BLOCK = 1 << 20


def sync_folder(folder: int | str | bytes | Path) -> None:
    """Put the names in a folder on the disk: what was made, renamed or removed there."""
    if isinstance(folder, int):
        os.fsync(folder)
        return
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """Write everything, going on after short writes."""
    done = os.write(fd, data)
    if done == len(data):
        return
    rest = memoryview(data)[done:]
    while rest:
        rest = rest[os.write(fd, rest) :]


def copy_range(source: int, start: int, stop: int, target: int) -> None:
    """Append a stretch of one file to another; a file that ends before its time is an error."""
    while start < stop:
        block = os.pread(source, min(BLOCK, stop - start), start)
        if not block:
            raise OSError(f"the file ended at byte {start} of {stop}")
        write_all(target, block)
        start += len(block)


def make_temporary_name(name: bytes = b"") -> bytes:
    """A new name for a file that is being written."""
    return b"%s%s-%s" % (UNFINISHED.encode(), secrets.token_hex(8).encode(), name[:150])


def create_whole(
    folder: int, name: bytes, fill: Callable[[int], object], mode: int = 0o600
) -> None:
    """Make or replace a file: temporary name, filled, synced, renamed, folder synced."""
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
    """Make or replace a file beneath a folder, so that it is whole and on the disk."""
    with anchor.open_parent(path) as (folder, name):
        create_whole(folder, name, lambda fd: write_all(fd, data), mode)


def sync_filesystem(fd: int) -> bool:
    """Sync all of the file system a descriptor is on; false where that cannot be asked for."""
    call = _load_syncfs()
    if call is None:
        return False
    if call(fd) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return True


def raise_lost_writes(fd: int) -> None:
    """Raise the error of a write to the disk that failed since the file was opened.

    The system tells of it once to each open file, here or at a sync. Nothing is written and nothing
    waited for; where the system cannot be asked, nothing is raised.
    """
    call = _load_sync_file_range()
    if call is not None and call(fd, 0, 1, _WAIT_BEFORE) != 0:
        number = ctypes.get_errno()
        if number in _LOST:
            raise OSError(number, os.strerror(number))


_WAIT_BEFORE = 1
_LOST = (errno.EIO, errno.ENOSPC, errno.EDQUOT)
"""What a failed write to the disk is told as; anything else says that one cannot ask."""


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
