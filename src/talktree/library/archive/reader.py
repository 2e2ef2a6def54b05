"""Reading from the archive: whole generations, or a few bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

from talktree.errors import Unreadable
from talktree.library.archive.chunk_hashes import chunk_hash
from talktree.library.archive.codec import decompress_chunk
from talktree.library.database.connection import Database, Row

KEPT = 32 << 20
"""How many bytes of chunks are cached by default."""

_EXTENTS = """
SELECT start, chunk, size FROM extents
WHERE generation = ? AND start < ?
AND start >= (SELECT max(start) FROM extents WHERE generation = ? AND start <= ?)
ORDER BY start
"""
_EXTENT = """
SELECT start, chunk, size FROM extents
WHERE generation = ? AND start <= ? ORDER BY start DESC LIMIT 1
"""
_CHUNK = "SELECT hash, base, data FROM chunks WHERE id = ?"
_LENGTH = "SELECT length FROM generations WHERE id = ?"


class Reader:
    """Decompressed chunks of a database, with a cache of the last ones."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._kept: OrderedDict[int, bytes] = OrderedDict()
        self._size = 0
        self.most = KEPT
        """How many bytes of chunks are cached."""

    def read(
        self, generation: int, start: int = 0, length: int | None = None, *, verify: bool = False
    ) -> Iterator[bytes]:
        """Yield the bytes from an offset on, chunk by chunk."""
        row = self._db.read_one(_LENGTH, (generation,))
        end = 0 if row is None else int(row[0])
        stop = end if length is None else min(end, start + length)
        missed = -1
        while start < stop:
            for first, chunk, size in self._read_extents(generation, start, stop):
                data = self._decompress_chunk(chunk, verify=verify)
                if data is None:
                    break
                if len(data) != size:
                    raise _damage_error(chunk)
                yield _slice_chunk(data, start - first, stop - first)
                start = min(first + size, stop)
            if start < stop:
                # Another process may have packed the chunk with others; the new chunk is then read.
                if missed == start:
                    raise _missing_error(generation, start)
                missed = start

    def _read_extents(self, generation: int, start: int, stop: int) -> Iterator[Row]:
        """Yield the extents from an offset on, up to the first gap."""
        for row in self._db.read(_EXTENTS, (generation, stop, generation, start)):
            if row[0] > start:
                return
            yield row
            start = row[0] + row[2]

    def slice(self, generation: int, start: int, length: int) -> bytes:
        """Return a few bytes; fewer if the generation ends before."""
        parts = []
        missed = -1
        while length > 0:
            row = self._db.read_one(_EXTENT, (generation, start))
            if row is None or row[0] + row[2] <= start:
                break
            data = self._load_chunk(row[1])
            if data is None:
                if missed == start:
                    raise _missing_error(generation, start)
                missed = start
                continue
            part = _slice_chunk(data, start - row[0], start - row[0] + length)
            if not part:
                raise _damage_error(row[1])
            parts.append(part)
            start += len(part)
            length -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def chunk(self, number: int) -> bytes:
        """Return a chunk, and cache it."""
        data = self._load_chunk(number)
        if data is None:
            raise _damage_error(number)
        return data

    def _load_chunk(self, number: int) -> bytes | None:
        data = self._kept.get(number)
        if data is not None:
            self._kept.move_to_end(number)
            return data
        data = self._decompress_chunk(number)
        if data is not None:
            self._kept[number] = data
            self._size += len(data)
            while self._size > self.most and len(self._kept) > 1:
                self._size -= len(self._kept.popitem(last=False)[1])
        return data

    def clear_cache(self) -> None:
        """Clear the cache: numbers may mean other chunks now."""
        self._kept.clear()
        self._size = 0

    def _decompress_chunk(self, number: int, *, verify: bool = False) -> bytes | None:
        """Return the bytes of a chunk; None if there is none with this number."""
        row = self._db.read_one(_CHUNK, (number,))
        if row is None:
            return None
        hash, base, data = row
        try:
            found = decompress_chunk(data, None if base is None else self.chunk(base))
        except ValueError:
            raise _damage_error(number) from None
        if verify and chunk_hash(found) != hash:
            raise _damage_error(number)
        return found


def _slice_chunk(data: bytes, start: int, stop: int) -> bytes:
    start = max(0, start)
    return data if start == 0 and stop >= len(data) else data[start:stop]


def _missing_error(generation: int, start: int) -> Unreadable:
    return Unreadable(
        f"what is at byte {start} of generation {generation} is not in the archive",
        hint="`talktree library check` tells what is damaged",
    )


def _damage_error(chunk: int) -> Unreadable:
    return Unreadable(
        f"chunk {chunk} of the archive is damaged",
        hint="`talktree library check --read-data` tells which files that concerns",
    )
