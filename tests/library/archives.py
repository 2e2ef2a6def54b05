"""A database with an archive and rows for files, without the rest of a library."""

from __future__ import annotations

import os
import random
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from talktree.library.archive.chunks import Chunker, Mark
from talktree.library.archive.store import Archive
from talktree.library.care import check_storage
from talktree.library.database.connection import Database
from talktree.library.database.open_database import open_database


class Keeper:
    """The parts of a library that the archive needs, with files that grow and are replaced."""

    def __init__(self, path: Path, *, write: bool = True, threads: int = 2) -> None:
        self.db: Database = open_database(path, write=write)
        self.archive = Archive(self.db, threads)

    def file(self, path: bytes, source: bytes | None = None) -> int:
        """Add a row for a file, and one for its source: the file itself if none is named."""
        of = source or path
        row = self.db.read_one("SELECT id FROM sources WHERE path = ?", (of,))
        number = row[0] if row else self._source(of)
        return self.db.run(
            "INSERT INTO files (source, path, size, modified, changed, inode, device) "
            "VALUES (?, ?, 0, 0, 0, 0, 0)",
            (number, path),
        )

    def _source(self, path: bytes) -> int:
        return self.db.run("INSERT INTO sources (path, format) VALUES (?, 'test')", (path,))

    def source(self, path: bytes) -> int:
        """Return the number of a source."""
        return int(self.db.read("SELECT id FROM sources WHERE path = ?", (path,))[0][0])

    def put(self, file: int, data: bytes, *, seen: int = 1, marked: bool = True) -> int:
        """Add a new generation of a file."""
        generation = self.archive.begin(file)
        self.db.run("UPDATE files SET generation = ? WHERE id = ?", (generation, file))
        self.grow(generation, data, seen=seen, marked=marked)
        return generation

    def grow(self, generation: int, data: bytes, *, seen: int = 1, marked: bool = True) -> None:
        """Append bytes to a generation."""
        start = self.archive.length(generation)
        chunker = Chunker(start)
        marks = marks_of(data, start) if marked else []
        for cut in (*chunker.feed(data, marks), *chunker.finish()):
            self.archive.grow(generation, *cut)
        self.archive.record_version(generation, start + len(data), seen, seen * 1_000_000_000)

    def whole(self, generation: int) -> bytes:
        """Return all bytes of a generation."""
        return b"".join(self.archive.read(generation, verify=True))

    def chunks(self) -> int:
        """Return the number of chunks."""
        return int(self.db.read("SELECT count(*) FROM chunks")[0][0])

    def stored(self) -> int:
        """Return the number of bytes that the chunks take."""
        found = self.db.read("SELECT coalesce(sum(length(data)), 0) FROM chunks")
        return int(found[0][0])

    def troubles(self, *, read_data: bool = True) -> list[str]:
        """Return the problems that `check_storage` finds."""
        return [f"{each.kind}: {each.what}" for each in check_storage(self, read_data=read_data)]

    def close(self) -> None:
        """Close the database."""
        self.archive.close()
        self.db.close()


@contextmanager
def keeper(folder: Path, *, write: bool = True, threads: int = 2) -> Iterator[Keeper]:
    """Return an archive in a folder."""
    kept = Keeper(folder / "library.sqlite", write=write, threads=threads)
    try:
        yield kept
    finally:
        kept.close()


@lru_cache(maxsize=64)
def lines(seed: int, size: int, *, session: str = "a" * 36) -> bytes:
    """Return records with ids, of about `size` bytes; each contains the session's name."""
    made = random.Random(seed)
    parts: list[bytes] = []
    have = 0
    while have < size:
        id = f"{made.getrandbits(128):032x}"
        words = " ".join(made.choices(_WORDS, k=20)) + f" {made.getrandbits(2000):x}"
        part = f'{{"uuid":"{id}","sessionId":"{session}","text":"{words}"}}\n'.encode()
        parts.append(part)
        have += len(part)
    return b"".join(parts)


_WORDS = ["lamp", "harbour", "tide", "moon", "brass", "wire", "almanac", "neap", "chart"]


def marks_of(data: bytes, start: int = 0) -> list[Mark]:
    """Return the landmarks of such records: every fourth one."""
    marks = []
    at = start
    for line in data.splitlines(keepends=True):
        checksum = zlib.crc32(line[9:41])
        if line.startswith(b'{"uuid":"') and checksum % 4 == 0:
            marks.append((at, checksum))
        at += len(line)
    return marks


def flipped(path: Path, part: bytes) -> None:
    """Change one bit of a file, in the middle of a part that occurs once."""
    data = path.read_bytes()
    assert data.count(part) == 1
    at = data.index(part) + len(part) // 2
    with open(path, "r+b") as file:
        os.pwrite(file.fileno(), bytes([data[at] ^ 0x10]), at)
