"""The write queue of the archive: hashed, compressed in a thread, then written in one transaction.

A span of bytes is hashed first. If a chunk with that hash is stored or queued, nothing else is
done; otherwise it is compressed, against a similar chunk if there is one. Chunks without a similar
one are compressed several at a time: each change between threads may cost a wait.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable

from talktree.library.archive.chunk_hashes import chunk_hash
from talktree.library.archive.chunks import ChunkSpan
from talktree.library.archive.codec import (
    compress_against,
    compress_chunk,
    compress_chunks,
    decompress_chunk,
)
from talktree.library.archive.threads import PendingResult, ThreadPool
from talktree.library.database.connection import Database

AHEAD = 4 << 20
"""How many bytes may wait for compression before `put` blocks."""
TOGETHER = 1 << 20
"""How many bytes are compressed in one batch."""
_TRIED = 5
"""How many landmarks of a chunk are looked up."""

_BY_HASH = "SELECT id, size FROM chunks WHERE hash = ?"
_BY_MARK = "SELECT chunk FROM landmarks WHERE mark = ? ORDER BY chunk LIMIT 4"
_LOAD = "SELECT data, base FROM chunks WHERE id = ?"
_AT = """
SELECT chunk FROM extents WHERE generation = ? AND start <= ? ORDER BY start DESC LIMIT 1
"""
_ADD_CHUNK = "INSERT INTO chunks (hash, size, base, data) VALUES (?, ?, ?, ?)"
_ADD_MARK = "INSERT INTO landmarks (mark, chunk) VALUES (?, ?) ON CONFLICT DO NOTHING"
_ADD_EXTENT = "INSERT INTO extents (generation, start, chunk, size) VALUES (?, ?, ?, ?)"


class NewChunk:
    """A chunk that is not in the database yet."""

    __slots__ = ("base", "hash", "id", "made", "marks", "size")

    def __init__(self, hash: bytes, size: int, marks: tuple[int, ...]) -> None:
        self.hash = hash
        self.size = size
        self.marks = marks
        self.base: int | NewChunk | None = None
        self.made: PendingResult[tuple[bytes, bool]]
        self.id = 0


Chunk = int | NewChunk


class _Lot:
    """Chunks without a base, which are compressed in one batch."""

    def __init__(self) -> None:
        self.datas: list[bytes] = []
        self.size = 0
        self.made: PendingResult[list[bytes]] | None = None

    def add(self, data: bytes) -> _OfLot:
        """Add a chunk; its result is ready when that of the others is."""
        self.datas.append(data)
        self.size += len(data)
        return _OfLot(self, len(self.datas) - 1)


class _OfLot:
    """One chunk of a lot."""

    __slots__ = ("_lot", "_place")

    def __init__(self, lot: _Lot, place: int) -> None:
        self._lot = lot
        self._place = place

    def done(self) -> bool:
        """Whether it is ready."""
        made = self._lot.made
        return made is not None and made.done()

    def result(self) -> tuple[bytes, bool]:
        """Return it, waiting until it is ready."""
        assert self._lot.made is not None
        return self._lot.made.result()[self._place], False


class Queue:
    """Queued chunks, in order of arrival."""

    def __init__(self, db: Database, pool: ThreadPool) -> None:
        self._db = db
        self._pool = pool
        self._new: dict[bytes, NewChunk] = {}
        self._packing: deque[NewChunk] = deque()
        self._marks: dict[int, NewChunk] = {}
        self._extents: list[tuple[int, int, Chunk, int]] = []
        self._lot = _Lot()
        """Chunks that were not submitted for compression yet."""
        self._waiting = 0

    def put(self, generation: int, cut: ChunkSpan, previous: int | None = None) -> None:
        """Queue a span of a generation; `previous` precedes it if the file was replaced."""
        hash, size = chunk_hash(cut.data), len(cut.data)
        chunk = self._find_chunk(hash)
        if chunk is None:
            chunk = self._make_chunk(hash, cut, previous)
            self._wait_for_room(size)
        self._extents.append((generation, cut.start, chunk, size))

    def write(self) -> set[int]:
        """Write everything to the database; return the generations that grew."""
        self._submit_lot()
        for new in self._new.values():
            self._insert_chunk(new)
        # Only chunks without a base are bases for others, so only those get landmarks.
        alone = (new for new in self._new.values() if not new.made.result()[1])
        self._db.run_many_atomically(
            _ADD_MARK, sorted((mark, new.id) for new in alone for mark in new.marks)
        )
        self._db.run_many_atomically(
            _ADD_EXTENT,
            (
                (generation, start, chunk if isinstance(chunk, int) else chunk.id, size)
                for generation, start, chunk, size in self._extents
            ),
        )
        grown = {extent[0] for extent in self._extents}
        self.clear()
        return grown

    def clear(self) -> None:
        """Drop everything that is queued."""
        self._lot = _Lot()
        self._new.clear()
        self._packing.clear()
        self._marks.clear()
        self._extents.clear()
        self._waiting = 0

    def _wait_for_room(self, size: int) -> None:
        """Wait until there is room to compress that many more bytes."""
        self._waiting += size
        if self._lot.size >= TOGETHER:
            self._submit_lot()
        self._release_compressed()
        while self._waiting > AHEAD:
            self._submit_lot()
            self._packing[0].made.result()
            self._release_compressed()

    def _submit_lot(self) -> None:
        """Submit the gathered chunks for compression."""
        lot = self._lot
        if lot.datas:
            datas, lot.datas = lot.datas, []  # those who wait for the lot do not hold the data
            lot.made = self._pool.submit(lot.size, compress_chunks, datas)
            self._lot = _Lot()

    def _release_compressed(self) -> None:
        """Stop counting chunks that are compressed as waiting."""
        while self._packing and self._packing[0].made.done():
            self._waiting -= self._packing.popleft().size

    def _insert_chunk(self, new: NewChunk) -> None:
        data, against = new.made.result()
        base = new.base if against else None
        number = base.id if isinstance(base, NewChunk) else base
        new.id = self._db.run(_ADD_CHUNK, (new.hash, new.size, number, data))

    def _find_chunk(self, hash: bytes) -> Chunk | None:
        new = self._new.get(hash)
        if new is not None:
            return new
        row = self._db.read_one(_BY_HASH, (hash,))
        return None if row is None else int(row[0])

    def _make_chunk(self, hash: bytes, cut: ChunkSpan, previous: int | None) -> NewChunk:
        new = NewChunk(hash, len(cut.data), cut.marks)
        new.base = self._find_similar(cut.marks)
        if new.base is None and previous is not None:
            new.base = self._find_chunk_at(previous, cut.start)
        if new.base is None:
            new.made = self._lot.add(cut.data)
            self._marks.update(dict.fromkeys(cut.marks, new))
        elif isinstance(new.base, NewChunk):
            self._submit_lot()  # the base must be submitted before what waits for it
            new.made = self._pool.submit(new.size, _compress_against_new, cut.data, new.base.made)
        else:
            data = self._load_chunk(new.base)
            new.made = self._pool.submit(new.size, _compress_against, cut.data, data)
        self._new[hash] = new
        self._packing.append(new)
        return new

    def _find_similar(self, marks: tuple[int, ...]) -> Chunk | None:
        """Return the chunk that shares the most of these landmarks."""
        votes: Counter[Chunk] = Counter()
        for mark in _sample_marks(marks):
            new = self._marks.get(mark)
            if new is not None:
                votes[new] += 1
            votes.update(int(row[0]) for row in self._db.read(_BY_MARK, (mark,)))
        if not votes:
            return None
        return votes.most_common(1)[0][0]

    def _find_chunk_at(self, generation: int, start: int) -> int | None:
        """Return the chunk at an offset of another generation, or the base of that chunk."""
        row = self._db.read_one(_AT, (generation, start))
        if row is None:
            return None
        base = self._db.read_one(_LOAD, (row[0],))
        return None if base is None else int(base[1] or row[0])

    def _load_chunk(self, chunk: int) -> bytes:
        row = self._db.read_one(_LOAD, (chunk,))
        return b"" if row is None else bytes(row[0])


def _sample_marks(marks: tuple[int, ...]) -> Iterable[int]:
    """Yield an evenly spread sample of the landmarks."""
    return marks if len(marks) <= _TRIED else marks[:: -(-len(marks) // _TRIED)]


def _compress_against(data: bytes, base: bytes) -> tuple[bytes, bool]:
    """Compress against a base; a damaged base is ignored, and `check` reports it."""
    try:
        return compress_against(data, decompress_chunk(base))
    except ValueError:
        return compress_chunk(data), False


def _compress_against_new(
    data: bytes, base: PendingResult[tuple[bytes, bool]]
) -> tuple[bytes, bool]:
    return _compress_against(data, base.result()[0])
