"""Opens a path below a folder so that no link on the way can lead out of it.

The kernel does this in one call where it can (`openat2`); elsewhere the path is walked component by
component, each opened without following a link.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import re
import stat
from functools import lru_cache

from talktree.errors import PathEscapes

LONGEST_PATH = 4095
LONGEST_NAME = 255
PATH_ONLY = getattr(os, "O_PATH", os.O_RDONLY)
"""To open something only for its metadata, where the system supports that."""
_OPENAT2 = 437
_NO_MAGIC_LINKS, _NO_LINKS, _BENEATH = 0x02, 0x04, 0x08
_TRIES = 32


class _OpenHow(ctypes.Structure):
    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


_NAME = rb"(?!\.{1,2}(?:/|\Z))[^/\0]{1,%d}" % LONGEST_NAME
_plain = re.compile(_NAME + rb"(?:/" + _NAME + rb")*+").fullmatch


_HOW_SIZE = ctypes.sizeof(_OpenHow)


@lru_cache(maxsize=64)
def _make_open_how(flags: int, mode: int) -> _OpenHow:
    return _OpenHow(flags, mode, _NO_MAGIC_LINKS | _NO_LINKS | _BENEATH)


def check_path(path: bytes) -> bytes:
    """Return the path if it is a plain relative one, without components that lead out."""
    if _plain(path) and len(path) <= LONGEST_PATH:
        return path
    raise _find_escape(path)


def _find_escape(path: bytes) -> PathEscapes:
    if not path:
        return _make_escape_error(path, "it is empty")
    if b"\0" in path:
        return _make_escape_error(path, "it has a NUL in it")
    if path.startswith(b"/"):
        return _make_escape_error(path, "it is absolute")
    for name in path.split(b"/"):
        if name in (b"", b".", b".."):
            return _make_escape_error(path, f"{os.fsdecode(name)!r} is no name")
    return _make_escape_error(path, "it is too long")


def open_beneath(folder: int, path: bytes, flags: int, mode: int = 0) -> int:
    """Open a checked path below a folder and return its descriptor; a link on the way is a
    `PathEscapes`.

    So is a link at the end, unless the link itself may be opened (`O_PATH` without `O_DIRECTORY`).
    """
    flags |= os.O_CLOEXEC
    kernel = _find_openat2()
    try:
        if b"/" not in path and not flags & os.O_DIRECTORY:
            # One component: there are no folders on the way.
            return os.open(path, flags | os.O_NOFOLLOW, mode, dir_fd=folder)
        if kernel is None:
            return _open_by_walking(folder, path, flags | os.O_NOFOLLOW, mode)
        if _may_be_link(flags):
            flags |= os.O_NOFOLLOW
        return kernel(folder, path, flags, mode if flags & os.O_CREAT else 0)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EXDEV):
            raise _make_escape_error(path, "a link is on the way") from None
        raise


def _may_be_link(flags: int) -> bool:
    return bool(flags & PATH_ONLY) and not flags & os.O_DIRECTORY


def _make_escape_error(path: bytes, why: str) -> PathEscapes:
    shown = os.fsdecode(path[:80])
    return PathEscapes(
        f"{shown!r}: {why}", hint="only plain paths inside the folder are used, never through links"
    )


class _Kernel:
    """The call `openat2`, which the C library does not offer."""

    def __init__(self) -> None:
        self._call = ctypes.CDLL(None, use_errno=True).syscall
        self._call.restype = ctypes.c_long
        self._call.argtypes = [
            ctypes.c_long,
            ctypes.c_int,
            ctypes.c_char_p,
            ctypes.POINTER(_OpenHow),
            ctypes.c_size_t,
        ]

    def __call__(self, folder: int, path: bytes, flags: int, mode: int) -> int:
        how = _make_open_how(flags, mode)
        for _ in range(_TRIES):
            found = self._call(_OPENAT2, folder, path, how, _HOW_SIZE)
            if found >= 0:
                return int(found)
            # EAGAIN: a concurrent rename, so the kernel cannot decide.
            if ctypes.get_errno() not in (errno.EAGAIN, errno.EINTR):
                break
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), os.fsdecode(path))


@lru_cache(maxsize=1)
def _find_openat2() -> _Kernel | None:
    """Return the kernel's `openat2`, or None where it is missing or forbidden."""
    try:
        kernel = _Kernel()
        here = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, AttributeError):
        return None
    try:
        os.close(kernel(here, b".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, 0))
    except OSError:
        return None
    finally:
        os.close(here)
    return kernel


def _open_by_walking(folder: int, path: bytes, flags: int, mode: int) -> int:
    *above, name = path.split(b"/")
    with contextlib.ExitStack() as opened:
        for part in above:
            folder = _enter_folder(folder, part)
            opened.callback(os.close, folder)
        if not _may_be_link(flags):
            _refuse_link(folder, name)
        return os.open(name, flags, mode, dir_fd=folder)


def _enter_folder(folder: int, name: bytes) -> int:
    # Checked first only for the right error: opening a link fails in any case.
    _refuse_link(folder, name)
    return os.open(name, PATH_ONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)


def _refuse_link(folder: int, name: bytes) -> None:
    with contextlib.suppress(FileNotFoundError):
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fsdecode(name))
