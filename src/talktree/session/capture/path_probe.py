"""What is at a path now: one look, links never followed, nothing decoded."""

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
"""What tells without reading that a thing is still the same: as long as its stamp is equal."""
_INODE, _MTIME, _CTIME, _DEVICE = 1, 3, 4, 6
"""Where a stamp has these."""
TRIES = 3
_ODD = {
    stat.S_IFSOCK: "a socket",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_GONE = (errno.ENOENT, errno.ENOTDIR)


class LookedState(NamedTuple):
    """A state, and the stamp the thing had; None if nothing was there or nobody could see."""

    state: State
    stamp: Stamp | None = None


def read_state(workspace: Anchor, path: bytes, contents: Contents | None, limits: Limits) -> State:
    """The state of a path; its content is kept too if there is a place for it.

    A file that changes while it is read is read again, and is unknown if it goes on changing.
    """
    return read_state_and_stamp(workspace, path, contents, limits).state


def read_state_and_stamp(
    workspace: Anchor, path: bytes, contents: Contents | None, limits: Limits
) -> LookedState:
    """The state of a path and its stamp."""
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
    """The stamp of a thing; a folder's says nothing of what is in it."""
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
    """What all names of one file have in common, by the stamp of one of them."""
    return stamp[_INODE], stamp[_DEVICE]


def read_clock() -> int:
    """Now, by the clock the kernel takes for the times of files."""
    coarse = getattr(time, "CLOCK_REALTIME_COARSE", None)
    return time.time_ns() if coarse is None else time.clock_gettime_ns(coarse)


def is_young(stamp: Stamp, now: int, limits: Limits) -> bool:
    """Whether a thing was changed so shortly before that one more change may not show."""
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
    """What a thing is; None if it became another one meanwhile."""
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
        # Not to wait for a writer if a FIFO has taken the place of the file.
        fd = workspace.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except PathEscapes:
        # A link took its place; if one is on the way, looking again says so.
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
            # A write that is still going on has set the times when it began: they prove nothing.
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
    """The hash, size and pieces of a descriptor's content, read as it would be kept."""
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
