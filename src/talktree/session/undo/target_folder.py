"""The ground a move works on: a folder, what may be touched in it, names that are made there."""

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
"""How the names begin that a move makes and removes again."""
SHORT = 8


class Supply(Protocol):
    """Where the contents come from that a move writes."""

    def find_problem(self, file: FileContentState) -> str | None:
        """Why the content of a file cannot be had."""
        ...

    def pieces(self, file: FileContentState) -> Iterator[bytes]:
        """The content of a file, verified while it is read."""
        ...


class MoveFolder:
    """A folder whose paths are moved."""

    def __init__(self, folder: Anchor, limits: Limits, store: Path | None = None) -> None:
        self.folder = folder
        self.limits = limits
        self._store = None if store is None else _find_store_path(store, folder.path)

    def find_refusal(self, path: bytes) -> str | None:
        """Why a path is never touched, whatever a session says of it."""
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
        """What is at a path; a link on the way there makes it unknown."""
        try:
            return read_state_and_stamp(self.folder, path, contents, self.limits)
        except PathEscapes as error:
            return LookedState(UnknownState(error.message))

    def read_state(self, path: bytes) -> State:
        """What is at a path."""
        return self.look(path).state

    def kind(self, path: bytes) -> State:
        """Whether a folder, nothing or something else is at a path, without reading it."""
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
        """The content of a small file, if it is still the one that was seen."""
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
        """The paths directly in a folder."""
        found = [path + b"/" + os.fsencode(entry.name) for entry in self.folder.entries(path)]
        return sorted(found)

    def find_free_name(self, path: bytes, mark: str, taken: set[bytes]) -> bytes:
        """A name beside a path that nothing has, with a mark before its ending."""
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
    """Where the store lies in a workspace; None if it lies elsewhere."""
    real, base = os.path.realpath(store), os.path.realpath(workspace)
    if not real.startswith(base.rstrip("/") + "/"):
        return None
    return os.fsencode(os.path.relpath(real, base))


def get_parent(path: bytes) -> bytes:
    """The folder a path is in; empty for the workspace itself."""
    return path.rpartition(b"/")[0]


def count_depth(path: bytes) -> int:
    """How many folders a path is below."""
    return path.count(b"/")


def make_temporary_name(move: str, path: bytes, ending: bytes) -> bytes:
    """A name that a move makes for a while; whoever knows move and path can tell it again."""
    number = blake2b(path, digest_size=8).hexdigest().encode()
    return make_move_mark(move) + number + ending


def make_move_mark(move: str) -> bytes:
    """How all temporary names of a move begin."""
    return TEMPORARY + move[:SHORT].encode() + b"-"
