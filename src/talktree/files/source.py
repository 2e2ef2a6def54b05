"""A source: one file or one folder, as a mapping from relative path to content.

Formats see only this, so a folder, a single file, standard input and an upload look the same.
Links are not followed and special files not opened: a folder of conversations is untrusted.
"""

from __future__ import annotations

import os
import re
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
BATCH_STATE = ".talktree-batch"
"""How the names of files begin in which a batch keeps account of what it has done."""
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
        """The name of the file or folder, without what is above it."""
        self.shown = shown or name
        """What to call it in messages: the path as the user gave it."""
        self.files = files
        """Relative path (with `/`) to content."""
        self.folder = folder
        self.skipped = skipped
        """Links and special files that were seen and left alone."""
        self.withheld = withheld
        """Files with secrets: neither opened nor copied."""
        self.place = place
        """Where on disk it was found, if one file was named."""

    @property
    def main(self) -> str | None:
        """The file that was named, if companion files were read together with it."""
        return self.name if self.folder and self.name in self.files else None

    def alone(self) -> Source:
        """The same source without companion files."""
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
        """A one-file source from bytes at hand."""
        return cls(name, {name: Memory(data)}, folder=False)

    @classmethod
    def of_files(cls, files: Mapping[str, bytes], *, name: str = "folder") -> Source:
        """A folder source from bytes at hand."""
        return cls(name, {path: Memory(data) for path, data in files.items()}, folder=True)

    def without(self, paths: Collection[str]) -> Source:
        """The same source as if these files were not there, but named as withheld."""
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

    def minus(self, paths: Collection[str]) -> Source:
        """The same source as if these files were not there, without a word of them."""
        left = self.without(paths)
        left.withheld = self.withheld
        return left

    def as_bytes(self) -> dict[str, bytes]:
        """Everything, read into memory."""
        return {path: content.read() for path, content in self.files.items()}


def load(path: str | Path, *, shown: str | None = None) -> Source:
    """The file or folder at a path; `shown` is what messages call it, by default as given."""
    shown, path = shown or os.fspath(path), Path(path)
    if not path.exists():
        raise NotFound(f"{shown}: no such file or folder", hint="check the spelling")
    if path.is_dir():
        return _load_folder(path, shown)
    if not path.is_file():
        raise Unreadable(f"{shown}: not a regular file", hint="pipe it in and use - as the path")
    files = {path.name: OnDisk(path, shown=shown)}
    return Source(path.name, files, folder=False, place=path, shown=shown)


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


def _load_folder(root: Path, shown: str) -> Source:
    files: dict[str, Content] = {}
    skipped: list[str] = []
    above = "" if root == Path(".") else f"{root}/".replace("//", "/")
    for path, about in _walk(root, shown):
        if not stat.S_ISREG(about.st_mode):
            skipped.append(path)
            continue
        if path.rpartition("/")[2].startswith(BATCH_STATE):
            continue
        files[path] = OnDisk(f"{above}{path}", about, shown=os.path.join(shown, path))
        if len(files) > MOST_FILES:
            raise Unreadable(f"{shown}: more than {MOST_FILES} files", hint="name a smaller folder")
    name = folder_name(root.resolve().name, files)
    return Source(name, files, folder=True, skipped=tuple(skipped), shown=shown)


def folder_name(name: str, files: Collection[str]) -> str:
    """The name of a folder as a source; different from the names of the files in it."""
    return f"{name}/" if name in files else name


def load_companions(root: Path, folder: str) -> tuple[list[str], list[str]]:
    """The files below a folder inside root, and what is skipped: links, special and closed files.

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
        for path, about in _walk(root, str(root), below=f"{folder}/"):
            (files if stat.S_ISREG(about.st_mode) else skipped).append(path)
    except Unreadable:
        return files, [*skipped, folder]
    return files, skipped


def _walk(root: Path, shown: str, *, below: str = "") -> Iterator[tuple[str, os.stat_result]]:
    """Paths below root in natural order, depth first, without following links."""
    pending = [below]
    while pending:
        here = pending.pop()
        try:
            found = sorted(os.scandir(root / here), key=lambda each: natural_order(each.name))
        except OSError as error:
            where = os.path.join(shown, here)
            raise Unreadable(f"{where}: {error.strerror}", hint="check its rights") from None
        deeper = []
        for each in found:
            path = f"{here}{each.name}"
            if each.is_dir(follow_symlinks=False):
                deeper.append(f"{path}/")
            else:
                yield path, each.stat(follow_symlinks=False)
        pending.extend(reversed(deeper))


def natural_order(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key that puts 10.md after 9.md."""
    runs: list[tuple[int, int, str]] = []
    texts = _DIGITS.split(name)
    for text, digits in zip(texts[::2], texts[1::2], strict=False):
        runs.append((1, 0, text))
        runs.append((0, int(digits[:18]), digits))
    runs.append((1, 0, f"{texts[-1]}\0"))
    return tuple(runs)
