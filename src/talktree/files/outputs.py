"""The gate that every output passes: never onto an input, onto existing files only by force.

A command names its inputs once. Each output is then compared with them by resolved path and by
device and inode, so that links, hard links and other spellings of a path are found. Without force
an existing file or a non-empty folder is refused, for all commands alike.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from talktree.errors import UsageError
from talktree.files.content import OnDisk
from talktree.files.source import Source

STREAM = "-"
"""The name of stdin among the inputs, and of stdout among the outputs."""
AnyPath = str | Path
Identity = tuple[int, int]
"""Device and inode."""

LOG = ".repair"
BACKUP = ".backup"
WAYS_BACK = {LOG: "the log of a repair", BACKUP: "a backup"}
"""Suffixes of files that restore an earlier state; not even force replaces them."""

_OTHER_PLACE = "name another place; the input stays as it is"


class _Input(NamedTuple):
    """A file or folder that is read."""

    real: str
    identity: Identity | None
    is_folder: bool


class OutputGate:
    """Decides what a command may write, given its inputs."""

    def __init__(self, inputs: Iterable[AnyPath] = (), *, force: bool = False) -> None:
        """Name the inputs; `force` allows replacing existing outputs, but never inputs."""
        self.force = force
        self._inputs = [_make_input(path) for path in inputs]
        self._claimed: set[str] = set()

    def protect(self, inputs: Iterable[AnyPath]) -> None:
        """Name further inputs, which were found while the first ones were read."""
        self._inputs += [_make_input(path) for path in inputs]

    def claim(self, path: AnyPath, *, folder: bool | None = None) -> None:
        """Check an output before any work is done; it must not be equal to or inside another
        output.

        `folder` says whether a file or a folder is written, if that is known already.
        """
        self.check(path, folder=folder)
        real = os.path.realpath(path)
        self._refuse_claimed(path, real)
        self._claimed.add(real)

    def check(self, path: AnyPath, *, folder: bool | None = None) -> None:
        """Raise an error unless a file or a folder may be written at the path."""
        self._refuse_inputs(path)
        found = _stat_path(path)
        if found is not None and stat.S_ISDIR(found.st_mode):
            self._refuse_around_inputs(path)
        self._refuse_existing(path, found, folder=folder)

    def check_into(self, path: AnyPath) -> None:
        """Raise an error unless files may be added to a folder, which may exist."""
        self._refuse_inputs(path)
        found = _stat_path(path)
        if found is not None and not stat.S_ISDIR(found.st_mode):
            raise UsageError(f"{path}: is a file", hint="name a folder as the output")

    def check_batch(self, path: AnyPath, *, resumes: bool) -> None:
        """Raise an error unless many outputs may be written in a folder.

        `resumes` says that an earlier run made it: then it may contain files.
        """
        self.check_into(path)
        self._refuse_claimed(path, os.path.realpath(path))
        if os.path.isdir(path):
            self._refuse_around_inputs(path)
            if not (self.force or resumes or is_empty(path)):
                raise exists_error(path)

    def check_stdout(self) -> None:
        """Raise an error if stdout is redirected to an input."""
        found = _stat_stream(sys.stdout)
        if found is None or not stat.S_ISREG(found.st_mode):
            return
        if any(_is_input(each, found) or _is_inside(each, found) for each in self._inputs):
            raise UsageError("stdout: this is the input", hint=_OTHER_PLACE)

    def _refuse_claimed(self, path: AnyPath, real: str) -> None:
        for other in self._claimed:
            if real == other or _is_below(real, other) or _is_below(other, real):
                raise UsageError(f"{path}: two outputs go there", hint="name two different places")

    # inputs

    def _refuse_inputs(self, path: AnyPath) -> None:
        real = os.path.realpath(path)
        found = _stat_path(path)
        for each in self._inputs:
            if real == each.real or (found is not None and _is_input(each, found)):
                raise UsageError(f"{path}: this is the input", hint=_OTHER_PLACE)
            if found is not None and found.st_nlink > 1 and _is_inside(each, found):
                raise UsageError(f"{path}: this is a link to the input", hint=_OTHER_PLACE)
        above = set(_identities_above(real))
        for each in self._inputs:
            if each.is_folder and (_is_below(real, each.real) or each.identity in above):
                raise UsageError(f"{path}: this is inside the input", hint=_OTHER_PLACE)

    def _refuse_around_inputs(self, path: AnyPath) -> None:
        real = os.path.realpath(path)
        if any(_is_below(each.real, real) for each in self._inputs):
            raise UsageError(f"{path}: the input is in it", hint=_OTHER_PLACE)

    # existing outputs

    def _refuse_existing(
        self, path: AnyPath, found: os.stat_result | None, *, folder: bool | None
    ) -> None:
        if found is None:
            if os.path.islink(path) and not self.force:
                raise exists_error(path)
            return
        if stat.S_ISDIR(found.st_mode):
            self._refuse_folder(path, folder=folder)
            return
        if not stat.S_ISREG(found.st_mode):
            raise UsageError(f"{path}: not a regular file", hint="use - for stdout")
        if folder:
            raise UsageError(f"{path}: is a file", hint="name a folder as the output")
        if not self.force:
            raise exists_error(path)
        kept = WAYS_BACK.get(Path(path).suffix)
        if kept is not None and self is not OVERWRITE:
            raise UsageError(f"{path}: {kept} is never replaced", hint="name another place")

    def _refuse_folder(self, path: AnyPath, *, folder: bool | None) -> None:
        if folder is False:
            raise UsageError(f"{path}: is a folder", hint="name a file as the output")
        here, real = os.path.realpath("."), os.path.realpath(path)
        if here == real or _is_below(here, real):
            raise UsageError(
                f"{path}: the current folder cannot be replaced", hint="name a folder inside it"
            )
        if not self.force and not is_empty(path):
            raise exists_error(path)


OVERWRITE = OutputGate(force=True)
"""For files that Talktree owns, or whose replacement was verified in another way."""


def input_paths(source: Source) -> list[Path]:
    """Return the files and the folder on disk that a source is read from."""
    found: dict[Path, None] = {}
    for name, content in source.files.items():
        if type(content) is not OnDisk:
            continue
        found[content.path] = None
        steps = name.split("/")
        # For companion files, the folders that contain them, but not the main file's folder.
        above = len(steps) - (1 if source.main is None else 2)
        if source.folder and above >= 0 and content.path.parts[-len(steps) :] == tuple(steps):
            found[content.path.parents[above]] = None
    return list(found)


def is_empty(folder: AnyPath) -> bool:
    """Whether a folder is empty."""
    with os.scandir(folder) as found:
        return next(found, None) is None


def exists_error(
    path: AnyPath, hint: str = "use --force to replace it, or name another place"
) -> UsageError:
    """Return the error for an output that exists and may not be replaced."""
    return UsageError(f"{path}: already exists", hint=hint)


def _make_input(path: AnyPath) -> _Input:
    streams = str(path) == STREAM
    real = "" if streams else os.path.realpath(path)
    found = _stat_stream(sys.stdin) if streams else _stat_path(path)
    if found is None:
        # A missing input is reported when it is read.
        return _Input(real, None, is_folder=False)
    return _Input(real, (found.st_dev, found.st_ino), stat.S_ISDIR(found.st_mode))


def _is_input(each: _Input, found: os.stat_result) -> bool:
    return each.identity == (found.st_dev, found.st_ino)


def _is_inside(each: _Input, found: os.stat_result) -> bool:
    """Whether a regular file is in an input folder, maybe under another name."""
    if not each.is_folder or not stat.S_ISREG(found.st_mode):
        return False
    return (found.st_dev, found.st_ino) in _identities(each.real)


def _stat_path(path: AnyPath) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def _stat_stream(stream: object) -> os.stat_result | None:
    """Return the stat result of stdin or stdout, if it is a file."""
    try:
        return os.fstat(stream.fileno())  # type: ignore[attr-defined]
    except (OSError, ValueError, AttributeError):
        return None


def _is_below(path: str, folder: str) -> bool:
    return bool(folder) and path != folder and path.startswith(folder.rstrip(os.sep) + os.sep)


def _identities_above(real: str) -> Iterator[Identity]:
    """Return device and inode of the existing folders above a path."""
    for folder in Path(real).parents:
        found = _stat_path(folder)
        if found is not None:
            yield found.st_dev, found.st_ino


def _identities(folder: str) -> Iterator[Identity]:
    """Return device and inode of the files in a folder."""
    pending = [folder]
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        found = entry.stat(follow_symlinks=False)
                        yield found.st_dev, found.st_ino
        except OSError:
            continue
