"""Files that were brought in: each in a folder of its own in scratch, under a name we made.

What a file is called is kept beside it as data; it is never a path.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from talktree.errors import NotFound
from talktree.files import Source
from talktree.files.content import OnDisk
from talktree.text.file_names import plain
from talktree.web.errors import TooLarge

FOLDER = "uploads"
CONTENT, ABOUT = "content", "about.json"
LARGEST = 2 << 30
"""How many bytes a file may have."""
MOST = 8 << 30
"""How many bytes all of them may have together."""
_ID = re.compile(r"[0-9a-f]{32}")


class Brought(Struct, frozen=True, kw_only=True):
    """A file that was brought in."""

    id: str
    name: str
    """What it was called where it comes from."""
    size: int
    path: Path

    @property
    def plain_name(self) -> str:
        """A name it may have on a disk."""
        return plain(self.name, otherwise="upload")

    @property
    def source(self) -> Source:
        """It as a source, under its plain name: some formats are told by that."""
        return Source(self.plain_name, {self.plain_name: OnDisk(self.path)}, folder=False)


class Uploads:
    """All files that were brought in and are neither kept nor thrown away yet."""

    def __init__(self, scratch: Path) -> None:
        self._folder = scratch / FOLDER

    async def take(self, name: str, chunks: AsyncIterator[bytes]) -> Brought:
        """Write what arrives to the disk; nothing stays if it is too large or ends early."""
        id = secrets.token_hex(16)
        place = self._folder / id
        room = min(LARGEST, MOST - self._held())
        place.mkdir(parents=True, mode=0o700)
        try:
            with _created(place / CONTENT) as file:
                async for chunk in chunks:
                    if file.tell() + len(chunk) > room:
                        raise _too_large(room)
                    file.write(chunk)
                size = file.tell()
            about = msgspec.json.encode({"name": name[-1000:]})
            with _created(place / ABOUT) as file:
                file.write(about)
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
        return Brought(id=id, name=name[-1000:], size=size, path=place / CONTENT)

    def get(self, id: str) -> Brought:
        """A file by the id it was given."""
        place = self._place(id)
        try:
            about = msgspec.json.decode((place / ABOUT).read_bytes(), type=dict[str, str])
            size = (place / CONTENT).stat().st_size
        except FileNotFoundError:
            raise _unknown() from None
        return Brought(id=id, name=about["name"], size=size, path=place / CONTENT)

    def drop(self, id: str) -> None:
        """Throw a file away."""
        shutil.rmtree(self._place(id), ignore_errors=True)

    def _place(self, id: str) -> Path:
        if not _ID.fullmatch(id) or not (self._folder / id).is_dir():
            raise _unknown()
        return self._folder / id

    def _held(self) -> int:
        return sum(each.stat().st_size for each in self._folder.glob(f"*/{CONTENT}"))


def _created(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _unknown() -> NotFound:
    return NotFound("there is no such upload", hint="bring the file in again")


def _too_large(room: int) -> TooLarge:
    if room < LARGEST:
        return TooLarge(
            "too much has been brought in that is not kept yet", hint="keep or drop some of it"
        )
    return TooLarge(f"a file may have {LARGEST >> 30} GB", hint="import it by its path instead")
