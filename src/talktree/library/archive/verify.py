"""Verifying the archive: its structure, and on request every byte.

Also deletes chunks that nothing refers to, and repairs damaged chunks from files that still hold
the same bytes.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from talktree.library.archive.chunk_hashes import chunk_hash
from talktree.library.archive.codec import (
    compress_against,
    compress_chunk,
    decompress_chunk,
    is_whole,
)
from talktree.library.archive.threads import PendingResult, ThreadPool
from talktree.library.database.connection import Database, Row
from talktree.text.escape import escape_line

_IS_USED = """
SELECT EXISTS (SELECT 1 FROM extents WHERE chunk = ?)
OR EXISTS (SELECT 1 FROM chunks WHERE base = ?)
"""
_BASE = "SELECT base FROM chunks WHERE id = ?"
_IN_FILES = "SELECT 1 FROM extents WHERE chunk = ? LIMIT 1"
_UNUSED_DATA = "SELECT data, base FROM chunks WHERE id = ?"
_AGAINST = "SELECT id, data FROM chunks WHERE base = ? ORDER BY id"
_SET_DATA = "UPDATE chunks SET data = ?, base = ? WHERE id = ?"
_DELETE = "DELETE FROM chunks WHERE id = ?"
_DELETE_MARKS = "DELETE FROM landmarks WHERE chunk = ?"
_LOST_EXTENTS = "DELETE FROM extents WHERE generation NOT IN (SELECT id FROM generations)"
_LOST_VERSIONS = "DELETE FROM versions WHERE generation NOT IN (SELECT id FROM generations)"
UNUSED = """
SELECT id FROM chunks
WHERE NOT EXISTS (SELECT 1 FROM extents WHERE extents.chunk = chunks.id)
AND NOT EXISTS (SELECT 1 FROM chunks AS other WHERE other.base = chunks.id)
"""


def drop_unused_chunks(db: Database, chunks: Iterable[int]) -> int:
    """Delete those of some chunks that no file and no chunk needs; return how many."""
    dropped = 0
    todo = list(chunks)
    while todo:
        chunk = todo.pop()
        if db.read(_IS_USED, (chunk, chunk))[0][0]:
            continue
        row = db.read_one(_BASE, (chunk,))
        if row is None:
            continue
        db.run(_DELETE_MARKS, (chunk,))
        db.run(_DELETE, (chunk,))
        dropped += 1
        if row[0] is not None:
            todo.append(row[0])
    return dropped


def erase_unused_chunks(db: Database, chunks: Sequence[int]) -> None:
    """Delete those of some chunks that no file holds, even if others are compressed against them.

    Those others are compressed again without them. A chunk that can no longer be read keeps its
    base: it can still be compared with a copy of the library.
    """
    for chunk in chunks:
        if db.read_one(_IN_FILES, (chunk,)) is None:
            _rebase_dependents(db, chunk)
    drop_unused_chunks(db, chunks)


def _rebase_dependents(db: Database, chunk: int) -> None:
    """Recompress the dependents of a chunk without it: one alone, the rest against that one."""
    row = db.read_one(_UNUSED_DATA, (chunk,))
    others = db.read(_AGAINST, (chunk,))
    if row is None or not others:
        return
    base = decompress_chunk(row[0])
    first: tuple[int, bytes] | None = None
    for id, data in others:
        try:
            whole = decompress_chunk(data, base)
        except ValueError:
            continue  # damaged before; `check` reports it
        if first is None:
            first = (id, whole)
            db.run(_SET_DATA, (compress_chunk(whole), None, id))
            continue
        new, against = compress_against(whole, first[1])
        db.run(_SET_DATA, (new, first[0] if against else None, id))


def sweep_chunks(db: Database) -> int:
    """Delete all chunks that nothing refers to; return how many."""
    with db.transaction():
        db.run(_LOST_EXTENTS)
        db.run(_LOST_VERSIONS)
        return drop_unused_chunks(db, [int(row[0]) for row in db.read(UNUSED)])


_AHEAD = 16
"""How many chunks are read ahead."""
_NAMED = 3
"""How many of the affected files are named."""

_GAPS = """
SELECT generation, start, before FROM (
  SELECT generation, start,
    lag(start + size, 1, 0) OVER (PARTITION BY generation ORDER BY start) AS before
  FROM extents
) AS placed WHERE start <> before
"""
_LENGTHS = """
SELECT generations.id, generations.length, coalesce(sum(extents.size), 0)
FROM generations LEFT JOIN extents ON extents.generation = generations.id
GROUP BY generations.id, generations.length
HAVING generations.length <> coalesce(sum(extents.size), 0)
"""
_LOST = """
SELECT extents.generation, extents.start, extents.chunk
FROM extents LEFT JOIN chunks ON chunks.id = extents.chunk
WHERE chunks.id IS NULL OR chunks.size <> extents.size
"""
_BASES = """
SELECT chunks.id, chunks.base FROM chunks LEFT JOIN chunks AS under ON under.id = chunks.base
WHERE chunks.base IS NOT NULL AND (under.id IS NULL OR under.base IS NOT NULL)
"""
_VERSIONS = """
SELECT versions.generation, versions.length
FROM versions LEFT JOIN generations ON generations.id = versions.generation
WHERE generations.id IS NULL OR versions.length > generations.length
"""
_FILES = """
SELECT files.path, files.generation
FROM files LEFT JOIN generations
ON generations.id = files.generation AND generations.file = files.id
WHERE files.generation IS NOT NULL AND generations.id IS NULL
"""
_ORPHANS = """
SELECT DISTINCT extents.generation FROM extents
LEFT JOIN generations ON generations.id = extents.generation WHERE generations.id IS NULL
"""
_NUMBERS = "SELECT id, base FROM chunks ORDER BY base, id"
_DATA = "SELECT data, hash FROM chunks WHERE id = ?"
_PATH = """
SELECT files.path FROM generations JOIN files ON files.id = generations.file
WHERE generations.id = ?
"""
_CONCERNED = """
SELECT DISTINCT files.path
FROM extents JOIN generations ON generations.id = extents.generation
JOIN files ON files.id = generations.file
WHERE extents.chunk = ? OR extents.chunk IN (SELECT id FROM chunks WHERE base = ?)
ORDER BY files.path
"""

LOST = "restore what is whole of it; then forget it, and import it again if its files are there"
REPAIRED = (
    "`talktree library reindex` takes it from the files again, if they still hold the same; else "
    + LOST
)
UNUSED_HINT = "this costs room and nothing else; `talktree library reindex` gives it back"


class ArchiveProblem(NamedTuple):
    """A problem of a library, and what to do about it."""

    kind: str
    what: str
    hint: str


def check_structure(db: Database) -> Iterator[ArchiveProblem]:
    """Yield inconsistencies: extents without chunks, chunks without bases, lengths, files."""
    for generation, start, before in db.read(_GAPS):
        yield ArchiveProblem(
            "archive", f"{_name_generation(db, generation)}: bytes {before} to {start} fail", LOST
        )
    for generation, length, found in db.read(_LENGTHS):
        what = f"{_name_generation(db, generation)}: {found} of {length} bytes are kept"
        yield ArchiveProblem("archive", what, LOST)
    for generation, start, chunk in db.read(_LOST):
        name = _name_generation(db, generation)
        what = f"{name}: chunk {chunk} at byte {start} is missing or of another size"
        yield ArchiveProblem("archive", what, LOST)
    for chunk, base in db.read(_BASES):
        what = (
            f"chunk {chunk} needs chunk {base}, which is no base{_name_files_of_chunk(db, chunk)}"
        )
        yield ArchiveProblem("archive", what, LOST)
    for generation, length in db.read(_VERSIONS):
        name = _name_generation(db, generation)
        what = f"{name}: a version of {length} bytes is longer than what is kept"
        yield ArchiveProblem("archive", what, LOST)
    for path, generation in db.read(_FILES):
        what = f"{_display_path(path)}: generation {generation} is missing"
        yield ArchiveProblem("archive", what, LOST)
    yield from _find_unused(db)


def _find_unused(db: Database) -> Iterator[ArchiveProblem]:
    unused = len(db.read(UNUSED))
    if unused:
        yield ArchiveProblem("unused", f"{unused} chunks belong to nothing", UNUSED_HINT)
    for (generation,) in db.read(_ORPHANS):
        yield ArchiveProblem("unused", f"generation {generation} belongs to nothing", UNUSED_HINT)


def check_contents(db: Database, pool: ThreadPool) -> Iterator[ArchiveProblem]:
    """Yield every chunk whose bytes do not match its hash, and the files it is in."""
    for number in find_damaged_chunks(db, pool):
        yield ArchiveProblem(
            "damaged", f"chunk {number} is damaged{_name_files_of_chunk(db, number)}", REPAIRED
        )


def find_damaged_chunks(db: Database, pool: ThreadPool) -> list[int]:
    """Return the damaged chunks, without those that are compressed against one of them."""
    waiting: deque[tuple[int, PendingResult[bool]]] = deque()
    bad: list[int] = []
    known: tuple[int, bytes | None] | None = None
    for number, base in db.read(_NUMBERS):
        if base is not None and (known is None or known[0] != base):
            known = (base, _read_base(db, base))
        under = known[1] if base is not None and known is not None else None
        if base is not None and under is None:
            continue
        data, hash = db.read_one(_DATA, (number,)) or (b"", b"")
        waiting.append((number, pool.submit(len(data), is_whole, data, under, hash)))
        if len(waiting) > _AHEAD:
            bad += _find_bad_chunks(waiting.popleft())
    for each in waiting:
        bad += _find_bad_chunks(each)
    return bad


def _find_bad_chunks(looked_at: tuple[int, PendingResult[bool]]) -> list[int]:
    number, whole = looked_at
    return [] if whole.result() else [number]


def _read_base(db: Database, number: int) -> bytes | None:
    """Return the base of chunks; None if it is damaged, which is reported separately."""
    row: Row | None = db.read_one(_DATA, (number,))
    try:
        return None if row is None else decompress_chunk(row[0])
    except ValueError:
        return None


def _name_generation(db: Database, generation: int) -> str:
    row = db.read_one(_PATH, (generation,))
    return f"generation {generation}" if row is None else _display_path(row[0])


def _name_files_of_chunk(db: Database, chunk: int) -> str:
    """Return the names of the files that contain a chunk."""
    paths = [_display_path(row[0]) for row in db.read(_CONCERNED, (chunk, chunk))]
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return f": it is part of {', '.join(paths[:_NAMED])}{more}" if paths else ""


def _display_path(path: bytes) -> str:
    return escape_line(os.fsdecode(path))


_HASH = "SELECT hash, size FROM chunks WHERE id = ?"
_PLACES = """
SELECT files.path, extents.start
FROM extents JOIN generations ON generations.id = extents.generation
JOIN files ON files.id = generations.file WHERE extents.chunk = ?
"""
_COPIES = "SELECT id FROM chunks WHERE base = ?"
_RENEW = "UPDATE chunks SET data = ?, base = NULL WHERE id = ?"


def repair_chunks(db: Database, pool: ThreadPool) -> int:
    """Restore damaged chunks whose bytes a file still has; return how many.

    A chunk that is compressed against one that stays damaged gets data of its own.
    """
    repaired = 0
    while found := find_damaged_chunks(db, pool):
        now = sum(_repair_chunk(db, chunk) or _repair_copies(db, chunk) for chunk in found)
        if not now:
            break
        repaired += now
    return repaired


def _repair_copies(db: Database, chunk: int) -> int:
    return sum(_repair_chunk(db, int(row[0])) for row in db.read(_COPIES, (chunk,)))


def _repair_chunk(db: Database, chunk: int) -> bool:
    row = db.read_one(_HASH, (chunk,))
    if row is None:
        return False
    for data in _find_candidates(db, chunk, row[1]):
        if chunk_hash(data) == row[0]:
            db.run(_RENEW, (compress_chunk(data), chunk))
            return True
    return False


def _find_candidates(db: Database, chunk: int, size: int) -> Iterator[bytes]:
    """Yield the present bytes of the files where the chunk was."""
    for path, start in db.read(_PLACES, (chunk,)):
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            yield os.pread(fd, size, start)
        except OSError:
            continue
        finally:
            os.close(fd)
