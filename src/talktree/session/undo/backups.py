"""Backups of other programs: found inside the session or the store, and verified.

A snapshot of another program names a file in which it keeps the earlier content of a path. The name
is not trusted: it is looked up inside the session's folder, then inside the root of the store,
without following links, and its content must have the hash in the snapshot.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from hashlib import sha256

from talktree.errors import PathEscapes, TalktreeError, Unreadable
from talktree.files.sandbox import Anchor
from talktree.session.capture.blobs import Contents
from talktree.session.capture.file_state import FileContentState, State, UnknownState
from talktree.session.capture.snapshots import FOREIGN_MODE, ForeignBackup, SnapshotLine
from talktree.session.handle import SessionHandle

BLOCK = 1 << 20


class ForeignSupply:
    """Backups of other programs for a session; a `Supply` of them and the session's own."""

    def __init__(self, opened: SessionHandle) -> None:
        self._opened = opened
        self._places: dict[str, tuple[bytes, bool]] = {}
        """By hash: a path, and whether it is below the root instead of the session."""

    @property
    def supply(self) -> ForeignSupply:
        """The supply of the contents."""
        return self

    def resolve_backups(self, snapshots: Iterable[SnapshotLine]) -> list[SnapshotLine]:
        """Return the snapshots, with earlier states known where a valid backup has them."""
        return [self._load_known(taken) if taken.backups else taken for taken in snapshots]

    def _load_known(self, taken: SnapshotLine) -> SnapshotLine:
        backups = {backup.path: backup for backup in taken.backups}
        changes = [
            change._replace(before=self._read_state(backups[change.path]))
            if change.path in backups and not isinstance(change.before, FileContentState)
            else change
            for change in taken.changes
        ]
        return taken._replace(changes=tuple(changes))

    def _read_state(self, backup: ForeignBackup) -> State:
        if backup.hash is None:
            return UnknownState("its backup has no hash to verify it by")
        name = self._to_relative(backup.place)
        if name is None:
            return UnknownState("its backup lies outside of the store")
        why = "its backup is missing"
        for beneath_root in (False, True):
            try:
                size = self._verify_backup(name, backup.hash, beneath_root=beneath_root)
            except PathEscapes:
                return UnknownState("its backup lies outside of the store")
            except FileNotFoundError:
                continue
            except OSError as error:
                return UnknownState(f"its backup cannot be read: {error.strerror or error}")
            if size is None:
                why = "its backup is damaged: it does not have the hash that was recorded"
                continue
            self._places[backup.hash] = name, beneath_root
            return FileContentState(hash=backup.hash, size=size, mode=FOREIGN_MODE)
        return UnknownState(why)

    def _to_relative(self, place: str) -> bytes | None:
        """Return a path in the session or in the store; None if it is elsewhere."""
        name = place.encode("utf-8", "surrogatepass")
        if not name.startswith(b"/"):
            return name
        for folder in (self._opened.folder.path, self._opened.root):
            start = os.fsencode(folder) + b"/"
            if name.startswith(start):
                return name.removeprefix(start)
        return None

    def _open_backup(self, name: bytes, *, beneath_root: bool) -> int:
        flags = os.O_RDONLY | os.O_NONBLOCK
        if beneath_root:
            with Anchor(self._opened.root) as root:
                fd = root.open(name, flags)
        else:
            fd = self._opened.folder.open(name, flags)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise OSError(0, "is no file")
        return fd

    def _verify_backup(self, name: bytes, hash: str, *, beneath_root: bool) -> int | None:
        """Return the size of a backup; None if its content is a different one."""
        found, size = sha256(), 0
        for block in self._read_blocks(name, beneath_root=beneath_root):
            found.update(block)
            size += len(block)
            if size > self._opened.limits.largest_file:
                raise OSError(0, "larger than a session keeps")
        return size if found.hexdigest() == hash else None

    def _read_blocks(self, name: bytes, *, beneath_root: bool) -> Iterator[bytes]:
        with open(self._open_backup(name, beneath_root=beneath_root), "rb", buffering=0) as file:
            while block := file.read(BLOCK):
                yield block

    # supply

    def find_problem(self, file: FileContentState) -> str | None:
        """Return why a content is not available."""
        if file.hash not in self._places:
            return self._opened.contents.find_problem(file)
        try:
            for _ in self.pieces(file):
                pass
        except TalktreeError as error:
            return error.message
        return None

    def pieces(self, file: FileContentState) -> Iterator[bytes]:
        """Yield the content of a file; a wrong hash is noticed at the end."""
        if file.hash not in self._places:
            yield from self._opened.contents.pieces(file)
            return
        name, beneath_root = self._places[file.hash]
        found = sha256()
        try:
            for block in self._read_blocks(name, beneath_root=beneath_root):
                found.update(block)
                yield block
        except (OSError, PathEscapes) as error:
            raise _missing_error(file, str(error)) from None
        if found.hexdigest() != file.hash:
            raise _missing_error(file, "is damaged")

    def keep(self, states: Iterable[State], contents: Contents) -> None:
        """Copy contents of other programs into the session's own."""
        for state in states:
            if isinstance(state, FileContentState) and state.hash in self._places:
                name, beneath_root = self._places[state.hash]
                fd = self._open_backup(name, beneath_root=beneath_root)
                try:
                    contents.keep(fd, state.size)
                finally:
                    os.close(fd)


def _missing_error(file: FileContentState, why: str) -> Unreadable:
    return Unreadable(f"the backup of {file.hash[:12]}… {why}", hint="it cannot be restored")
