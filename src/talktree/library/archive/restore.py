"""Restoring archived files below one folder, whole or not at all, without overwriting anything.

Every chunk is checked against its hash on the way, and a file gets its name only when all of it is
written.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Protocol

from talktree.errors import NotFound, NotSaved, UsageError
from talktree.files.durable import make_temporary_name, write_all
from talktree.files.outputs import exists_error
from talktree.files.sandbox import Anchor, check_path
from talktree.library.archive.companion_files import find_archived_companions
from talktree.library.archive.source_versions import ArchivedFile, files_of
from talktree.library.archive.store import Archive
from talktree.library.database.connection import Database

_SOURCE = "SELECT path FROM sources WHERE id = ?"
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class RestorableLibrary(Protocol):
    """The part of a library that restoring needs."""

    @property
    def db(self) -> Database:
        """Its database."""

    @property
    def archive(self) -> Archive:
        """Its archive."""


def restore_source(
    library: RestorableLibrary,
    source: int,
    into: Path,
    version: int | None = None,
    *,
    whole_paths: bool = False,
    replace: bool = False,
) -> list[Path]:
    """Write the files of a source and its companion files below a folder.

    Existing files stay unless `replace` is set.

    A source gets its own name there, or with `whole_paths` its full original path, so that many
    sources do not collide.
    """
    row = library.db.read_one(_SOURCE, (source,))
    files = files_of(library.db, source, version)
    if row is None or not files:
        raise NotFound("nothing is kept of this conversation", hint="`talktree list` shows what is")
    files += [
        each.kept
        for each in find_archived_companions(library.db, library.archive, source, version).values()
    ]
    above = b"/" if whole_paths else os.path.dirname(row[0])
    with _open_target(into) as anchor:
        todo = [(_path_in_target(kept.path, above), kept) for kept in files]
        if not replace:
            for path, _ in todo:
                _refuse_existing(anchor, path)
        done: list[bytes] = []
        try:
            for path, kept in todo:
                restore_file(library.archive, kept, anchor, path, replace=replace)
                done.append(path)
        except BaseException:
            if not replace:
                _remove_partial(anchor, done)
            raise
        return [anchor.path / os.fsdecode(path) for path in done]


def restore_file(
    archive: Archive, kept: ArchivedFile, anchor: Anchor, path: bytes, *, replace: bool = False
) -> None:
    """Write one file at a path below a folder, with its modification time."""
    try:
        _make_folders(anchor, path)
        with anchor.open_parent(path) as (folder, name):
            building = make_temporary_name(name)
            try:
                _write_content(archive, kept, folder, building)
                _give_final_name(folder, building, name, replace=replace)
            finally:
                _remove(folder, building)
            os.fsync(folder)
    except FileExistsError:
        raise _exists_error(anchor, path) from None
    except OSError as error:
        raise NotSaved(
            f"{anchor.path / os.fsdecode(path)}: cannot be written: {error.strerror or error}",
            hint="nothing of this file was written; the library still has it",
        ) from None


def _remove_partial(anchor: Anchor, paths: list[bytes]) -> None:
    """Remove the files of an incomplete restore."""
    for path in paths:
        with anchor.open_parent(path) as (folder, name):
            _remove(folder, name)


def _open_target(into: Path) -> Anchor:
    try:
        return Anchor(into, create=True)
    except OSError as error:
        raise NotSaved(
            f"{into}: cannot be made: {error.strerror or error}", hint="name another folder"
        ) from None


def _path_in_target(path: bytes, above: bytes) -> bytes:
    """Return the path below the folder for a file, from its original path."""
    above = above.rstrip(b"/") + b"/"
    return check_path(path[len(above) :] if path.startswith(above) else os.path.basename(path))


def _refuse_existing(anchor: Anchor, path: bytes) -> None:
    if anchor.lstat(path) is not None:
        raise _exists_error(anchor, path)


def _exists_error(anchor: Anchor, path: bytes) -> UsageError:
    return exists_error(anchor.path / os.fsdecode(path), "move it away, or name another folder")


def _make_folders(anchor: Anchor, path: bytes) -> None:
    above = path.split(b"/")[:-1]
    for count in range(1, len(above) + 1):
        try:
            anchor.mkdir(b"/".join(above[:count]))
        except FileExistsError:
            continue


def _write_content(archive: Archive, kept: ArchivedFile, folder: int, name: bytes) -> None:
    fd = os.open(name, _NEW, 0o600, dir_fd=folder)
    try:
        if kept.length:
            for data in archive.read(kept.generation, 0, kept.length, verify=True):
                write_all(fd, data)
        os.utime(fd, ns=(kept.modified, kept.modified))
        os.fsync(fd)
    finally:
        os.close(fd)


def _give_final_name(folder: int, building: bytes, name: bytes, *, replace: bool) -> None:
    """Give a written file its final name by a link, which never replaces anything."""
    if replace:
        os.rename(building, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    try:
        os.link(building, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # A file system without links: checking first is the best that can be done.
        if os.path.lexists(b"/proc/self/fd/%d/%s" % (folder, name)):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        os.rename(building, name, src_dir_fd=folder, dst_dir_fd=folder)


def _remove(folder: int, name: bytes) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        pass
