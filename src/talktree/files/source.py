"""A source: one file or one folder, as a mapping from relative path to content.

Formats see only this, so a folder, a single file, standard input and an upload look the same.
Links are not followed and special files not opened: a folder of conversations is untrusted.
"""

from __future__ import annotations

import os
import stat
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from talktree.errors import NotFound, Unreadable
from talktree.files.content import BLOCK, Content, Memory, OnDisk

MOST_FILES = 200_000
HELD_IN_MEMORY = 64 << 20


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
    ) -> None:
        self.name = name
        """What to call it in messages."""
        self.files = files
        """Relative path (with `/`) to content."""
        self.folder = folder
        self.skipped = skipped
        """Links and special files that were seen and left alone."""
        self.withheld = withheld
        """Files with secrets: neither opened nor copied."""
        self.place = place
        """Where on disk it was found, if it is one file."""

    @classmethod
    def of_bytes(cls, data: bytes, *, name: str = "input") -> Source:
        """A one-file source from bytes at hand."""
        return cls(name, {name: Memory(data)}, folder=False)

    @classmethod
    def of_files(cls, files: Mapping[str, bytes], *, name: str = "folder") -> Source:
        """A folder source from bytes at hand."""
        return cls(name, {path: Memory(data) for path, data in files.items()}, folder=True)

    def without(self, paths: Collection[str]) -> Source:
        """The same source as if these files were not there, but named as withheld."""
        gone = [path for path in self.files if path in paths]
        if not gone:
            return self
        return Source(
            self.name,
            {path: content for path, content in self.files.items() if path not in gone},
            folder=self.folder,
            skipped=self.skipped,
            withheld=(*self.withheld, *gone),
            place=self.place,
        )

    def minus(self, paths: Collection[str]) -> Source:
        """The same source as if these files were not there, without a word of them."""
        left = self.without(paths)
        left.withheld = self.withheld
        return left

    def as_bytes(self) -> dict[str, bytes]:
        """Everything, read into memory."""
        return {path: content.read() for path, content in self.files.items()}


def load(path: Path) -> Source:
    """The file or folder at a path."""
    if not path.exists():
        raise NotFound(f"{path}: no such file or folder", hint="check the spelling")
    if path.is_dir():
        return _load_folder(path)
    if not path.is_file():
        raise Unreadable(f"{path}: not a regular file", hint="pipe it in and use - as the path")
    return Source(path.name, {path.name: OnDisk(path)}, folder=False, place=path)


def load_stream(stream: BinaryIO, *, name: str = "stdin") -> Source:
    """Everything a stream holds; large input is parked in an unnamed temporary file."""
    return Source(name, {name: parked(iter(lambda: stream.read(BLOCK), b""))}, folder=False)


def parked(pieces: Iterable[bytes]) -> Content:
    """Bytes that are made once and read again: in memory, or if they are many on disk."""
    held: list[bytes] = []
    size = 0
    pieces = iter(pieces)
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size > HELD_IN_MEMORY:
            return _Parked(chain(held, pieces))
    return Memory(b"".join(held))


class _Parked(OnDisk):
    """An unlinked temporary file, reachable through its descriptor as long as this lives."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        from tempfile import TemporaryFile  # only here: it is slow to import

        file = TemporaryFile()  # noqa: SIM115
        weakref.finalize(self, file.close)
        for piece in pieces:
            file.write(piece)
        file.flush()
        super().__init__(Path(f"/dev/fd/{file.fileno()}"))


def _load_folder(root: Path) -> Source:
    files: dict[str, Content] = {}
    skipped: list[str] = []
    for path, kind in _walk(root):
        if not stat.S_ISREG(kind):
            skipped.append(path)
            continue
        files[path] = OnDisk(root / path)
        if len(files) > MOST_FILES:
            raise Unreadable(f"{root}: more than {MOST_FILES} files", hint="name a smaller folder")
    return Source(root.resolve().name, files, folder=True, skipped=tuple(skipped))


def _walk(root: Path) -> Iterator[tuple[str, int]]:
    """Paths below root in natural order, depth first, without following links."""
    pending = [""]
    while pending:
        here = pending.pop()
        try:
            found = sorted(os.scandir(root / here), key=lambda each: natural_order(each.name))
        except OSError as error:
            raise Unreadable(f"{root / here}: {error.strerror}", hint="check its rights") from None
        deeper = []
        for each in found:
            path = f"{here}{each.name}"
            if each.is_dir(follow_symlinks=False):
                deeper.append(f"{path}/")
            else:
                yield path, each.stat(follow_symlinks=False).st_mode
        pending.extend(reversed(deeper))


def natural_order(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key that puts 10.md after 9.md."""
    runs: list[tuple[int, int, str]] = []
    text = ""
    digits = ""
    for char in name + "\0":
        if char.isascii() and char.isdigit():
            digits += char
            continue
        if digits:
            runs.append((1, 0, text))
            runs.append((0, int(digits[:18]), digits))
            text = digits = ""
        text += char
    runs.append((1, 0, text))
    return tuple(runs)
