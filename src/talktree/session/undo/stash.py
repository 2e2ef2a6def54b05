"""Things that a move has put aside or left unfinished: found again by their names and put right."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator

from talktree.session.capture.file_state import Absent, Folder, State, same_content
from talktree.session.undo.move_records import Moving
from talktree.session.undo.plan import Action
from talktree.session.undo.target_folder import SHORT, Ground, above, depth, mark_of, temporary

OLD = b".old"


class Aside:
    """The temporary names of one move."""

    def __init__(self, ground: Ground, move: str, actions: Iterable[Action | Moving]) -> None:
        self._ground = ground
        self._folder = ground.folder
        self._mark = mark_of(move)
        self._short = move[:SHORT]
        self._befores: dict[bytes, State] = {each.path: each.before for each in actions}
        self._olds = {temporary(move, path, OLD): path for path in self._befores}

    def put_right(self) -> dict[bytes, str]:
        """After an interruption: no temporary name is left, and nothing that had one is lost."""
        for name in self._names():
            if not name.endswith(OLD):
                self._folder.unlink(name)
                continue
            path = self._path_of(name)
            if path is not None and isinstance(self._ground.kind(path), Absent):
                self._folder.rename(name, path)
        return self.put_away()

    def put_away(self) -> dict[bytes, str]:
        """Remove what was put aside, if it is what it was; else it gets a name people see."""
        told: dict[bytes, str] = {}
        for name in self._names():
            path = self._path_of(name)
            if not name.endswith(OLD) or path is None:
                continue
            if isinstance(self._befores.get(path), Folder):
                self._empty(path, name)
            elif same_content(self._ground.state(name), self._befores[path]):
                self._folder.unlink(name)
            if not isinstance(self._ground.kind(name), Absent):
                kept = self._ground.free_name(path, f"kept-{self._short}", set())
                self._folder.rename(name, kept)
                told[path] = f"what was put into it meanwhile is at {os.fsdecode(kept)}"
        return told

    def _empty(self, path: bytes, name: bytes) -> None:
        """Remove from a folder what the move removes, and then the folder."""
        inside = [each for each in self._befores if each.startswith(path + b"/")]
        for each in sorted(inside, key=depth, reverse=True):
            before, there = self._befores[each], name + each.removeprefix(path)
            if isinstance(before, Folder):
                with contextlib.suppress(OSError):
                    self._folder.rmdir(there)
            elif not isinstance(before, Absent) and same_content(self._ground.state(there), before):
                self._folder.unlink(there)
        with contextlib.suppress(OSError):
            self._folder.rmdir(name)

    def _path_of(self, name: bytes) -> bytes | None:
        """The path whose thing has this name."""
        return self._olds.get(name.rpartition(b"/")[2])

    def _names(self) -> list[bytes]:
        """The temporary names that are there, in the folders of the paths and those above."""
        folders: set[bytes] = {b""}
        for path in self._befores:
            folder = above(path)
            while folder and folder not in folders:
                folders.add(folder)
                folder = above(folder)
        return sorted(name for folder in folders for name in self._in(folder))

    def _in(self, folder: bytes) -> Iterator[bytes]:
        if folder and not isinstance(self._ground.kind(folder), Folder):
            return
        for entry in self._folder.entries(folder or b"."):
            name = os.fsencode(entry.name)
            if name.startswith(self._mark):
                yield folder + b"/" + name if folder else name
