"""Executing a plan: everything that may run out of space first, then only names change.

First missing folders are created and every new content is written under a temporary name and
synced; until then no path has changed. Then files that change their kind are stashed, the new ones
get their names, files are removed, modes are set, and folders are removed last, only if they are
empty. Immediately before a file is replaced or removed it must still be the one in the plan.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from talktree.errors import WorldMoved
from talktree.files.durable import write_all
from talktree.session.capture.file_state import AbsentState, FileContentState, Folder, LinkState
from talktree.session.capture.path_probe import Stamp, make_stamp
from talktree.session.undo.plan import UndoAction
from talktree.session.undo.stash import OLD, TemporaryNames
from talktree.session.undo.target_folder import (
    MoveFolder,
    Supply,
    count_depth,
    get_parent,
    make_temporary_name,
)

THREADS = 16
"""Number of threads that wait for the disk."""
NEW = b".new"
Item = TypeVar("Item")


class Execution:
    """The execution of one plan."""

    def __init__(
        self,
        ground: MoveFolder,
        supply: Supply,
        move: str,
        actions: Iterable[UndoAction],
        stamps: Mapping[bytes, Stamp | None],
    ) -> None:
        self._ground = ground
        self._folder = ground.folder
        self._supply = supply
        self._move = move
        self._actions = [action for action in actions if action.has_effect]
        self._stamps = stamps
        self._aside = {action.path for action in self._actions if _changes_kind(action)}
        self._temporaries: dict[bytes, bytes] = {}
        self._made: set[bytes] = set()
        self._touched: set[bytes] = set()
        """Folders in which names changed."""
        self.left: dict[bytes, str] = {}
        """Folders that could not be removed, because they are not empty any more."""

    def run(self) -> None:
        """Execute everything; the caller cleans up if this raises an error."""
        self._write_new_files()
        self._put_aside()
        self._place_files()
        self._delete_files()
        self._set_modes()
        self._remove_folders()
        self._close_folders()
        self._sync_folders()

    # nothing has changed yet

    def _write_new_files(self) -> None:
        for action in self._select_actions("mkdir"):
            if not self._is_below_aside(action.path) and action.path not in self._aside:
                self._make_folder(action.path)
        writes = self._select_actions("write")
        for action in writes:
            self._temporaries[action.path] = self._make_temporary_name(action.path, NEW)
        _run_parallel(self._write_file, writes)

    def _write_file(self, action: UndoAction) -> None:
        assert isinstance(action.after, FileContentState)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        fd = self._folder.open(self._temporaries[action.path], flags, 0o600)
        try:
            for piece in self._supply.pieces(action.after):
                write_all(fd, piece)
            os.fchmod(fd, action.after.mode)
            os.fsync(fd)
        finally:
            os.close(fd)

    def _make_temporary_name(self, path: bytes, ending: bytes) -> bytes:
        """Return a name near a path, in a folder that exists and stays."""
        folder = get_parent(path)
        while folder and (
            folder in self._aside
            or self._is_below_aside(folder)
            or not isinstance(self._ground.kind(folder), Folder)
        ):
            folder = get_parent(folder)
        name = make_temporary_name(self._move, path, ending)
        self._touched.add(folder)
        return folder + b"/" + name if folder else name

    def _is_below_aside(self, path: bytes) -> bool:
        folder = get_parent(path)
        while folder:
            if folder in self._aside:
                return True
            folder = get_parent(folder)
        return False

    # names change

    def _put_aside(self) -> None:
        for path in sorted(self._aside):
            self._check_unchanged(path)
            self._folder.rename(path, self._make_temporary_name(path, OLD))
            self._touched.add(get_parent(path))

    def _place_files(self) -> None:
        for action in self._select_actions("mkdir"):
            if action.path not in self._made:
                self._make_folder(action.path)
        _run_parallel(
            lambda each: self._replace_path(each, self._temporaries[each.path]),
            self._select_actions("write"),
        )
        for action in self._select_actions("link"):
            assert isinstance(action.after, LinkState)
            name = self._make_temporary_name(action.path, NEW)
            self._folder.symlink(action.after.target, name)
            self._replace_path(action, name)

    def _replace_path(self, action: UndoAction, name: bytes) -> None:
        if action.path not in self._aside:
            self._check_unchanged(action.path)
        self._folder.rename(name, action.path)
        self._touched.add(get_parent(action.path))

    def _delete_files(self) -> None:
        _run_parallel(self._delete_path, self._select_actions("delete"))

    def _set_modes(self) -> None:
        """Set modes.

        A mode is that of all names of a file, so all are checked before the first is set.
        """
        files = [
            each
            for each in self._select_actions("chmod")
            if isinstance(each.after, FileContentState)
        ]
        for action in files:
            self._check_unchanged(action.path)
        for action in files:
            assert isinstance(action.after, FileContentState)
            self._folder.chmod(action.path, action.after.mode)

    def _remove_folders(self) -> None:
        for action in self._select_actions("rmdir"):
            if not self._is_below_aside(action.path):
                self._remove_folder(action.path)
        if self._aside:
            self.left |= TemporaryNames(self._ground, self._move, self._actions).remove_stashed()

    def _close_folders(self) -> None:
        """Set modes of inner folders first, so that a closed folder is closed last."""
        folders = [each for each in self._actions if isinstance(each.after, Folder)]
        for action in sorted(folders, key=lambda each: -count_depth(each.path)):
            assert isinstance(action.after, Folder)
            self._folder.chmod(action.path, action.after.mode)

    def _delete_path(self, action: UndoAction) -> None:
        if not self._is_below_aside(action.path):
            self._check_unchanged(action.path)
            self._folder.unlink(action.path)
            self._touched.add(get_parent(action.path))

    def _remove_folder(self, path: bytes) -> None:
        try:
            self._folder.rmdir(path)
            self._touched.add(get_parent(path))
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            self.left[path] = "the folder is not empty any more"

    # helpers

    def _select_actions(self, kind: str) -> list[UndoAction]:
        return [action for action in self._actions if action.action == kind]

    def _make_folder(self, path: bytes) -> None:
        self._folder.mkdir(path, 0o700)
        self._made.add(path)
        self._touched.update((path, get_parent(path)))

    def _check_unchanged(self, path: bytes) -> None:
        """Raise an error if a path is not as the plan has seen it."""
        seen = self._stamps.get(path)
        found = self._folder.lstat(path)
        now = None if found is None else make_stamp(found)
        if _without_unstable_parts(seen) != _without_unstable_parts(now):
            raise WorldMoved(
                f"{os.fsdecode(path)!r} was changed while it was being moved",
                hint="everything was put back; look at the plan again",
            )

    def _sync_folders(self) -> None:
        """Sync the names, each folder once."""
        _run_parallel(self._sync_folder, sorted(self._touched))

    def _sync_folder(self, path: bytes) -> None:
        if path and not isinstance(self._ground.kind(path), Folder):
            return
        fd = self._folder.open_folder(path or b".")
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def _without_unstable_parts(stamp: Stamp | None) -> Stamp | None:
    """Return the stamp without ctime and links, which change with other names of the file."""
    if stamp is None or len(stamp) < 7:
        return stamp
    mode, inode, size, modified, _, _, device = stamp
    return mode, inode, size, modified, device


def _changes_kind(action: UndoAction) -> bool:
    """Whether a path cannot be replaced directly: one of the states is a folder."""
    before, after = action.before, action.after
    if isinstance(before, AbsentState) or isinstance(after, AbsentState):
        return False
    return isinstance(before, Folder) != isinstance(after, Folder)


def _run_parallel(work: Callable[[Item], None], items: Sequence[Item]) -> None:
    """Run a function for many items in threads; the first error is raised when all have ended."""
    threads = min(THREADS, len(items))
    if threads < 2:
        _run_each(work, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        shares = [pool.submit(_run_each, work, items[at::threads]) for at in range(threads)]
        for share in shares:
            share.result()


def _run_each(work: Callable[[Item], None], items: Iterable[Item]) -> None:
    for item in items:
        work(item)
