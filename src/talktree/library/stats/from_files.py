"""Tokens directly from Claude Code's files, without a library: each API reply counts once.

A reply is identified by its message id, or else by its request id, in every file. Its records
repeat its tokens, and the one with the most is complete. What a sub-agent repeats of its session
counts for the session.
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
"""Bytes for which starting another process pays off."""
BATCH = 8 << 20
"""Bytes of files that form one job."""

AnyPath = str | bytes | PathLike[str]
_Job = tuple[int, tuple[str | bytes, ...]]


class ReplyTokens(NamedTuple):
    """Tokens, and the number of replies."""

    replies: int = 0
    input: int = 0
    output: int = 0
    cache_write: int = 0
    cache_read: int = 0


class UsageRows(Struct, frozen=True):
    """Tokens of replies, and what the replies belong to."""

    entries: tuple[ReplyRow, ...]

    @property
    def total(self) -> ReplyTokens:
        """The total of all of them."""
        return _sum_rows(self.entries)

    def group_by(self, *names: str) -> dict[tuple[str | None, ...], ReplyTokens]:
        """Return the totals by any of day, model, project and session, in order."""
        groups: dict[tuple[str | None, ...], list[ReplyRow]] = {}
        for entry in self.entries:
            key = tuple([getattr(entry, name) for name in names])
            groups.setdefault(key, []).append(entry)
        named = sorted(groups.items(), key=lambda item: [name or "" for name in item[0]])
        return {key: _sum_rows(entries) for key, entries in named}


def total_usage(paths: Iterable[AnyPath], *, processes: int | None = None) -> UsageRows:
    """Sum the tokens of the sessions in these files; of duplicate replies the first counts."""
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
    """Return the files in order, grouped so that no process waits for another."""
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
            # An unreadable file is skipped; `check` reports it.
            continue


def _sum_rows(entries: Sequence[ReplyRow]) -> ReplyTokens:
    columns: Iterator[tuple[int, ...]] = zip(*[entry[4:] for entry in entries], strict=True)
    return ReplyTokens(len(entries), *map(sum, columns))
