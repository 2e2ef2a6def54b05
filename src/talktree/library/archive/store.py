"""The archive: the contents of files, byte for byte, growing with them.

A generation is the content of a file as long as it only grows. New bytes are queued and written by
`flush`, in the caller's transaction; before that they cannot be read.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from talktree.library.archive.chunks import ChunkSpan
from talktree.library.archive.compaction import pack_tail
from talktree.library.archive.prefix import PrefixComparison, ReadBytes, compare_prefix
from talktree.library.archive.queue import Queue
from talktree.library.archive.reader import Reader
from talktree.library.archive.threads import ThreadPool
from talktree.library.archive.verify import (
    ArchiveProblem,
    check_contents,
    check_structure,
    repair_chunks,
    sweep_chunks,
)
from talktree.library.database.connection import Database
from talktree.library.database.row_checksums import HINTS, find_mismatches

_LAST_ID = "SELECT coalesce(max(id), 0) FROM generations"
_NEWEST = "SELECT id, number FROM generations WHERE file = ? ORDER BY number DESC LIMIT 1"
_LENGTH = "SELECT length FROM generations WHERE id = ?"
_ADD_GENERATION = """
INSERT INTO generations (id, file, number, length, began) VALUES (?, ?, ?, 0, ?)
"""
_SET_LENGTH = "UPDATE generations SET length = ? WHERE id = ?"
_ADD_VERSION = """
INSERT INTO versions (generation, length, seen, modified, verified) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (generation, length) DO UPDATE SET verified = max(verified, excluded.verified)
"""
_VERIFY = "UPDATE versions SET verified = 1 WHERE generation = ? AND length <= ? AND verified = 0"
_PROVISIONAL = """
SELECT coalesce(max(CASE WHEN verified THEN length END), 0),
  coalesce(max(CASE WHEN NOT verified THEN length END), 0)
