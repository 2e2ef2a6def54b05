"""Threads that want to append at the same time, served by one of them.

Each would take the lock, write and sync for itself, and wake the next when it is done. Instead
whoever comes first does the work of all who wait, one after the other under one lock and with one
sync, and wakes them together.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from copy import copy
from enum import Enum
from time import monotonic
from typing import Any, Protocol, TypeVar

from talktree.errors import NotSaved
from talktree.session.journal.log import Written

T = TypeVar("T")
PATIENCE = 0.5
"""For which part of the time of the last round those are waited for who took part in it,"""
LONGEST_PATIENCE = 0.001
"""and for how many seconds at most."""


class Grouped(Protocol):
    """What a group needs of its journal."""

    def enter(self) -> None:
        """Take the append lock."""

    def leave(self, *, settle: bool = False) -> Sequence[Written]:
        """Free the append lock; what was written under it and is not acknowledged yet."""

    def reach(self, written: Written) -> None:
        """Return when lines are on the disk; `NotSaved` if they never will be."""


class _State(Enum):
    WAITS = 0
    BEGUN = 1
    ENDED = 2


class _Job:
    """What one thread wants done under the lock."""

    __slots__ = ("error", "leads", "result", "state", "unreached", "wake", "work")

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work = work
        self.result: Any = None
        self.error: BaseException | None = None
        self.state = _State.WAITS
        self.wake = threading.Lock()
        """Free when there is something to do for the thread: go on, or lead."""
        self.wake.acquire()
        self.leads = False
        self.unreached: Sequence[Written] | None = None
        """Lines that nobody has acknowledged, because whoever led was interrupted; None if it is
        not even known which they are."""

    def do(self) -> None:
        """Do it; what goes wrong is for the thread that wanted it."""
        self.state = _State.BEGUN
        try:
            self.result = self.work()
        except Exception as error:
            self.error = error
        self.state = _State.ENDED

    def outcome(self) -> Any:  # noqa: ANN401
        """What came of it."""
        if self.error is None:
            return self.result
        try:
            raise self.error
        finally:
            # An error refers to its frames, and they to the job.
            self.error = None


class Group:
    """The threads of one process that append to the logs of a session."""

    def __init__(self, journal: Grouped) -> None:
        self._journal = journal
        self.forget_threads()

    def forget_threads(self) -> None:
        """After a fork only one thread is left, and nobody leads."""
        self._gate = threading.Lock()
        self._queue: list[_Job] = []
        self._led = False
        self._crowd = 1
        """How many were there the last time."""
        self._took = 0.0
        """How long the last round took, in seconds."""
        self._gathering: _Job | None = None
        """The job of who leads and waits for the others."""

    def run(self, work: Callable[[], T]) -> T:
        """Do something under the append lock; returns when what it wrote is acknowledged."""
        if self._is_by_itself():
            return self._at_once(work)
        job = _Job(work)
        try:
            if self._is_led(job):
                job.wake.acquire()
            if job.leads:
                self._lead(job)
        except BaseException:
            self._withdraw(job)
            raise
        for written in job.unreached or ():
            self._journal.reach(written)
        result: T = job.outcome()
        return result

    # one thread

    def _is_by_itself(self) -> bool:
        """Lead, if nobody does and nobody else is to be expected."""
        with self._gate:
            if self._led or self._crowd > 1:
                return False
            self._led = True
            return True

    def _at_once(self, work: Callable[[], T]) -> T:
        pending: Sequence[Written] = ()
        try:
            self._journal.enter()
            try:
                result = work()
            finally:
                pending = self._journal.leave(settle=True)
            for written in pending:
                self._journal.reach(written)
        finally:
            with self._gate:
                if self._queue:
                    self._crowd = 1 + len(self._queue)
                    self._appoint()
                else:
                    self._led = False
        return result

    # several threads

    def _is_led(self, job: _Job) -> bool:
        """Put a job into the queue; if nobody leads, its thread does."""
        with self._gate:
            self._queue.append(job)
            if not self._led:
                self._led = job.leads = True
                return False
            waiting = self._gathering
            if waiting is not None and len(self._queue) >= self._crowd:
                self._gathering = None
                waiting.wake.release()
            return True

    def _lead(self, mine: _Job) -> None:
        """Do the jobs of all who wait."""
        self._gather(mine)
        start = monotonic()
        with self._gate:
            batch, self._queue = self._queue, []
        try:
            self._conduct(batch)
        except Exception as error:
            for job in batch:
                job.error = job.error or copy(error)
                job.unreached = ()
        except BaseException:
            self._put_back(batch, mine)
            raise
        finally:
            self._took = monotonic() - start
            self._finish(batch, mine)

    def _gather(self, mine: _Job) -> None:
        """Wait for those who wrote along the last time.

        They have just been woken and write their next lines now. A sync that began at once would
        miss them, and one half of the threads would always wait for the other.
        """
        with self._gate:
            if len(self._queue) >= self._crowd:
                return
            self._gathering = mine
        mine.wake.acquire(timeout=min(self._took * PATIENCE, LONGEST_PATIENCE))
        with self._gate:
            self._gathering = None

    def _conduct(self, batch: Sequence[_Job]) -> None:
        pending: Sequence[Written] = ()
        self._journal.enter()
        try:
            for job in batch:
                job.do()
        finally:
            pending = self._journal.leave()
            for job in batch:
                job.unreached = pending
        for written in pending:
            self._journal.reach(written)
        for job in batch:
            job.unreached = ()

    def _put_back(self, batch: list[_Job], mine: _Job) -> None:
        """The thread that leads was interrupted: what is not begun is left to another."""
        left = [job for job in batch if job.state is _State.WAITS and job is not mine]
        for job in left:
            batch.remove(job)
            job.unreached = None
        for job in batch:
            if job.state is _State.BEGUN or (job.unreached is None and job.error is None):
                job.error = NotSaved("the line was not saved: interrupted", hint="write it again")
        with self._gate:
            self._queue[:0] = left

    def _finish(self, batch: Sequence[_Job], mine: _Job) -> None:
        with self._gate:
            self._crowd = len(batch) + len(self._queue)
            mine.leads = False
            self._appoint()
        for job in batch:
            if job is not mine:
                job.wake.release()

    def _appoint(self) -> None:
        """Let the first in the queue lead, if there is one."""
        self._led = bool(self._queue)
        if self._led:
            self._queue[0].leads = True
            self._queue[0].wake.release()

    def _withdraw(self, job: _Job) -> None:
        """The thread of a job was interrupted: it must not be waited for."""
        with self._gate:
            if job in self._queue:
                self._queue.remove(job)
            if job.leads:
                job.leads = False
                self._appoint()
