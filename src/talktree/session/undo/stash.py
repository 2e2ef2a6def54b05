"""Stashed and unfinished files of a move: found again by their names, and restored or removed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator

from talktree.session.capture.file_state import AbsentState, Folder, State, is_same_content
from talktree.session.undo.move_records import PathMove
from talktree.session.undo.plan import UndoAction
from talktree.session.undo.target_folder import (
    SHORT,
    MoveFolder,
    count_depth,
    get_parent,
    make_move_mark,
    make_temporary_name,
)

OLD = b".old"


class TemporaryNames:
    """The temporary names of one move."""

    def __init__(
        self, ground: MoveFolder, move: str, actions: Iterable[UndoAction | PathMove]
    ) -> None:
        self._ground = ground
        self._folder = ground.folder
        self._mark = make_move_mark(move)
        self._short = move[:SHORT]
        self._befores: dict[bytes, State] = {each.path: each.before for each in actions}
        self._olds = {make_temporary_name(move, path, OLD): path for path in self._befores}

    def recover(self) -> dict[bytes, str]:
        """Recover after an interruption: temporary names are removed without losing a file."""
        for name in self._list_names():
            if not name.endswith(OLD):
                self._folder.unlink(name)
                continue
            path = self._find_path(name)
            if path is not None and isinstance(self._ground.kind(path), AbsentState):
                self._folder.rename(name, path)
        return self.remove_stashed()

    def remove_stashed(self) -> dict[bytes, str]:
        """Remove stashed files if they are unchanged; a changed one gets a visible name."""
        details: dict[bytes, str] = {}
        for name in self._list_names():
            path = self._find_path(name)
            if not name.endswith(OLD) or path is None:
                continue
            if isinstance(self._befores.get(path), Folder):
                self._empty_folder(path, name)
            elif is_same_content(self._ground.read_state(name), self._befores[path]):
                self._folder.unlink(name)
            if not isinstance(self._ground.kind(name), AbsentState):
                kept = self._ground.find_free_name(path, f"kept-{self._short}", set())
                self._folder.rename(name, kept)
                details[path] = f"what was put into it meanwhile is at {os.fsdecode(kept)}"
        return details

    def _empty_folder(self, path: bytes, name: bytes) -> None:
        """Remove from a folder what the move removes, and then the folder."""
        inside = [each for each in self._befores if each.startswith(path + b"/")]
        for each in sorted(inside, key=count_depth, reverse=True):
            before, there = self._befores[each], name + each.removeprefix(path)
            if isinstance(before, Folder):
                with contextlib.suppress(OSError):
                    self._folder.rmdir(there)
            elif not isinstance(before, AbsentState) and is_same_content(
                self._ground.read_state(there), before
            ):
                self._folder.unlink(there)
        with contextlib.suppress(OSError):
            self._folder.rmdir(name)

    def _find_path(self, name: bytes) -> bytes | None:
        """Return the path whose file has this temporary name."""
        return self._olds.get(name.rpartition(b"/")[2])

    def _list_names(self) -> list[bytes]:
        """Return the existing temporary names, in the folders of the paths and those above."""
        folders: set[bytes] = {b""}
        for path in self._befores:
            folder = get_parent(path)
            while folder and folder not in folders:
                folders.add(folder)
                folder = get_parent(folder)
        return sorted(name for folder in folders for name in self._list_names_in(folder))

    def _list_names_in(self, folder: bytes) -> Iterator[bytes]:
        if folder and not isinstance(self._ground.kind(folder), Folder):
            return
        for entry in self._folder.entries(folder or b"."):
            name = os.fsencode(entry.name)
            if name.startswith(self._mark):
                yield folder + b"/" + name if folder else name
