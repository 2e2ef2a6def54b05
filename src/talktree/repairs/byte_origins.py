"""Where each byte of a file comes from after several rounds of changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from talktree.files.splice import Splice

NEW = -1


class TracedRun(NamedTuple):
    """A span of a file as it is now."""

    length: int
    origin: int
    """Its offset in the original file; -1 if it is new."""


def first_trace(size: int) -> list[TracedRun]:
    """Return the trace of an unchanged file."""
    return [TracedRun(size, 0)] if size else []


def extend_trace(trace: Iterable[TracedRun], splices: Iterable[Splice]) -> list[TracedRun]:
    """Return the trace after one more round of changes."""
    out: list[TracedRun] = []
    runs = _Cursor(trace)
    at = 0
    for splice in splices:
        out += runs.take(splice.start - at)
        runs.skip(splice.stop - splice.start)
        if splice.new:
            out.append(TracedRun(len(splice.new), NEW))
        at = splice.stop
    out += runs.rest()
    return out


def count_kept_bytes(trace: Iterable[TracedRun]) -> int:
    """Return how many original bytes are left."""
    return sum(run.length for run in trace if run.origin != NEW)


class _Cursor:
    """Reads a trace in order and splits its runs where needed."""

    def __init__(self, trace: Iterable[TracedRun]) -> None:
        self._runs = iter(trace)
        self._open: TracedRun | None = None

    def take(self, count: int) -> list[TracedRun]:
        """Return the runs of the next bytes."""
        out = []
        while count > 0:
            run = self._open or next(self._runs)
            length = min(count, run.length)
            out.append(TracedRun(length, run.origin))
            count -= length
            left = run.length - length
            origin = NEW if run.origin == NEW else run.origin + length
            self._open = TracedRun(left, origin) if left else None
        return out

    def skip(self, count: int) -> None:
        """Skip the next bytes."""
        self.take(count)

    def rest(self) -> Iterator[TracedRun]:
        """Yield the remaining runs."""
        if self._open is not None:
            yield self._open
        yield from self._runs
