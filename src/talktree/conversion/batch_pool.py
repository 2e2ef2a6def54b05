"""Processes that do the jobs of a batch, a few jobs ahead each.

A process that is killed costs its job a second try, not the batch. When the batch is stopped, the
processes are told to, and clean up what they were building; when it is killed, they end by
themselves.
"""

from __future__ import annotations

import signal
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from types import FrameType

from talktree.conversion.batch_work import Job, Order, Outcome, failed, worked
from talktree.errors import Unreadable

AHEAD = 4
"""How many jobs a process has at hand, so that none waits for work."""
TRIES = 2
MOST_STILLBORN = 3
PATIENCE = 10.0
"""Seconds in which a process that was told to stop has to clean up."""


class _Stopped(BaseException):
    """The process was told to stop."""


def _stop(number: int, frame: FrameType | None) -> None:
    raise _Stopped


def serve(pipe: Connection, order: Order) -> None:
    """Do jobs as they come in, until there are no more or nobody wants them."""
    signal.signal(signal.SIGTERM, _stop)
    try:
        while True:
            pipe.send(worked(order, pipe.recv()))
    except (_Stopped, EOFError, OSError):
        return


class _Worker:
    """A process, the way to it, and the jobs it was given."""

    def __init__(self, order: Order) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.given: deque[Job] = deque()
        self.process = context.Process(target=serve, args=(theirs, order), daemon=True)
        # Ctrl-C reaches all processes of a terminal, but only the first one shall act on it.
        resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()

    def give(self, job: Job) -> None:
        """One more job; if the process is gone, reading its answer will show it."""
        self.given.append(job)
        try:
            self.pipe.send(job)
        except OSError:
            pass

    def end(self) -> None:
        """No more jobs."""
        self.pipe.close()
        self.process.join(PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()


def in_processes(order: Order, jobs: Sequence[Job], count: int) -> Generator[Outcome, None, None]:
    """The outcomes of jobs as they come, from so many processes."""
    crew = _Crew(order, jobs)
    try:
        crew.start(count)
        yield from crew.outcomes()
    finally:
        crew.stop()


class _Crew:
    def __init__(self, order: Order, jobs: Sequence[Job]) -> None:
        self._order = order
        self._waiting = deque(jobs)
        self._workers: list[_Worker] = []
        self._tries: Counter[int] = Counter()
        self._stillborn = 0

    def start(self, count: int) -> None:
        """Let so many processes begin."""
        for _ in range(count):
            self._workers.append(_Worker(self._order))

    def outcomes(self) -> Iterator[Outcome]:
        """Give out jobs and take in what came of them."""
        while self._hand_out():
            busy = {worker.pipe: worker for worker in self._workers if worker.given}
            for pipe in wait(list(busy)):
                assert isinstance(pipe, Connection)
                worker = busy[pipe]
                try:
                    outcome: Outcome = pipe.recv()
                except (EOFError, OSError):
                    yield from self._replaced(worker)
                    continue
                self._stillborn = 0
                worker.given.popleft()
                yield outcome

    def _hand_out(self) -> bool:
        for _ in range(AHEAD):
            for worker in self._workers:
                if self._waiting and len(worker.given) < AHEAD:
                    worker.give(self._waiting.popleft())
        return any(worker.given for worker in self._workers)

    def _replaced(self, gone: _Worker) -> Iterator[Outcome]:
        """A new process for one that died; the job it died of gets a second try."""
        self._workers.remove(gone)
        self._stillborn += 1
        if self._stillborn > MOST_STILLBORN:
            raise Unreadable(
                "the processes that convert die at once", hint="run it again with --jobs 1"
            )
        job = gone.given.popleft()
        self._tries[job.number] += 1
        self._waiting.extendleft(reversed(gone.given))
        gone.end()
        if self._tries[job.number] < TRIES:
            self._waiting.appendleft(job)
        else:
            yield failed(job, _killed(job))
        self.start(1)

    def stop(self) -> None:
        """Let all processes end, and those that are still at work clean up."""
        for worker in self._workers:
            if worker.given:
                worker.process.terminate()
        for worker in self._workers:
            worker.end()


def _killed(job: Job) -> Unreadable:
    return Unreadable(
        f"{job.shown}: the process that converted it was killed",
        hint="it may have run out of memory; try it alone",
    )