FROM versions WHERE generation = ?
"""
_RETRACT = "DELETE FROM versions WHERE generation = ? AND verified = 0"


class Archive:
    """The bytes of all sources, in the database of a library."""

    def __init__(self, db: Database, threads: int = 1) -> None:
        self._db = db
        self._pool = ThreadPool(threads)
        self._queue = Queue(db, self._pool)
        self._reader = Reader(db)
        self._rollbacks = db.rollbacks
        self._last: int | None = None
        self._begun: list[tuple[int, int, int, int]] = []
        self._newest: dict[int, tuple[int, int]] = {}
        self._previous: dict[int, int | None] = {}
        self._lengths: dict[int, int] = {}
        self._versions: list[tuple[int, int, int, int, bool]] = []

    def begin(self, file: int) -> int:
        """Begin a new, empty generation of a file; the older ones stay."""
        self._forget_rolled_back()
        if self._last is None:
            self._last = int(self._db.read(_LAST_ID)[0][0])
        self._last += 1
        previous, number = (
            self._newest.get(file) or self._db.read_one(_NEWEST, (file,)) or (None, 0)
        )
        self._newest[file] = (self._last, number + 1)
        self._begun.append((self._last, file, number + 1, time.time_ns()))
        self._previous[self._last] = previous
        self._lengths[self._last] = 0
        return self._last

    def grow(self, generation: int, start: int, data: bytes, marks: tuple[int, ...] = ()) -> None:
        """Add bytes to the end of a generation, which is at `start`."""
        self._forget_rolled_back()
        if start != self.length(generation):
            raise ValueError(f"generation {generation} ends at {self.length(generation)}")
        if data:
            self._queue.put(
                generation, ChunkSpan(start, data, marks), self._previous.get(generation)
            )
            self._lengths[generation] = start + len(data)

    def record_version(
        self, generation: int, length: int, seen: int, modified: int, *, verified: bool = True
    ) -> None:
        """Record that the file was seen with this length, and when it was last modified.

        A version is provisional until all bytes before it were compared with the file.
        """
        self._forget_rolled_back()
        self._versions.append((generation, length, seen, modified, verified))

    def verify_versions(self, generation: int, length: int) -> None:
        """Record that the file begins with this many bytes of a generation."""
        self.flush()
        self._db.run(_VERIFY, (generation, length))

    def retract_versions(self, generation: int, read: ReadBytes) -> bool:
        """Remove the provisional versions of a generation that the file does not begin with.

        They are removed only if the file holds what they added in the same place. Otherwise they
        are the only copy of it, so they stay, marked as not verified.
        """
        self.flush()
        row = self._db.read_one(_PROVISIONAL, (generation,))
        start, stop = row if row is not None else (0, 0)
        if stop <= start:
            return False
        at = start
        for data in self.read(generation, start, stop - start):
            if read(at, at + len(data)) != data:
                return False
            at += len(data)
        self._db.run(_RETRACT, (generation,))
        return True

    def compare(
        self,
        generation: int,
        read: ReadBytes,
        *,
        start: int = 0,
        sample: int | None = None,
        seed: int = 0,
    ) -> PrefixComparison:
        """Compare a file with a generation, from an offset on, or only a sample of it."""
        self._forget_rolled_back()
        if generation in self._lengths:
            self.flush()
        length = self.length(generation)
        return compare_prefix(
            self._db, generation, length, read, start=start, sample=sample, seed=seed
        )

    def flush(self) -> None:
        """Write what is queued, in the caller's transaction."""
        self._forget_rolled_back()
        if not (self._begun or self._lengths or self._versions):
            return
        with self._db.transaction():
            self._db.run_many_atomically(_ADD_GENERATION, self._begun)
            grown = self._queue.write()
            self._db.run_many_atomically(
                _SET_LENGTH, ((self._lengths[each], each) for each in grown)
            )
            self._db.run_many_atomically(_ADD_VERSION, self._versions)
            for generation in grown:
                pack_tail(self._db, generation, self._reader)
        self._clear_queued_state()

    def pack_tail(self, generation: int) -> bool:
        """Join many small chunks at the end into one, if there are enough of them."""
        # Queued chunks may refer to a chunk that is about to be deleted.
        self.flush()
        return pack_tail(self._db, generation, self._reader)

    def length(self, generation: int) -> int:
        """Return how many bytes a generation has, including queued ones."""
        self._forget_rolled_back()
        known = self._lengths.get(generation)
        if known is None:
            row = self._db.read_one(_LENGTH, (generation,))
            known = 0 if row is None else int(row[0])
        return known

    def read(
        self, generation: int, start: int = 0, length: int | None = None, *, verify: bool = False
    ) -> Iterator[bytes]:
        """Yield the bytes of a generation, chunk by chunk; `verify` checks every hash."""
        self._forget_rolled_back()
        return self._reader.read(generation, start, length, verify=verify)

    def slice(self, generation: int, start: int, length: int) -> bytes:
        """Return a few bytes of a generation; the last chunks used are cached."""
        self._forget_rolled_back()
        return self._reader.slice(generation, start, length)

    def limit_cache(self, size: int) -> None:
        """Limit the cache of `slice` to this many bytes."""
        self._reader.most = size

    def verify(self, *, read_data: bool = False) -> list[ArchiveProblem]:
        """Return the problems of the archive; `read_data` reads every byte."""
        troubles = [*check_structure(self._db)]
        return [*troubles, *check_contents(self._db, self._pool)] if read_data else troubles

    def repair(self) -> int:
        """Read damaged chunks again from the files where possible; return how many were repaired.

        Unreferenced chunks are dropped, unless rows are damaged: a damaged row may have referred to
        them.
        """
        self.flush()
        with self._db.transaction(durable=True):
            repaired = repair_chunks(self._db, self._pool)
            if all(each.table == HINTS for each in find_mismatches(self._db)):
                sweep_chunks(self._db)
        self._reader.clear_cache()
        return repaired

    def clear_cache(self) -> None:
        """Clear the chunk cache: chunks may have been erased."""
        self._reader.clear_cache()

    def close(self) -> None:
        """Stop the threads; queued data that was not written is dropped."""
        self._queue.clear()
        self._pool.close()

    def _forget_rolled_back(self) -> None:
        """Drop the state of a transaction that was rolled back."""
        if self._rollbacks != self._db.rollbacks:
            self._rollbacks = self._db.rollbacks
            self._queue.clear()
            self._reader.clear_cache()
            self._clear_queued_state()

    def _clear_queued_state(self) -> None:
        """Drop the queue's state after it was written or discarded."""
        self._last = None
        self._begun.clear()
        self._newest.clear()
        self._previous.clear()
        self._lengths.clear()
        self._versions.clear()
