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
from talktree.library.extract.claude_usage import ReplyCounts, ReplyRow, count_file
from talktree.parallel.pool import run_in_processes

WORTHWHILE = 24 << 20
"""Bytes for which it pays to begin another process."""
BATCH = 8 << 20
"""Bytes of files that are one job."""

AnyPath = str | bytes | PathLike[str]
_Job = tuple[int, tuple[str | bytes, ...]]


class ReplyTokens(NamedTuple):
    """Tokens, and how many replies they were spent on."""

    replies: int = 0
    input: int = 0
    output: int = 0
    cache_write: int = 0
    cache_read: int = 0


class UsageRows(Struct, frozen=True):
    """What replies cost, and what they belong to."""

    entries: tuple[ReplyRow, ...]

    @property
    def total(self) -> ReplyTokens:
        """What all of them cost."""
        return _sum_rows(self.entries)

    def group_by(self, *names: str) -> dict[tuple[str | None, ...], ReplyTokens]:
        """What they cost by any of day, model, project and session, in order."""
        groups: dict[tuple[str | None, ...], list[ReplyRow]] = {}
        for entry in self.entries:
            key = tuple([getattr(entry, name) for name in names])
            groups.setdefault(key, []).append(entry)
        named = sorted(groups.items(), key=lambda item: [name or "" for name in item[0]])
        return {key: _sum_rows(entries) for key, entries in named}


def total_usage(paths: Iterable[AnyPath], *, processes: int | None = None) -> UsageRows:
    """What the sessions in these files cost; of replies told alike the first counts."""
    jobs = _make_jobs(paths)
    count = len(sched_getaffinity(0)) if processes is None else processes
    books = ReplyCounts()
    if count < 2 or len(jobs) * BATCH < WORTHWHILE:
        for _, names in jobs:
            _count_files(books, names)
    else:
        found = dict(run_in_processes(_run_job, jobs, count, died=_find_lost))
        for number in sorted(found):
            books.merge(found[number])
    return UsageRows(tuple(books.entries()))


def _make_jobs(paths: Iterable[AnyPath]) -> list[_Job]:
    """The files in their order, some together, so that no process waits for another."""
    jobs: list[_Job] = []
    batch: list[str | bytes] = []
    size = 0
    for path in sorted([fspath(path) for path in paths], key=_encode_path):
        batch.append(path)
        size += _file_size(path)
        if size >= BATCH:
            jobs.append((len(jobs), tuple(batch)))
            batch, size = [], 0
    return [*jobs, (len(jobs), tuple(batch))] if batch else jobs


def _encode_path(path: str | bytes) -> bytes:
    return path if isinstance(path, bytes) else path.encode("utf-8", "surrogateescape")


def _file_size(path: str | bytes) -> int:
    try:
        return stat(path).st_size
    except OSError:
        return 0


def _run_job(job: _Job) -> tuple[int, ReplyCounts]:
    books = ReplyCounts()
    _count_files(books, job[1])
    return job[0], books


def _find_lost(job: _Job) -> tuple[int, ReplyCounts]:
    name = job[1][0]
    raise Unreadable(f"the process that counted {name!r} died", hint="run it again")


def _count_files(books: ReplyCounts, paths: Sequence[str | bytes]) -> None:
    for path in paths:
        try:
            count_file(books, path)
        except OSError:
            # A file that cannot be read costs itself; who wants to know looks with `check`.
            continue


def _sum_rows(entries: Sequence[ReplyRow]) -> ReplyTokens:
    columns: Iterator[tuple[int, ...]] = zip(*[entry[4:] for entry in entries], strict=True)
    return ReplyTokens(len(entries), *map(sum, columns))
