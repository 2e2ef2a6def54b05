"""Locks that belong to an open file and end with the process that holds it.

A lock on a byte (`F_OFD_SETLK`) belongs to the open file, not to the process like older record
locks: two handles of one process exclude each other, and closing a third one releases nothing.
Threads that share a descriptor share its locks, so they need a lock of their own in addition.

Also: the kind of file system of a descriptor.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager

from talktree.errors import LockHeld, UsageError

_POLL = 0.01
HELD_BY_ANOTHER = (errno.EAGAIN, errno.EACCES)


def _encode_request(kind: int, byte: int) -> bytes:
    """Return a `struct flock` for `fcntl`: kind, whence, start, length, process (always 0)."""
    return struct.pack("hhqqi4x", kind, os.SEEK_SET, byte, 1, 0)


_KNOWN = range(8)
EXCLUSIVE = [_encode_request(fcntl.F_WRLCK, byte) for byte in _KNOWN]
SHARED = [_encode_request(fcntl.F_RDLCK, byte) for byte in _KNOWN]
FREE = [_encode_request(fcntl.F_UNLCK, byte) for byte in _KNOWN]
"""Requests for the first bytes of a file, prepared for `fcntl` where every microsecond counts."""

TRY: int = getattr(fcntl, "F_OFD_SETLK", 0)
WAIT: int = getattr(fcntl, "F_OFD_SETLKW", 0)


def require_locks() -> None:
    """Raise if the system does not have such locks."""
    if not WAIT:
        raise UsageError(
            "this system has no locks that belong to an open file",
            hint="sessions are written on Linux; reading them works everywhere",
        )


def try_lock(fd: int, request: bytes) -> bool:
    """Take a lock if it is free, and return whether that worked."""
    try:
        fcntl.fcntl(fd, TRY, request)
    except OSError as error:
        if error.errno in HELD_BY_ANOTHER:
            return False
        raise
    return True


@contextmanager
def range_lock(
    fd: int,
    byte: int,
    *,
    exclusive: bool = True,
    wait: bool = True,
    seconds: float | None = None,
) -> Iterator[None]:
    """Hold a lock of one byte; raise `LockHeld` if it is not free now, or within some seconds."""
    require_locks()
    request = _encode_request(fcntl.F_WRLCK if exclusive else fcntl.F_RDLCK, byte)
    if wait and seconds is None:
        fcntl.fcntl(fd, WAIT, request)
    else:
        end = time.monotonic() + (seconds or 0.0 if wait else 0.0)
        while not try_lock(fd, request):
            if time.monotonic() >= end:
                raise _busy_error()
            time.sleep(_POLL)
    try:
        yield
    finally:
        fcntl.fcntl(fd, TRY, _encode_request(fcntl.F_UNLCK, byte))


@contextmanager
def folder_lock(fd: int, *, exclusive: bool, wait: bool = False) -> Iterator[None]:
    """Hold a shared or exclusive lock of a folder; raise `LockHeld` if another lock prevents it.

    The folder is opened for each lock: locks taken through one descriptor would be one lock, and
    the first one to end would release it for all.
    """
    own = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=fd)
    try:
        kind = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
        try:
            fcntl.flock(own, kind if wait else kind | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _busy_error() from None
        yield
    finally:
        os.close(own)


def _busy_error() -> LockHeld:
    return LockHeld(
        "another program is at work there", hint="wait until it is done, or end it, and try again"
    )


_FAR = ("nfs", "cifs", "smb", "9p", "ceph", "afs", "glusterfs", "lustre", "ncp", "fuse.sshfs")


def find_network_file_system(fd: int) -> str | None:
    """Return the name of the network file system of a descriptor, if it is on one."""
    try:
        device = os.fstat(fd).st_dev
        wanted = f"{os.major(device)}:{os.minor(device)}"
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as mounts:
            for line in mounts:
                # id, parent, device, root, place, options, optional fields, "-", kind, source, …
                fields = line.split()
                if fields[2] == wanted and "-" in fields:
                    kind = fields[fields.index("-") + 1]
                    return kind if kind.startswith(_FAR) else None
    except (OSError, IndexError):
        pass
    return None
