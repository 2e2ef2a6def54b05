"""Tokens straight from Claude Code's files, without a library: each API reply counts once.

A reply is known by its message id, or else by its request id, in every file. Its records repeat
its tokens, and the one with the most is whole. What a sub-agent repeats of its session is the
session's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from os import PathLike, fspath, sched_getaffinity, stat
from typing import NamedTuple

from msgspec import Struct

from talktree.errors import Unreadable
from talktree.library.extract.claude_usage import Books, Entry, count_file
from talktree.parallel.pool import in_processes

WORTHWHILE = 24 << 20
"""Bytes for which it pays to begin another process."""
BATCH = 8 << 20
"""Bytes of files that are one job."""

AnyPath = str | bytes | PathLike[str]
_Job = tuple[int, tuple[str | bytes, ...]]


class Spent(NamedTuple):
    """Tokens, and how many replies they were spent on."""

    replies: int = 0
    input: int = 0
    output: int = 0
    cache_write: int = 0
    cache_read: int = 0


class Usage(Struct, frozen=True):
    """What replies cost, and what they belong to."""

    entries: tuple[Entry, ...]

    @property
    def total(self) -> Spent:
        """What all of them cost."""
        return _sum(self.entries)

    def by(self, *names: str) -> dict[tuple[str | None, ...], Spent]:
        """What they cost by any of day, model, project and session, in order."""
        groups: dict[tuple[str | None, ...], list[Entry]] = {}
        for entry in self.entries:
            key = tuple([getattr(entry, name) for name in names])
            groups.setdefault(key, []).append(entry)
        named = sorted(groups.items(), key=lambda item: [name or "" for name in item[0]])
        return {key: _sum(entries) for key, entries in named}


def totals(paths: Iterable[AnyPath], *, processes: int | None = None) -> Usage:
    """What the sessions in these files cost; of replies told alike the first counts."""
    jobs = _jobs(paths)
    count = len(sched_getaffinity(0)) if processes is None else processes
    books = Books()
    if count < 2 or len(jobs) * BATCH < WORTHWHILE:
        for _, names in jobs:
            _count(books, names)
    else:
        found = dict(in_processes(_work, jobs, count, died=_lost))
        for number in sorted(found):
            books.add(found[number])
    return Usage(tuple(books.entries()))


def _jobs(paths: Iterable[AnyPath]) -> list[_Job]:
    """The files in their order, some together, so that no process waits for another."""
    jobs: list[_Job] = []
    batch: list[str | bytes] = []
    size = 0
    for path in sorted([fspath(path) for path in paths], key=_bytes):
        batch.append(path)
        size += _size(path)
        if size >= BATCH:
            jobs.append((len(jobs), tuple(batch)))
            batch, size = [], 0
    return [*jobs, (len(jobs), tuple(batch))] if batch else jobs


def _bytes(path: str | bytes) -> bytes:
    return path if isinstance(path, bytes) else path.encode("utf-8", "surrogateescape")


def _size(path: str | bytes) -> int:
    try:
        return stat(path).st_size
    except OSError:
        return 0


def _work(job: _Job) -> tuple[int, Books]:
    books = Books()
    _count(books, job[1])
    return job[0], books


def _lost(job: _Job) -> tuple[int, Books]:
    name = job[1][0]
    raise Unreadable(f"the process that counted {name!r} died", hint="run it again")


def _count(books: Books, paths: Sequence[str | bytes]) -> None:
    for path in paths:
        try:
            count_file(books, path)
        except OSError:
            # A file that cannot be read costs itself; who wants to know looks with `check`.
            continue


def _sum(entries: Sequence[Entry]) -> Spent:
    columns: Iterator[tuple[int, ...]] = zip(*[entry[4:] for entry in entries], strict=True)
    return Spent(len(entries), *map(sum, columns))
