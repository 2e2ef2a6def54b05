"""What was brought in, files and folders: each in a place of its own, under a name we made.

What it is called is kept beside it as data; it is never a path.
"""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
from msgspec import Struct

from talktree.errors import NotFound
from talktree.files import Source
from talktree.files.content import OnDisk
from talktree.text.file_names import plain
from talktree.web.actions.folders import unpacked
from talktree.web.actions.scratch import created
from talktree.web.errors import TooLarge

FOLDER = "uploads"
CONTENT, ABOUT = "content", "about.json"
LARGEST = 2 << 30
"""How many bytes a file may have."""
MOST = 8 << 30
"""How many bytes all of them may have together."""
_ID = re.compile(r"[0-9a-f]{32}")


class About(Struct, frozen=True, kw_only=True):
    """What is kept beside it."""

    name: str
    files: tuple[str, ...] | None = None


class Brought(Struct, frozen=True, kw_only=True):
    """A file or a folder that was brought in."""

    id: str
    name: str
    """What it was called where it comes from."""
    size: int
    path: Path
    files: tuple[str, ...] | None = None
    """Of a folder: where its files were in it. On the disk they have the numbers of this order."""

    @property
    def plain_name(self) -> str:
        """A name it may have on a disk."""
        return plain(self.name, otherwise="upload")

    @property
    def source(self) -> Source:
        """It as a source, under its plain name: some formats are told by that."""
        if self.files is None:
            return Source(self.plain_name, {self.plain_name: OnDisk(self.path)}, folder=False)
        inside = {path: OnDisk(self.path / str(at)) for at, path in enumerate(self.files)}
        return Source(self.plain_name, dict(sorted(inside.items())), folder=True)


class Uploads:
    """Everything that was brought in and is neither kept nor thrown away yet."""

    def __init__(self, scratch: Path) -> None:
        self._folder = scratch / FOLDER

    async def take(
        self, name: str, chunks: AsyncIterator[bytes], *, folder: bool = False
    ) -> Brought:
        """Write what arrives to the disk; nothing stays if it is too large or ends early."""
        id = secrets.token_hex(16)
        place = self._folder / id
        room = min(LARGEST, MOST - self._held())
        place.mkdir(parents=True, mode=0o700)
        try:
            files = await _written(place / CONTENT, _within(chunks, room), folder=folder)
            with created(place / ABOUT) as file:
                file.write(msgspec.json.encode(About(name=name[-1000:], files=files)))
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
        return self.get(id)

    def get(self, id: str) -> Brought:
        """A file by the id it was given."""
        place = self._place(id)
        try:
            about = msgspec.json.decode((place / ABOUT).read_bytes(), type=About)
            size = _size(place / CONTENT)
        except FileNotFoundError:
            raise _unknown() from None
        return Brought(id=id, name=about.name, size=size, path=place / CONTENT, files=about.files)

    def drop(self, id: str) -> None:
        """Throw a file away."""
        shutil.rmtree(self._place(id), ignore_errors=True)

    def _place(self, id: str) -> Path:
        if not _ID.fullmatch(id) or not (self._folder / id).is_dir():
            raise _unknown()
        return self._folder / id

    def _held(self) -> int:
        return sum(map(_size, self._folder.glob(f"*/{CONTENT}")))


def _size(path: Path) -> int:
    each = path.iterdir() if path.is_dir() else [path]
    return sum(file.stat().st_size for file in each)


async def _within(chunks: AsyncIterator[bytes], room: int) -> AsyncIterator[bytes]:
    """What arrives, as long as there is room for it."""
    got = 0
    async for chunk in chunks:
        got += len(chunk)
        if got > room:
            raise _too_large(room)
        yield chunk


async def _written(
    path: Path, chunks: AsyncIterator[bytes], *, folder: bool
) -> tuple[str, ...] | None:
    if folder:
        path.mkdir(mode=0o700)
        return await unpacked(chunks, path)
    with created(path) as file:
        async for chunk in chunks:
            file.write(chunk)
    return None


def _unknown() -> NotFound:
    return NotFound("there is no such upload", hint="bring the file in again")


def _too_large(room: int) -> TooLarge:
    if room < LARGEST:
        return TooLarge(
            "too much has been brought in that is not kept yet", hint="keep or drop some of it"
        )
    return TooLarge(f"a file may have {LARGEST >> 30} GB", hint="import it by its path instead")
