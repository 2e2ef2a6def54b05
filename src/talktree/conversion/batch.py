"""Many sources into one folder: what is done and unchanged is skipped, the rest is converted.

One bad source does not stop the others. Outputs are whole or absent, also when the batch is killed;
the same batch again goes on where it stopped.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from hashlib import blake2b
from pathlib import Path
from types import TracebackType

import msgspec
from msgspec.structs import replace

from talktree import __version__
from talktree.conversion.batch_jobs import named
from talktree.conversion.batch_state import STATE, State
from talktree.conversion.batch_work import Job, Order, Outcome, killed, worked
from talktree.conversion.options import Options
from talktree.errors import Unreadable
from talktree.files import OutputGate
from talktree.formats import resolve_alias
from talktree.formats.sources import OWN, found
from talktree.parallel.crew import AHEAD, in_processes
from talktree.parallel.schedule import together

WORK = f"{OWN}.work"
A_SHARE = 12
"""A process is worth starting for so many sources,"""
A_LOAD = 4 << 20
"""or for so many bytes of them."""
SPARE = 1
"""Processes beyond the processors: while one waits for the disk, another works."""
LONG = 1 << 20
"""Jobs of such a size are handed out one by one: the next goes to whoever is free."""


class Batch:
    """A batch, opened; its output folder is its own until it is closed."""

    def __init__(
        self,
        paths: Sequence[str],
        *,
        to: str,
        out: str | None,
        options: Options,
        source_format: str | None = None,
        each: bool = False,
        fresh: bool = False,
        gate: OutputGate | None = None,
        jobs: int | None = None,
        losses: str | None = None,
    ) -> None:
        """Find out what there is to do; without `out` nothing will be written."""
        # The digest tells one conversion from another, so a format has one name in it.
        to = resolve_alias(to)
        source_format = source_format and resolve_alias(source_format)
        self._gate = gate or OutputGate(paths)
        self._found = found(paths, each=each, format=source_format)
        self._most = jobs or len(os.sched_getaffinity(0))
        self._spare = 0 if jobs else SPARE
        self._state: State | None = None
        self._made_out = False
        self._wrote = False
        self._running: Generator[Outcome, None, None] | None = None
        self.order = Order(
            to=to,
            options=options,
            source_format=source_format,
            digest=_digest(to, options, source_format),
            fresh=fresh,
            force=self._gate.force,
            losses=losses,
        )
        if out is not None:
            self._open(Path(out))
        self._plan()

    def _open(self, out: Path) -> None:
        self._gate.check_batch(out, resumes=os.path.lexists(out / STATE))
        self._made_out = not out.exists()
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Unreadable(f"{out}: cannot write: {error.strerror or error}") from None
        self._state = State(out, self.order.to)
        work = out / WORK
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(exist_ok=True)
        self.order = replace(self.order, out=str(out), work=str(work), state=str(self._state.path))

    def _plan(self) -> None:
        state = self._state
        names = named(self._found, {} if state is None else state.names())
        self._done: list[Outcome] = []
        self._todo: list[Job] = []
        for number, (each, name) in enumerate(zip(self._found, names, strict=True)):
            known = frozenset() if state is None else state.known(each.source)
            entry = None
            if state is not None and not self.order.fresh:
                entry = state.done(each.source, each.stamp, self.order.digest)
            if entry is None or (each.asked and not entry.outputs):
                job = Job(
                    number=number,
                    source=each.source,
                    shown=each.shown,
                    name=name,
                    asked=each.asked,
                    stamp=each.stamp,
                    alone=each.alone,
                    without=each.without,
                    known=known,
                )
                self._todo.append(job)
                continue
            outcome = Outcome(
                number=number,
                path=each.shown,
                status="unchanged" if entry.outputs else "skipped",
                written=entry.outputs,
                counts=entry.counts,
                carried_bytes=entry.carried_bytes,
            )
            self._done.append(outcome)

    def __len__(self) -> int:
        return len(self._found)

    def outcomes(self) -> Iterator[Outcome]:
        """What comes of each source, as it comes: first what is done already."""
        self._running = self._outcomes()
        return self._running

    def _outcomes(self) -> Generator[Outcome, None, None]:
        yield from self._done
        jobs = sorted(self._todo, key=lambda job: -job.stamp.size)
        sizes = [job.stamp.size for job in jobs]
        most = min(self._most, max(len(jobs) // A_SHARE, sum(sizes) // A_LOAD))
        first = together(sizes, most)
        yield from self._worked(jobs[:first], 1, processes=most)
        rest = len(jobs) - first
        yield from self._worked(jobs[first:], min(most + self._spare * (most > 1), rest))

    def _worked(
        self, jobs: Sequence[Job], count: int, *, processes: int = 1
    ) -> Generator[Outcome, None, None]:
        """What comes of some jobs in so many processes; each may use further ones."""
        work = partial(worked, self.order, processes=processes)
        crew = None
        if jobs and (count > 1 or processes > 1):
            long = sum(job.stamp.size for job in jobs) // len(jobs) >= LONG
            crew = in_processes(work, jobs, count, died=killed, ahead=1 if long else AHEAD)
        with closing(crew or (work(job) for job in jobs)) as outcomes:
            for outcome in outcomes:
                self._wrote = self._wrote or bool(outcome.written)
                yield outcome

    def __enter__(self) -> Batch:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._running is not None:
            self._running.close()
        if self._state is None:
            return
        shutil.rmtree(self.order.work, ignore_errors=True)
        self._state.close(keep=kind is not None or self._wrote or self._state.tells)
        if self._made_out:
            try:
                os.rmdir(self.order.out or "")
            except OSError:
                pass


def _digest(to: str, options: Options, source_format: str | None) -> str:
    """The same for two batches that would make the same of a source."""
    told = msgspec.to_builtins(options, order="deterministic")
    text = msgspec.json.encode([__version__, to, source_format, told], order="deterministic")
    return blake2b(text, digest_size=12).hexdigest()
