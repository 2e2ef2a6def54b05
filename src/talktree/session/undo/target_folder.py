"""The folder that a move works on: its paths, protected paths, and temporary names."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Protocol

from talktree.errors import PathEscapes
from talktree.files.sandbox import Anchor
from talktree.files.sandbox_open import check_path
from talktree.session.capture.blobs import Contents
from talktree.session.capture.file_state import (
    ABSENT,
    FileContentState,
    Folder,
    State,
    UnknownState,
)
from talktree.session.capture.limits import Limits
from talktree.session.capture.path_probe import LookedState, read_state_and_stamp

TEMPORARY = b".talktree-"
"""The prefix of temporary names of a move."""
SHORT = 8


class Supply(Protocol):
    """A source of the contents that a move writes."""

    def find_problem(self, file: FileContentState) -> str | None:
        """Return why the content of a file is not available."""
        ...

    def pieces(self, file: FileContentState) -> Iterator[bytes]:
        """Yield the content of a file, verified while it is read."""
        ...


class MoveFolder:
    """A folder whose paths are moved."""

    def __init__(self, folder: Anchor, limits: Limits, store: Path | None = None) -> None:
        self.folder = folder
        self.limits = limits
        self._store = None if store is None else _find_store_path(store, folder.path)

    def find_refusal(self, path: bytes) -> str | None:
        """Return why a path is never touched, even if a session names it."""
        try:
            check_path(path)
        except PathEscapes as error:
            return error.message
        if self.limits.skipped.intersection(path.split(b"/")):
            return "it belongs to a version-control system"
        if self._store is not None and (path + b"/").startswith(self._store + b"/"):
            return "it belongs to the store of sessions"
        return None

    def look(self, path: bytes, contents: Contents | None = None) -> LookedState:
        """Return the state of a path; a link on the way there makes it unknown."""
        try:
            return read_state_and_stamp(self.folder, path, contents, self.limits)
        except PathEscapes as error:
            return LookedState(UnknownState(error.message))

    def read_state(self, path: bytes) -> State:
        """Return the state of a path."""
        return self.look(path).state

    def kind(self, path: bytes) -> State:
        """Return whether a folder, nothing or something else is at a path, without reading it."""
        try:
            found = self.folder.lstat(path)
        except PathEscapes as error:
            return UnknownState(error.message)
        if found is None:
            return ABSENT
        if stat.S_ISDIR(found.st_mode):
            return Folder(mode=stat.S_IMODE(found.st_mode))
        return UnknownState("not looked at")

    def read(self, path: bytes, seen: State) -> bytes | None:
        """Return the content of a small file, if it is unchanged since it was read."""
        if not isinstance(seen, FileContentState):
            return None
        try:
            fd = self.folder.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except (OSError, PathEscapes):
            return None
        with open(fd, "rb") as file:
            data = file.read(seen.size + 1)
        return data if sha256(data).hexdigest() == seen.hash else None

    def list_names(self, path: bytes) -> list[bytes]:
        """Return the paths directly in a folder."""
        found = [path + b"/" + os.fsencode(entry.name) for entry in self.folder.entries(path)]
        return sorted(found)

    def find_free_name(self, path: bytes, mark: str, taken: set[bytes]) -> bytes:
        """Return an unused name beside a path, with a mark before its suffix."""
        folder, slash, name = path.rpartition(b"/")
        stem, dot, ending = name.rpartition(b".")
        if not stem:
            stem, dot, ending = name, b"", b""
        number = 1
        while True:
            middle = mark if number == 1 else f"{mark}-{number}"
            tried = folder + slash + stem + b"." + middle.encode() + dot + ending
            if tried not in taken and self.look(tried).state == ABSENT:
                return tried
            number += 1


def _find_store_path(store: Path, workspace: Path) -> bytes | None:
    """Return where the store is in a workspace; None if it is elsewhere."""
    real, base = os.path.realpath(store), os.path.realpath(workspace)
    if not real.startswith(base.rstrip("/") + "/"):
        return None
    return os.fsencode(os.path.relpath(real, base))


def get_parent(path: bytes) -> bytes:
    """Return the folder of a path; empty for the workspace itself."""
    return path.rpartition(b"/")[0]


def count_depth(path: bytes) -> int:
    """Return how many folders a path is below."""
    return path.count(b"/")


def make_temporary_name(move: str, path: bytes, ending: bytes) -> bytes:
    """Return a temporary name, which can be computed again from the move and the path."""
    number = blake2b(path, digest_size=8).hexdigest().encode()
    return make_move_mark(move) + number + ending


def make_move_mark(move: str) -> bytes:
    """Return the prefix of all temporary names of a move."""
    return TEMPORARY + move[:SHORT].encode() + b"-"
