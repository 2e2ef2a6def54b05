"""A source: one file or one folder, as a mapping from relative path to content.

Formats see only this, so a folder, a single file, standard input and an upload look the same. Links
are not followed and special files not opened: a folder of conversations is untrusted.

Also: returning large blocks of memory to the system as soon as they are free.
"""

from __future__ import annotations

import ctypes
import os
import re
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from talktree.errors import NotFound, Unreadable
from talktree.files.content import BLOCK, Content, MemoryContent, OnDisk

MOST_FILES = 200_000
HELD_IN_MEMORY = 64 << 20
BATCH_STATE = ".talktree-batch"
"""Prefix of the files in which a batch records its progress."""
_DIGITS = re.compile("([0-9]+)")


class Source:
    """Named contents, in a stable order."""

    def __init__(
        self,
        name: str,
        files: Mapping[str, Content],
        *,
        folder: bool,
        skipped: tuple[str, ...] = (),
        withheld: tuple[str, ...] = (),
        place: Path | None = None,
        shown: str | None = None,
    ) -> None:
        self.name = name
        """The name of the file or folder, without its parents."""
        self.shown = shown or name
        """Its name in messages: the path as the user gave it."""
        self.files = files
        """Relative path (with `/`) to content."""
        self.folder = folder
        self.skipped = skipped
        """Links and special files, which were not opened."""
        self.withheld = withheld
        """Files with secrets: neither opened nor copied."""
        self.place = place
        """Where on disk it was found, if one file was named."""

    def __repr__(self) -> str:
        count = len(self.files)
        return f"<Source {self.shown} ({count} file{'' if count == 1 else 's'})>"

    @property
    def main(self) -> str | None:
        """The file that was named, if companion files were read with it."""
        return self.name if self.folder and self.name in self.files else None

    def without_companions(self) -> Source:
        """Return the same source without companion files."""
        if self.main is None:
            return self
        return Source(
            self.main,
            {self.main: self.files[self.main]},
            folder=False,
            place=self.place,
            shown=self.shown,
        )

    @classmethod
    def of_bytes(cls, data: bytes, *, name: str = "input") -> Source:
        """Return a source of one file in memory."""
        return cls(name, {name: MemoryContent(data)}, folder=False)

    @classmethod
    def of_files(cls, files: Mapping[str, bytes], *, name: str = "folder") -> Source:
        """Return a source of a folder in memory."""
        return cls(name, {path: MemoryContent(data) for path, data in files.items()}, folder=True)

    def without(self, paths: Collection[str]) -> Source:
        """Return the source without these files, which are listed as withheld."""
        gone = dict.fromkeys(path for path in self.files if path in paths)
        if not gone:
            return self
        return Source(
            self.name,
            {path: content for path, content in self.files.items() if path not in gone},
            folder=self.folder,
            skipped=self.skipped,
            withheld=(*self.withheld, *gone),
            place=self.place,
            shown=self.shown,
        )

    def without_silently(self, paths: Collection[str]) -> Source:
        """Return the source without these files, which are not listed anywhere."""
        left = self.without(paths)
        left.withheld = self.withheld
        return left

    def as_bytes(self) -> dict[str, bytes]:
        """Return all contents in memory."""
        return {path: content.read() for path, content in self.files.items()}


def load(path: str | Path, *, shown: str | None = None, lazy: bool = False) -> Source:
    """Load the file or folder at a path; `shown` is its name in messages, by default the path.

    With `lazy`, the files of a folder are only listed: the size of each is determined when it is
    needed.
    """
    shown, path = shown or os.fspath(path), Path(path)
    if not path.exists():
        raise NotFound(f"{shown}: no such file or folder", hint="check the spelling")
    if path.is_dir():
        return _load_folder(path, shown, lazy=lazy)
    if not path.is_file():
        raise Unreadable(f"{shown}: not a regular file", hint="pipe it in and use - as the path")
    files = {path.name: OnDisk(path, shown=shown)}
    return Source(path.name, files, folder=False, place=path, shown=shown)


def load_stream(stream: BinaryIO, *, name: str = "stdin") -> Source:
    """Read everything from a stream; large input is stored in an unnamed temporary file."""
    return Source(name, {name: park_pieces(iter(lambda: stream.read(BLOCK), b""))}, folder=False)


