"""Single lines out of the archive, many at once, each with as little unpacking as it takes.

A chunk is unpacked only as far as the end of the line, and two at a time, as unpacking lets other
threads run. What this cannot give (a line across chunks, a chunk that is kept against another) is
left to `Archive.slice`.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

import zstandard

from talktree.library.database.connection import Database

_CHUNK = """
SELECT e.start, c.base, c.data FROM extents AS e JOIN chunks AS c ON c.id = e.chunk
WHERE e.generation = ? AND e.start <= ? ORDER BY e.start DESC LIMIT 1
"""
_STEP = 16 << 10
"""How many bytes are unpacked at once behind the beginning of a line."""
_WORTH_A_THREAD = 4


class LinePlace(NamedTuple):
    """Where a line begins."""

    generation: int
    at: int


class _Job(NamedTuple):
    place: LinePlace
    offset: int
    """Where the line begins in its chunk."""
    data: bytes


def lines_at(db: Database, places: Sequence[LinePlace]) -> dict[LinePlace, bytes]:
    """The lines at these places, as far as they can be had in a short way."""
    jobs = [job for job in (_job(db, place) for place in places) if job]
    found: dict[LinePlace, bytes] = {}
    if len(jobs) < _WORTH_A_THREAD:
        _unpack(jobs, found)
        return found
    helper = threading.Thread(target=_unpack, args=(jobs[1::2], found))
    helper.start()
    _unpack(jobs[::2], found)
    helper.join()
    return found


def _job(db: Database, place: LinePlace) -> _Job | None:
    row = db.one(_CHUNK, place)
    if row is None or row[1] is not None:
        return None
    return _Job(place, place.at - row[0], row[2])


def _unpack(jobs: Sequence[_Job], found: dict[LinePlace, bytes]) -> None:
    unpacker = zstandard.ZstdDecompressor()
    for job in jobs:
        line = _line(unpacker, job)
        if line:
            found[job.place] = line


def _line(unpacker: zstandard.ZstdDecompressor, job: _Job) -> bytes | None:
    """The line; None if its chunk ends before it does, or cannot be unpacked."""
    try:
        with unpacker.stream_reader(job.data) as stream:
            data = stream.read(job.offset + _STEP)[job.offset :]
            parts = [data]
            while data:
                end = data.find(b"\n") + 1
                if end:
                    parts[-1] = data[:end]
                    return b"".join(parts)
                data = stream.read(4 * _STEP)
                parts.append(data)
    except zstandard.ZstdError:
        return None
    return None
