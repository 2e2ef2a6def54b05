"""Reading the current state of a path; links are never followed, nothing is decoded."""

from __future__ import annotations

import errno
import os
import stat
import time
from hashlib import sha256
from typing import NamedTuple, TypeAlias

from talktree.errors import PathEscapes
from talktree.files.sandbox import Anchor
from talktree.session.capture.blobs import WHOLE, Contents, cut_pieces
from talktree.session.capture.file_state import (
    ABSENT,
    FileContentState,
    Folder,
    LinkState,
    State,
    UnknownState,
)
from talktree.session.capture.limits import GIB, MIB, Limits
from talktree.text.times import SECOND

Stamp: TypeAlias = tuple[int, ...]
"""Values that show without reading whether a file is unchanged."""
_INODE, _MTIME, _CTIME, _DEVICE = 1, 3, 4, 6
"""The indexes of these values in a stamp."""
TRIES = 3
_ODD = {
    stat.S_IFSOCK: "a socket",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_GONE = (errno.ENOENT, errno.ENOTDIR)


class LookedState(NamedTuple):
    """A state with its stamp, which is None if nothing was there or could be read."""

    state: State
    stamp: Stamp | None = None


def read_state(workspace: Anchor, path: bytes, contents: Contents | None, limits: Limits) -> State:
    """Return the state of a path; its content is stored if `contents` is given.

    A file that changes while it is read is read again, and is unknown if it keeps changing.
    """
    return read_state_and_stamp(workspace, path, contents, limits).state


def read_state_and_stamp(
    workspace: Anchor, path: bytes, contents: Contents | None, limits: Limits
) -> LookedState:
    """Return the state of a path and its stamp."""
    for _ in range(TRIES):
        try:
            found = workspace.lstat(path)
            if found is None:
                return LookedState(ABSENT)
            seen = _read_state_of(workspace, path, found, contents, limits)
        except OSError as error:
            if error.errno in _GONE:
                continue
            return LookedState(UnknownState(f"cannot be read: {error.strerror or error}"))
        if seen is not None:
            return seen
    return LookedState(UnknownState("it changes while it is read"))


def make_stamp(found: os.stat_result) -> Stamp:
    """Return the stamp of a file; a folder's stamp does not cover its members."""
    if stat.S_ISDIR(found.st_mode):
        return (found.st_mode,)
    return (
        found.st_mode,
        found.st_ino,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
        found.st_nlink,
        found.st_dev,
    )


def get_file_identity(stamp: Stamp) -> tuple[int, int]:
    """Return what all names of one file have in common, from the stamp of one of them."""
    return stamp[_INODE], stamp[_DEVICE]


def read_clock() -> int:
    """Return the current time of the clock that the kernel uses for file times."""
    coarse = getattr(time, "CLOCK_REALTIME_COARSE", None)
    return time.time_ns() if coarse is None else time.clock_gettime_ns(coarse)


def is_young(stamp: Stamp, now: int, limits: Limits) -> bool:
    """Whether a file was changed so recently that one more change may not show."""
    if len(stamp) <= _CTIME:
        return False
    return max(stamp[_MTIME], stamp[_CTIME]) + int(limits.racy_seconds * SECOND) >= now


def _read_state_of(
    workspace: Anchor,
    path: bytes,
    found: os.stat_result,
    contents: Contents | None,
    limits: Limits,
) -> LookedState | None:
    """Return the state of a file, or None if it was replaced meanwhile."""
    kind = stat.S_IFMT(found.st_mode)
    if kind == stat.S_IFDIR:
        return LookedState(Folder(mode=stat.S_IMODE(found.st_mode)), make_stamp(found))
    if kind == stat.S_IFLNK:
        return _read_link(workspace, path, found)
    if kind != stat.S_IFREG:
        return LookedState(
            UnknownState(_ODD.get(kind, "neither file, link nor folder")), make_stamp(found)
        )
    if found.st_size > limits.largest_file:
        return LookedState(_too_large_state(limits), make_stamp(found))
    return _read_file(workspace, path, contents, limits)


def _read_link(workspace: Anchor, path: bytes, found: os.stat_result) -> LookedState | None:
    with workspace.open_parent(path) as (folder, name):
        try:
            target = os.readlink(name, dir_fd=folder)
        except OSError as error:
            if error.errno == errno.EINVAL:
                return None
            raise
        again = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if make_stamp(again) != make_stamp(found):
        return None
    return LookedState(LinkState(target=target), make_stamp(found))


def _read_file(
    workspace: Anchor, path: bytes, contents: Contents | None, limits: Limits
) -> LookedState | None:
    try:
        # Do not wait for a writer if a FIFO has replaced the file.
        fd = workspace.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except PathEscapes:
        # A link replaced it, or is on the way; reading the path again finds out.
        return None
    try:
        began, before = read_clock(), os.fstat(fd)
        if not stat.S_ISREG(before.st_mode):
            return None
        if contents is None:
            hash, size, chunks = hash_file(fd, limits.largest_file)
        else:
            hash, size, chunks = contents.keep(fd, before.st_size, limits.largest_file)
        if is_young(make_stamp(before), began, limits):
            # A write in progress set the times when it began, so they prove nothing.
            os.lseek(fd, 0, os.SEEK_SET)
            if hash_file(fd, limits.largest_file)[0] != hash:
                return None
        after = os.fstat(fd)
    finally:
        os.close(fd)
    if size != after.st_size or make_stamp(before) != make_stamp(after):
        return None
    mode = stat.S_IMODE(after.st_mode)
    file = FileContentState(hash=hash, size=size, mode=mode, chunks=chunks, links=after.st_nlink)
    return LookedState(file, make_stamp(after))


def hash_file(fd: int, most: int) -> tuple[str, int, tuple[str, ...]]:
    """Return the hash, size and pieces of a descriptor's content, as it would be stored."""
    whole, size, names = sha256(), 0, []
    for piece in cut_pieces(fd, most):
        whole.update(piece.data)
        size += len(piece.data)
        names.append(piece.hash)
    return whole.hexdigest(), size, tuple(names) if size > WHOLE else ()


def _too_large_state(limits: Limits) -> UnknownState:
    large = limits.largest_file
    shown = f"{large // GIB} GiB" if large >= GIB else f"{large / MIB:g} MiB"
    return UnknownState(f"larger than {shown}")
