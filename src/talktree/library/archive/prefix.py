"""Whether a file still begins with what is archived of it, by the hashes of chunks.

The file is read and hashed; the archive is not unpacked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from talktree.library.archive.chunk_hashes import chunk_hash
from talktree.library.database.connection import Database

_EXTENTS = """
SELECT extents.start, extents.size, chunks.hash
FROM extents JOIN chunks ON chunks.id = extents.chunk
WHERE extents.generation = ? ORDER BY extents.start
"""

ReadBytes = Callable[[int, int], bytes]
"""Reads the bytes of a file between two places."""


class PrefixComparison(NamedTuple):
    """The result of comparing a file with a generation."""

    is_equal: bool
    is_complete: bool
    """Whether every byte was compared."""


def compare_prefix(
    db: Database,
    generation: int,
    length: int,
    read: ReadBytes,
    *,
    start: int = 0,
    sample: int | None = None,
    seed: int = 0,
) -> PrefixComparison:
    """Compare a file with the first bytes of a generation, from the chunk at `start` on.

    With `sample`, at most that many chunks are read; `seed` varies which ones.
    """
    extents = db.read(_EXTENTS, (generation,))
    end = 0
    for place, size, _ in extents:
        if place != end:
            return PrefixComparison(is_equal=False, is_complete=False)
        end = place + size
    if end != length:
        return PrefixComparison(is_equal=False, is_complete=False)
    wanted = [each for each in extents if each[0] + each[1] > start]
    chosen = _choose_sample(len(wanted), sample, seed)
    for number in chosen:
        place, size, hash = wanted[number]
        if chunk_hash(read(place, place + size)) != hash:
            return PrefixComparison(is_equal=False, is_complete=False)
    return PrefixComparison(is_equal=True, is_complete=len(chosen) == len(extents))


def _choose_sample(count: int, most: int | None, seed: int) -> range | list[int]:
    """Return the numbers of the chunks to read: all, or an evenly spread sample."""
    if most is None or count <= most:
        return range(count)
    step = -(-count // max(1, most))
    return [*range(seed % step, count, step)]
