"""A process pool for many jobs, with a few jobs queued for each process.

If a process is killed, its job gets a second try, and the other jobs are unaffected. When the work
is stopped, the processes are asked to stop and clean up unfinished output; when it is killed, they
end on their own.

Also: whether processes can be forked.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from types import FrameType
from typing import Generic, TypeVar

from talktree.errors import Unreadable


def may_fork() -> bool:
    """Whether a process can be forked, with all modules loaded.

    A forked process only has the calling thread, so a lock that another thread holds would never be
    released.
    """
    return sys.platform == "linux" and threading.active_count() == 1


Job = TypeVar("Job")
Outcome = TypeVar("Outcome")
Work = Callable[[Job], Outcome]
"""Processes a job; it is sent to the processes, so it must be picklable."""

AHEAD = 4
"""How many jobs are queued for a process, so that none waits for work."""
TRIES = 2
MOST_STILLBORN = 3
PATIENCE = 10.0
"""Seconds that a stopped process has to clean up."""


class _Stopped(BaseException):
    """The process was asked to stop."""


def _raise_stopped(number: int, frame: FrameType | None) -> None:
    # Once: the cleanup must not be interrupted again.
    signal.signal(number, signal.SIG_IGN)
    raise _Stopped


def serve_jobs(pipe: Connection, work: Work[Job, Outcome], inherited: Sequence[Connection]) -> None:
    """Process jobs as they arrive, until there are no more or the parent is gone.

    Descriptors that a forked process inherited are closed: as long as any process holds the other
    end of a pipe, the end of the process there goes unnoticed.
    """
    signal.signal(signal.SIGTERM, _raise_stopped)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        try:
            for each in inherited:
                each.close()
            while True:
                pipe.send(work(pipe.recv()))
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
    except (_Stopped, EOFError, OSError):
        return


class _Worker(Generic[Job, Outcome]):
    """A process, its connection, and its queued jobs."""

    def __init__(self, work: Work[Job, Outcome], others: Iterable[Connection]) -> None:
        forks = may_fork()
        context = get_context("fork") if forks else get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.given: deque[tuple[int, Job]] = deque()
        inherited = [self.pipe, *others] if forks else []
        self.process = context.Process(
            target=serve_jobs, args=(theirs, work, inherited), daemon=True
        )
        # Ctrl-C reaches all processes of a terminal, but only the first one must handle it. It may
        # interrupt a process that has not started yet, which then still has this one's handlers.
        if not forks:
            resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()

    def send_job(self, numbered: tuple[int, Job]) -> None:
        """Send one more job; if the process is gone, reading its answer will show it."""
        self.given.append(numbered)
        try:
            self.pipe.send(numbered[1])
        except OSError:
            pass

    def end_jobs(self) -> None:
        """Signal the end of jobs."""
        self.pipe.close()
        self.process.join(PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()


def run_in_processes(
    work: Work[Job, Outcome],
    jobs: Sequence[Job],
    count: int,
    *,
    died: Callable[[Job], Outcome],
    ahead: int = AHEAD,
) -> Generator[Outcome, None, None]:
    """Yield the outcomes of jobs as they arrive, from this many processes.

    `died` returns the outcome of a job whose process was killed twice. If jobs are long, queue only
    one: jobs that wait behind it would wait for one process alone.
    """
    pool = _ProcessPool(work, jobs, died, ahead)
    try:
        pool.start(count)
        yield from pool.outcomes()
    finally:
        pool.stop()


class _ProcessPool(Generic[Job, Outcome]):
    def __init__(
        self,
        work: Work[Job, Outcome],
        jobs: Sequence[Job],
        died: Callable[[Job], Outcome],
        ahead: int,
    ) -> None:
        self._ahead = ahead
        self._work = work
        self._died = died
        self._waiting = deque(enumerate(jobs))
        self._workers: list[_Worker[Job, Outcome]] = []
        self._tries: Counter[int] = Counter()
        self._stillborn = 0

    def start(self, count: int) -> None:
        """Start this many processes."""
        for _ in range(count):
            others = [worker.pipe for worker in self._workers]
            self._workers.append(_Worker(self._work, others))

    def outcomes(self) -> Iterator[Outcome]:
        """Send jobs and receive their outcomes."""
        while self._hand_out_job():
            busy = {worker.pipe: worker for worker in self._workers if worker.given}
            for pipe in wait(list(busy)):
                assert isinstance(pipe, Connection)
                worker = busy[pipe]
                try:
                    outcome: Outcome = pipe.recv()
                except (EOFError, OSError):
                    yield from self._replace_worker(worker)
                    continue
                self._stillborn = 0
                worker.given.popleft()
                yield outcome

    def _hand_out_job(self) -> bool:
        for _ in range(self._ahead):
            for worker in self._workers:
                if self._waiting and len(worker.given) < self._ahead:
                    worker.send_job(self._waiting.popleft())
        return any(worker.given for worker in self._workers)

    def _replace_worker(self, gone: _Worker[Job, Outcome]) -> Iterator[Outcome]:
        """Replace a process that died; the job it was working on gets a second try."""
        self._workers.remove(gone)
        self._stillborn += 1
        if self._stillborn > MOST_STILLBORN:
            raise Unreadable(
                "the processes that do the work die at once", hint="run it again with --jobs 1"
            )
        number, job = gone.given.popleft()
        self._tries[number] += 1
        self._waiting.extendleft(reversed(gone.given))
        gone.end_jobs()
        if self._tries[number] < TRIES:
            self._waiting.appendleft((number, job))
        else:
            yield self._died(job)
        self.start(1)

    def stop(self) -> None:
        """End all processes; those that are still working clean up."""
        for worker in self._workers:
            if worker.given:
                worker.process.terminate()
        for worker in self._workers:
            worker.end_jobs()
