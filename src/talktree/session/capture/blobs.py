"""Contents of files, named by their hash: `backups/<sha256>.backup`.

A new content has a temporary name until it is synced and gets its final name. So no content has a
name that it does not hash to, and every named content is on the disk.

A content is stored as one file up to a size, and in pieces of equal size above it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from talktree.errors import NotSaved, PathEscapes, Unreadable
from talktree.files.durable import (
    UNFINISHED,
    make_temporary_name,
    sync_filesystem,
    sync_folder,
    write_all,
)
from talktree.files.sandbox import Anchor
from talktree.session.capture.file_state import HASH_LENGTH, FileContentState
from talktree.session.capture.limits import MIB

WHOLE = 8 * MIB
"""The largest content that is stored as one file."""
PIECE = MIB


class StoredBlob(NamedTuple):
    """A stored content or piece."""

    hash: str
    data: bytes


def cut_pieces(source: int, most: int) -> Iterator[StoredBlob]:
    """Yield the content of a descriptor from its current offset on, in the pieces that are stored.

    Reading ends after `most` bytes; the sizes show whether the content is longer.
    """
    first = _read_block(source, min(WHOLE, most) + 1)
    if len(first) <= WHOLE:
        yield StoredBlob(sha256(first).hexdigest(), first)
        return
    rest, done = first, 0
    while rest and done <= most:
        while len(rest) < PIECE and (more := _read_block(source, PIECE)):
            rest += more
        data, rest = rest[:PIECE], rest[PIECE:]
        done += len(data)
        yield StoredBlob(sha256(data).hexdigest(), data)


def _read_block(source: int, size: int) -> bytes:
    """Return exactly `size` bytes, fewer only at the end."""
    found = os.read(source, size)
    if not found or len(found) == size:
        return found
    parts, have = [found], len(found)
    while have < size and (part := os.read(source, size - have)):
        parts.append(part)
        have += len(part)
    return b"".join(parts)


FOLDER = b"backups"
ENDING = ".backup"
MANY = 32
"""From this number on, new contents are synced together, with their file system."""
_HEX = frozenset("0123456789abcdef")
_ENDLESS = 1 << 62


def build_content_path(hash: str) -> str:
    """Return the path of a content below the folder of its session."""
    return f"{FOLDER.decode()}/{hash}{ENDING}"


class _Pending(NamedTuple):
    temporary: str
    thread: int


class Contents:
    """The stored contents of a session; several threads and processes may add to them."""

    def __init__(self, folder: Anchor) -> None:
        self._session = folder
        # A link in its place is refused here. The folder is created when it is needed, not for
        # reading.
        there = folder.lstat(FOLDER) is not None
        self._held = folder.open_anchor(FOLDER) if there else None
        self._lock = threading.RLock()
        self._pending: dict[str, _Pending] = {}
        self._failed: set[int] = set()
        self._certain: set[str] = set()
        self._found_new = False
        self.written = 0
        """Bytes of contents that this object stored and that were new."""

    def close(self) -> None:
        """Discard contents that were not flushed, and close the folder."""
        with self._lock:
            self._forget_pending()
            if self._held is not None:
                self._held.close()

    @property
    def _folder(self) -> Anchor:
        with self._lock:
            if self._held is None:
                with contextlib.suppress(FileExistsError):
                    self._session.mkdir(FOLDER, 0o700)
                    sync_folder(self._session.fd)
                self._held = self._session.open_anchor(FOLDER)
            return self._held

    # storing

    def keep(
        self, source_fd: int, size_hint: int, most: int = _ENDLESS
    ) -> tuple[str, int, tuple[str, ...]]:
        """Store the content of a descriptor and return its hash, size and pieces, if any.

        It only counts after `flush`. A content longer than `most` is stored as far as it was read.
        """
        whole, size, names = sha256(), 0, []
        for piece in cut_pieces(source_fd, most):
            whole.update(piece.data)
            size += len(piece.data)
            names.append(piece.hash)
            self._keep(piece.hash, piece.data)
        if len(names) == 1:
            return names[0], size, ()
        return whole.hexdigest(), size, tuple(names)

    def keep_bytes(self, data: bytes) -> str:
        """Store bytes that are small enough for one content, and return the hash."""
        name = sha256(data).hexdigest()
        self._keep(name, data)
        return name

    def _keep(self, name: str, data: bytes) -> None:
        with self._lock:
            if name in self._certain or name in self._pending:
                return
            if self._is_there(name, data):
                self._found_new = True
                self._certain.add(name)
                return
            self._pending[name] = _Pending(self._write(data), threading.get_ident())
            self.written += len(data)

    def _is_there(self, name: str, data: bytes) -> bool:
        """Whether the content is already stored; if so, its grace period starts again.

        The bytes are compared, because a damaged file must be replaced with a valid one.
        """
        path = _build_file_name(name)
        found = self._folder.lstat(path)
        if found is None or not stat.S_ISREG(found.st_mode) or found.st_size != len(data):
            return False
        try:
            self._read_blob(name)
        except Unreadable:
            return False
        with contextlib.suppress(OSError):
            os.utime(path, dir_fd=self._folder.fd, follow_symlinks=False)
        return True

    def _write(self, data: bytes) -> str:
        temporary = make_temporary_name().decode()
        try:
            fd = self._folder.open(temporary.encode(), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                write_all(fd, data)
            finally:
                os.close(fd)
        except OSError as error:
            self._discard(temporary)
            raise _not_saved_error(error) from error
        return temporary

    def flush(self) -> None:
        """Sync everything stored so far and give it its final name."""
        with self._lock:
            self._raise_if_lost()
            if not self._pending and not self._found_new:
                return
            try:
                self._sync_data()
                for name, kept in self._pending.items():
                    self._folder.rename(kept.temporary.encode(), _build_file_name(name))
                sync_folder(self._folder.fd)
            except OSError as error:
                # A failed sync is never repeated: the kernel may have dropped the data, also for
                # other threads that were about to flush it.
                self._failed = {kept.thread for kept in self._pending.values()}
                self._failed.discard(threading.get_ident())
                self._certain.clear()
                self._forget_pending()
                raise _not_saved_error(error) from error
            self._certain.update(self._pending)
            self._pending.clear()
            self._found_new = False

    def _raise_if_lost(self) -> None:
        """Raise an error if another thread's failed sync lost contents of this one."""
        if threading.get_ident() in self._failed:
            self._failed.discard(threading.get_ident())
            raise _not_saved_error(OSError(errno.EIO, os.strerror(errno.EIO)))

    def _sync_data(self) -> None:
        if len(self._pending) >= MANY and sync_filesystem(self._folder.fd):
            return
        for kept in self._pending.values():
            fd = self._folder.open(kept.temporary.encode(), os.O_RDONLY)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)

    def _forget_pending(self) -> None:
        for kept in self._pending.values():
            self._discard(kept.temporary)
        self._pending.clear()

    def _discard(self, temporary: str) -> None:
        with contextlib.suppress(OSError):
            self._folder.unlink(temporary.encode())

    # reading

    def pieces(self, file: FileContentState) -> Iterator[bytes]:
        """Yield the content of a file; each piece is verified before it is returned."""
        whole, size = sha256(), 0
        for name in file.chunks or (file.hash,):
            data = self._read_blob(name)
            whole.update(data)
            size += len(data)
            yield data
        if (whole.hexdigest(), size) != (file.hash, file.size):
            raise _missing_error(file.hash, "its pieces do not make the content")

    def _read_blob(self, name: str) -> bytes:
        try:
            fd = self._folder.open(_build_file_name(name), os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            raise _missing_error(name, _describe_error(error)) from None
        except PathEscapes:
            raise _missing_error(name, "is a link") from None
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise _missing_error(name, "is no file")
            with open(fd, "rb", closefd=False) as file:
                data = file.read()
        except OSError as error:
            raise _missing_error(name, _describe_error(error)) from None
        finally:
            os.close(fd)
        if sha256(data).hexdigest() != name:
            raise _missing_error(name, "is damaged")
        return data

    def find_problem(self, file: FileContentState) -> str | None:
        """Return why a file's content is not available; None if it is complete and valid."""
        try:
            for _ in self.pieces(file):
                pass
        except Unreadable as error:
            return error.message
        return None

    def has_content(self, file: FileContentState) -> bool:
        """Whether the content of a file seems to be stored; nothing is read."""
        names = file.chunks or (file.hash,)
        return all(self._folder.lstat(_build_file_name(name)) is not None for name in names)

    # maintenance

    def list_hashes(self) -> Iterator[str]:
        """Yield the hashes of all contents."""
        for entry in self._folder.entries():
            name = entry.name.removesuffix(ENDING)
            if len(name) == HASH_LENGTH and name != entry.name and _HEX.issuperset(name):
                yield name

    def list_unfinished(self) -> Iterator[str]:
        """Yield the temporary names of active and dead writers."""
        for entry in self._folder.entries():
            if entry.name.startswith(UNFINISHED):
                yield entry.name

    def size_of(self, name: str) -> int:
        """Return the size of a content, which may be unfinished, in bytes."""
        found = self._folder.lstat(_build_file_name(name))
        return 0 if found is None else found.st_size

    def size(self) -> int:
        """Return the size of all contents in bytes, including those not flushed yet."""
        return sum(entry.stat(follow_symlinks=False).st_size for entry in self._folder.entries())

    def modified_at(self, name: str) -> float:
        """Return when a content was last stored, in seconds since 1970; it may be unfinished."""
        found = self._folder.lstat(_build_file_name(name))
        return 0.0 if found is None else found.st_mtime

    def remove(self, name: str) -> None:
        """Remove a content, which may be unfinished, that no line names."""
        with self._lock:
            self._certain.discard(name)
            self._folder.unlink(_build_file_name(name))


def _build_file_name(name: str) -> bytes:
    if name.startswith(UNFINISHED) and "/" not in name:
        return name.encode()
    if len(name) != HASH_LENGTH or not _HEX.issuperset(name):
        raise _missing_error(name, "is no name of a content")
    return f"{name}{ENDING}".encode()


def _missing_error(name: str, why: str) -> Unreadable:
    return Unreadable(f"the content {name[:12]}… {why}", hint="it cannot be restored from here")


def _describe_error(error: OSError) -> str:
    if error.errno == errno.ENOENT:
        return "is missing"
    return f"cannot be read: {error.strerror or error}"


def _not_saved_error(error: OSError) -> NotSaved:
    return NotSaved(
        f"the content of a file could not be kept: {error.strerror or error}",
        hint="nothing was recorded; make space or mend the disk, then try again",
    )
