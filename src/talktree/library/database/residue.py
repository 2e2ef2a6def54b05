"""Bytes of deleted rows in unused parts of the database file.

SQLite overwrites a deleted row where it is (`secure_delete`), but not copies of it that remained
when rows moved from one page to another. Those lie between the list of cells and the first cell of
a page. They are overwritten directly in the file, while nothing else can write.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from talktree.errors import NotSaved
from talktree.library.database.connection import Database

_HEADER = 100
"""Bytes of the file's own header, before that of the first page."""
_INTERIOR, _LEAF = (2, 5), (10, 13)
"""The first byte of a page that belongs to a table or an index."""
_TOUCH = """
INSERT INTO about (key, value) VALUES ('cleaned', '1')
ON CONFLICT (key) DO UPDATE SET value = CAST(about.value + 1 AS TEXT)
"""
_open_files: dict[tuple[int, int], int] = {}
"""Database files by device and inode.

They are never closed: closing any descriptor of a file ends the locks that SQLite holds on it in
this process.
"""


def clean_unused_bytes(db: Database) -> bool:
    """Overwrite what deleted rows left in the file; false if something is still in the log.

    The log must have been emptied before.
    """
    if db.key is not None:
        # Decrypted pages are not what is on the disk. Rows deleted in them are overwritten
        # (`secure_delete`), and everything else on the disk is encrypted.
        return not _file_size(db.log) and db.checkpoint()
    with db.transaction(durable=True):
        if _file_size(db.log):
            return False
        file = _open_database_file(db)
        for start, length in find_unused_bytes(file):
            if any(os.pread(file, length, start)):
                os.pwrite(file, bytes(length), start)
        os.fsync(file)
        # Connections with cached pages of the file read them again after a commit.
        db.run(_TOUCH)
    db.drop_cache()
    return db.checkpoint()


def find_unused_bytes(file: int) -> Iterator[tuple[int, int]]:
    """Yield the unused ranges of an SQLite file, page by page: offset and length."""
    size = int.from_bytes(os.pread(file, 2, 16), "big")
    size = 65536 if size == 1 else size
    end = os.fstat(file).st_size
    free = _find_free_pages(file, size)
    for number, start in enumerate(range(0, end, size), 1):
        if number in free:
            yield start + free[number], size - free[number]
            continue
        header = start + (_HEADER if number == 1 else 0)
        kind = os.pread(file, 1, header)
        if kind and kind[0] in (*_INTERIOR, *_LEAF):
            yield from _find_unused_in_page(os.pread(file, size, start), start, header - start)


def _find_unused_in_page(page: bytes, start: int, header: int) -> Iterator[tuple[int, int]]:
    cells = _read_uint16(page, header + 3)
    first = _read_uint16(page, header + 5) or len(page)
    listed = header + (12 if page[header] in _INTERIOR else 8) + 2 * cells
    if listed < first <= len(page):
        yield start + listed, first - listed
    block = _read_uint16(page, header + 1)
    for _ in range(len(page) // 4):
        if not first <= block <= len(page) - 4:
            return
        length = _read_uint16(page, block + 2)
        if length > 4 and block + length <= len(page):
            yield start + block + 4, length - 4
        block = _read_uint16(page, block)


def _find_free_pages(file: int, size: int) -> dict[int, int]:
    """Return the pages of the free list, and how many bytes at the start of each are in use."""
    found: dict[int, int] = {}
    trunk = int.from_bytes(os.pread(file, 4, 32), "big")
    while trunk and trunk not in found:
        page = os.pread(file, size, (trunk - 1) * size)
        count = min(int.from_bytes(page[4:8], "big"), size // 4 - 2)
        found[trunk] = 8 + 4 * count
        for at in range(8, 8 + 4 * count, 4):
            found.setdefault(int.from_bytes(page[at : at + 4], "big"), 0)
        trunk = int.from_bytes(page[:4], "big")
    return found


def _open_database_file(db: Database) -> int:
    try:
        about = os.stat(db.path)
        key = (about.st_dev, about.st_ino)
        if key not in _open_files:
            _open_files[key] = os.open(db.path, os.O_RDWR | os.O_CLOEXEC)
        return _open_files[key]
    except OSError as error:
        raise NotSaved(
            f"{db.path}: {error.strerror}", hint="check the rights of the file"
        ) from None


def _file_size(path: os.PathLike[str]) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def _read_uint16(page: bytes, at: int) -> int:
    return int.from_bytes(page[at : at + 2], "big")
