"""Reading what is in the archive: whole generations, or a few bytes at once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

from talktree.errors import Unreadable
from talktree.library.archive.chunks import chunk_hash
from talktree.library.archive.codec import unpacked
from talktree.library.database.connection import Database, Row

KEPT = 8 << 20
"""How many bytes of chunks stay at hand."""

_EXTENTS = """
SELECT start, chunk, size FROM extents
WHERE generation = ? AND start < ? AND start + size > ? ORDER BY start
"""
_EXTENT = """
SELECT start, chunk, size FROM extents
WHERE generation = ? AND start <= ? ORDER BY start DESC LIMIT 1
"""
_CHUNK = "SELECT hash, base, data FROM chunks WHERE id = ?"
_LENGTH = "SELECT length FROM generations WHERE id = ?"


class Reader:
    """Chunks of a database, uncompressed; the last ones are kept."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._kept: OrderedDict[int, bytes] = OrderedDict()
        self._size = 0

    def read(
        self, generation: int, start: int = 0, length: int | None = None, *, verify: bool = False
    ) -> Iterator[bytes]:
        """The bytes from a place on, chunk by chunk."""
        row = self._db.one(_LENGTH, (generation,))
        end = 0 if row is None else int(row[0])
        stop = end if length is None else min(end, start + length)
        at = start
        for first, chunk, size in self._db.read(_EXTENTS, (generation, stop, start)):
            if first > at:
                break
            data = self._unpacked(chunk, verify=verify)
            if len(data) != size:
                raise _damaged(chunk)
            yield (
                data
                if first >= start and first + size <= stop
                else data[max(0, start - first) : stop - first]
            )
            at = first + size
        if at < stop:
            raise Unreadable(
                f"bytes {at} to {stop} of generation {generation} are not in the archive",
                hint="`talktree library check` tells what is damaged",
            )

    def slice(self, generation: int, start: int, length: int) -> bytes:
        """A few bytes; fewer if the generation ends before."""
        parts = []
        while length > 0:
            row = self._db.one(_EXTENT, (generation, start))
            if row is None or row[0] + row[2] <= start:
                break
            data = self.chunk(row[1])
            part = data[start - row[0] : start - row[0] + length]
            if not part:
                break
            parts.append(part)
            start += len(part)
            length -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def chunk(self, number: int) -> bytes:
        """A chunk, kept at hand from now on."""
        data = self._kept.get(number)
        if data is None:
            data = self._kept[number] = self._unpacked(number)
            self._size += len(data)
            while self._size > KEPT and len(self._kept) > 1:
                self._size -= len(self._kept.popitem(last=False)[1])
        else:
            self._kept.move_to_end(number)
        return data

    def forget(self) -> None:
        """Keep nothing: numbers may mean other chunks now."""
        self._kept.clear()
        self._size = 0

    def _unpacked(self, number: int, *, verify: bool = False) -> bytes:
        hash, base, data = self._row(number)
        try:
            found = unpacked(data, None if base is None else self.chunk(base))
        except ValueError:
            raise _damaged(number) from None
        if verify and chunk_hash(found) != hash:
            raise _damaged(number)
        return found

    def _row(self, number: int) -> Row:
        row = self._db.one(_CHUNK, (number,))
        if row is None:
            raise _damaged(number)
        return row


def _damaged(chunk: int) -> Unreadable:
    return Unreadable(
        f"chunk {chunk} of the archive is damaged",
        hint="`talktree library check --read-data` tells which files that concerns",
    )