def park_pieces(pieces: Iterable[bytes]) -> Content:
    """Store bytes that are made once and read again: in memory, or on disk if they are large."""
    held: list[bytes] = []
    size = 0
    pieces = iter(pieces)
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size > HELD_IN_MEMORY:
            return _Parked(chain(held, pieces))
    return MemoryContent(b"".join(held))


class _Parked(OnDisk):
    """An unlinked temporary file, accessible through its descriptor as long as this object
    lives."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        from tempfile import TemporaryFile  # only here: it is slow to import

        file = TemporaryFile()  # noqa: SIM115
        weakref.finalize(self, file.close)
        for piece in pieces:
            file.write(piece)
        file.flush()
        super().__init__(Path(f"/dev/fd/{file.fileno()}"))


def _load_folder(root: Path, shown: str, *, lazy: bool) -> Source:
    files: dict[str, Content] = {}
    skipped: list[str] = []
    above = "" if root == Path(".") else f"{root}/".replace("//", "/")
    shown_above = os.path.join(shown, "")
    for path, entry in _walk(root, shown):
        if not entry.is_file(follow_symlinks=False):
            skipped.append(path)
            continue
        if entry.name.startswith(BATCH_STATE):
            continue
        found = None if lazy else entry.stat(follow_symlinks=False)
        files[path] = OnDisk(f"{above}{path}", found, shown=f"{shown_above}{path}", lazy=lazy)
        if len(files) > MOST_FILES:
            raise Unreadable(f"{shown}: more than {MOST_FILES} files", hint="name a smaller folder")
    name = folder_name(root.resolve().name, files)
    return Source(name, files, folder=True, skipped=tuple(skipped), shown=shown)


def folder_name(name: str, files: Collection[str]) -> str:
    """Return the name of a folder as a source; it differs from the names of the files in it."""
    return f"{name}/" if name in files else name


def load_companions(root: Path, folder: str) -> tuple[list[str], list[str]]:
    """Return the files below a folder inside root, and what is skipped: links, special and closed
    files.

    Paths are relative to root.
    """
    files: list[str] = []
    skipped: list[str] = []
    above = [folder[: at + 1] for at, char in enumerate(folder) if char == "/"]
    for step in (*above, folder):
        if (root / step).is_symlink():
            return [], [step.rstrip("/")]
        if not (root / step).is_dir():
            return [], []
    try:
        for path, entry in _walk(root, str(root), below=f"{folder}/"):
            (files if entry.is_file(follow_symlinks=False) else skipped).append(path)
    except Unreadable:
        return files, [*skipped, folder]
    return files, skipped


def _walk(root: Path, shown: str, *, below: str = "") -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield paths below root in natural order, depth first, without following links."""
    pending = [below]
    while pending:
        here = pending.pop()
        try:
            found = sorted(os.scandir(root / here), key=lambda each: natural_sort_key(each.name))
        except OSError as error:
            where = os.path.join(shown, here)
            raise Unreadable(f"{where}: {error.strerror}", hint="check its rights") from None
        deeper = []
        for each in found:
            path = f"{here}{each.name}"
            if each.is_dir(follow_symlinks=False):
                deeper.append(f"{path}/")
            else:
                yield path, each
        pending.extend(reversed(deeper))


def natural_sort_key(name: str) -> tuple[str | int, ...]:
    """Return a sort key that puts 10.md after 9.md."""
    key: list[str | int] = []
    # Texts and runs of digits alternate, so that all keys have the same types at the same indexes.
    *texts, last = _DIGITS.split(name)
    for at, text in enumerate(texts):
        if at % 2:
            key.append(int(text[:18]))
        key.append(text)
    key.append(f"{last}\0")
    return tuple(key)


LARGE = 128 << 10
"""The C library's initial threshold."""
VERY_LARGE = 4 << 20
"""The threshold where smaller blocks are allocated repeatedly: new pages each time are slower."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3


def release_large_blocks(large: int = LARGE) -> None:
    """Allocate every block of at least this size in its own pages, from now on.

    The C library begins that way, but raises its threshold when such a block is freed: after one
    line of 30 MB, all later ones come from a fragmented heap that is never returned. On systems
    without this setting, nothing is done.
    """
    set_option = _load_mallopt()
    if set_option is not None:
        set_option(_M_MMAP_THRESHOLD, large)
        set_option(_M_TRIM_THRESHOLD, large)


@cache
def _load_mallopt() -> Callable[[int, int], object] | None:
    """Return the C library's `mallopt`; it is needed for every file, so it is cached."""
    try:
        return ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return None
