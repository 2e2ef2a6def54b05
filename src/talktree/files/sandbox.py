"""A sandbox: file operations below one open folder that cannot leave it.

The folder stays the same even if it is renamed; links on the way to a path in it are never
followed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from talktree.errors import NotFound, PathEscapes, Unreadable
from talktree.files.sandbox_open import PATH_ONLY, check_path, open_beneath

__all__ = ["Anchor", "check_path"]

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NOTHING = (errno.ENOENT, errno.ENOTDIR)


class Anchor:
    """A folder that is held open; paths are relative bytes with "/" (see `check_path`)."""

    def __init__(self, path: Path | str, *, create: bool = False, mode: int = 0o700) -> None:
        self.path = Path(path).absolute()
        if create:
            _make_folder(self.path, mode)
        self._hold(_open_folder(self.path))

    def _hold(self, fd: int) -> None:
        self.fd = fd
        found = os.fstat(fd)
        self.identity = (found.st_dev, found.st_ino)

    def open_anchor(self, path: bytes) -> Anchor:
        """Open a subfolder as an anchor."""
        try:
            fd = self.open(path, FOLDER)
        except NotADirectoryError:
            raise Unreadable(
                f"{self.path / os.fsdecode(path)}: is no folder", hint="a folder is needed there"
            ) from None
        inner = Anchor.__new__(Anchor)
        inner.path = self.path / os.fsdecode(path)
        inner._hold(fd)
        return inner

    def open(self, path: bytes, flags: int, mode: int = 0o600) -> int:
        """Open a path and return its descriptor; raise `OSError` as usual, `PathEscapes` for
        links."""
        return open_beneath(self.fd, check_path(path), flags, mode)

    @contextlib.contextmanager
    def open_parent(self, path: bytes) -> Iterator[tuple[int, bytes]]:
        """Return a descriptor of the parent folder of a path, and the name in it."""
        above, _, name = check_path(path).rpartition(b"/")
        if not above:
            yield self.fd, name
            return
        fd = open_beneath(self.fd, above, FOLDER)
        try:
            yield fd, name
        finally:
            os.close(fd)

    def lstat(self, path: bytes) -> os.stat_result | None:
        """Return the stat result of a path, without following links; None if it or its folder is
        missing."""
        above, _, name = check_path(path).rpartition(b"/")
        try:
            if not above:
                return os.stat(name, dir_fd=self.fd, follow_symlinks=False)
            folder = open_beneath(self.fd, above, PATH_ONLY | os.O_DIRECTORY)
            try:
                return os.stat(name, dir_fd=folder, follow_symlinks=False)
            finally:
                os.close(folder)
        except OSError as error:
            if error.errno in _NOTHING:
                return None
            raise

    def readlink(self, path: bytes) -> bytes:
        """Return the target of a link."""
        with self.open_parent(path) as (folder, name):
            return os.readlink(name, dir_fd=folder)

    def mkdir(self, path: bytes, mode: int = 0o700) -> None:
        """Create a folder."""
        with self.open_parent(path) as (folder, name):
            os.mkdir(name, mode, dir_fd=folder)

    def rmdir(self, path: bytes) -> None:
        """Remove an empty folder."""
        with self.open_parent(path) as (folder, name):
            os.rmdir(name, dir_fd=folder)

    def unlink(self, path: bytes) -> None:
        """Remove anything except a folder."""
        with self.open_parent(path) as (folder, name):
            os.unlink(name, dir_fd=folder)

    def symlink(self, target: bytes, path: bytes) -> None:
        """Create a link; its target is not checked here."""
        with self.open_parent(path) as (folder, name):
            os.symlink(target, name, dir_fd=folder)

    def rename(self, old: bytes, new: bytes) -> None:
        """Rename a file, replacing an existing target."""
        with self.open_parent(old) as (folder, name), self.open_parent(new) as (other, new_name):
            os.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=other)

    def chmod(self, path: bytes, mode: int) -> None:
        """Set the mode of a file or a folder, never of a link's target."""
        with self.open_parent(path) as (folder, name):
            fd = os.open(name, PATH_ONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            try:
                if stat.S_ISLNK(os.fstat(fd).st_mode):
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fsdecode(path))
                _chmod(fd, mode)
            finally:
                os.close(fd)

    def entries(self, path: bytes = b".") -> Iterator[os.DirEntry[str]]:
        """Return the entries of a subfolder, or of this folder (`.`); names are `os.fsdecode`d."""
        fd = self.open_folder(path)
        try:
            with os.scandir(fd) as found:
                yield from found
        finally:
            os.close(fd)

    def open_folder(self, path: bytes = b".") -> int:
        """Return a new descriptor of a subfolder, or of this folder (`.`)."""
        if path == b".":
            return os.open(".", FOLDER, dir_fd=self.fd)
        return self.open(path, FOLDER)

    def close(self) -> None:
        """Close the folder; the anchor cannot be used any more."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __enter__(self) -> Anchor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _chmod(fd: int, mode: int) -> None:
    """Set the mode of an open descriptor, also of an `O_PATH` one."""
    try:
        os.fchmod(fd, mode)
    except OSError as error:
        if error.errno != errno.EBADF:
            raise
        # The kernel does not accept such descriptors themselves, but their names in /proc.
        os.chmod(f"/proc/self/fd/{fd}", mode)


def _make_folder(path: Path, mode: int) -> None:
    """Create a folder and its parents, each synced into the one that contains it."""
    missing = [path, *path.parents]
    missing = [folder for folder in missing if not folder.exists() and not folder.is_symlink()]
    for folder in reversed(missing):
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode if folder == path else 0o777)
        above = os.open(folder.parent, FOLDER)
        try:
            os.fsync(above)
        finally:
            os.close(above)


def _open_folder(path: Path) -> int:
    try:
        return os.open(path, FOLDER | os.O_NOFOLLOW)
    except FileNotFoundError:
        raise NotFound(f"{path}: there is no such folder", hint="check the path") from None
    except OSError as error:
        if path.is_symlink():
            raise PathEscapes(
                f"{path}: is a link", hint="name the folder itself that the link leads to"
            ) from None
        raise Unreadable(
            f"{path}: cannot be opened as a folder: {error.strerror}", hint="check the path"
        ) from None
