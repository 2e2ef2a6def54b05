"""Syncing one log, by whoever comes first.

While one writer syncs, others append and wait for the lock; the next to get it syncs for all of
them, and the others find in the mark that nothing is left to do.

Threads that want to append at the same time, served by one of them.

Each would take the lock, write and sync for itself, and wake the next when it is done. Instead
whoever comes first does the work of all who wait, one after the other under one lock and with one
sync, and wakes them together.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from enum import Enum
from time import monotonic
from typing import Any, Protocol, TypeVar

from talktree.errors import NotSaved
from talktree.files.durable import raise_lost_writes
from talktree.session.journal.lockfile import DurableMark, LockFile
from talktree.session.journal.log import NO_IDENTITY, Log, WrittenLines

GATHERING = 0.2
"""For which part of the time of a sync more lines are waited for, where several writers are,"""
LONGEST_GATHERING = 0.001
"""and for how long at most, in seconds."""
SHORTEST_GATHERING = 0.0001
"""and from when on a pause is one: the timer adds about half of this to each."""
A_MOMENT = 50e-6
"""Seconds between two looks at the mark, at least."""
STREAK = 8
"""After so many lines in a row a writer counts as the only one. For every one of so many it still
goes the longer way, on which whoever waits for the append lock gets it."""


class SyncFailed(Exception):
    """The log could not be synced, now or by somebody before; it must be renewed."""


class LogReplaced(Exception):
    """The path of the log leads to another file than the one that was written to."""


class Commit:
    """How far one log is on the disk."""

    def __init__(self, log: Log, lock: LockFile) -> None:
        self._log = log
        self._lock = lock
        self._byte = 1 + log.index
        self._gate = threading.Lock()
        self._failure: DurableMark | None = None
        """A failed sync that could not even be noted; nothing counts until it is."""
        self._took = 0.0
        """How long the last sync took, in seconds."""
        self.begun = 0
        """How many syncs this process has begun; lines remember it from when they were written."""
        self._done = (0, NO_IDENTITY)
        """The last sync that went well, and of which file: it covers all lines from before it."""
        self._synced = (NO_IDENTITY, 0)
        """Which file this process has last synced and noted, and up to where."""
        self._lost = (NO_IDENTITY, 0)
        """A file of which a sync failed, and up to where another writer's is not believed then."""

    @contextmanager
    def hold_lock(self) -> Iterator[None]:
        """No other thread or process syncs, cuts or replaces the log."""
        with self._gate:
            self._lock.acquire(self._byte)
            try:
                yield
            finally:
                self._lock.release(self._byte)

    def sync_if_alone(self, written: WrittenLines) -> bool:
        """Sync the lines of the only writer there is, under the append lock; whether that was done.

        If this process has noted that everything before them is synced, nobody has anything to
        sync or to note until the append lock is free: the other lock and the mark can be spared.
        """
        if (
            written.streak < STREAK
            or not written.streak % STREAK
            or self._synced != (written.identity, written.start)
            or not self._gate.acquire(blocking=False)
        ):
            return False
        try:
            self._sync(written.start, written.end)
        except (SyncFailed, OSError):
            # It is noted, or will be; `reach` finds it and tells.
            return False
        finally:
            self._gate.release()
        return True

    def ensure_synced(self, written: WrittenLines) -> None:
        """Return when the lines are on the disk."""
        with self._gate:
            number, identity = self._done
            if number > written.syncs and identity == written.identity:
                return
            try:
                crowded = not self._lock.try_acquire(self._byte)
                if crowded and self._is_covered_by_another(written):
                    self._trust_mark(written)
                else:
                    self._sync_until(written, crowded=crowded or not written.streak)
            finally:
                self._lock.release(self._byte)

    def _is_covered_by_another(self, written: WrittenLines) -> bool:
        """Wait for whoever syncs; False, with the lock held, if that did not cover the lines.

        Those who wait look at the mark from time to time. Whoever waits for the lock itself is
        overtaken by the one who has just freed it, again and again, with lines long since synced.
        """
        pause = self._took * 0.8
        while True:
            time.sleep(max(pause, A_MOMENT))
            pause = self._took / 20
            mark = self._lock.read_mark(self._log.index)
            if mark and mark.identity == written.identity and mark.length >= written.end:
                return True
            if self._lock.try_acquire(self._byte):
                return False

    def _sync_until(self, written: WrittenLines, *, crowded: bool) -> None:
        mark = self._read_mark()
        if self._log.identity != written.identity:
            raise LogReplaced
        if mark is None or mark.identity != written.identity:
            if self._log.find_identity() != written.identity:
                raise LogReplaced
            self._sync(written.start, self._log.size())
        elif mark.length >= written.end:
            self._trust_mark(written)
        elif mark.failed:
            raise SyncFailed
        else:
            if crowded:
                self._wait_for_others()
            self._sync(mark.length, self._log.size())

    def _wait_for_others(self) -> None:
        """Let others write first.

        Those whose lines were covered write their next ones now. A sync that began at once would
        miss them, and one half of the writers would always wait for the other.
        """
        pause = min(self._took * GATHERING, LONGEST_GATHERING)
        if pause < SHORTEST_GATHERING:
            os.sched_yield()
        else:
            time.sleep(pause)

    def _trust_mark(self, written: WrittenLines) -> None:
        """Take the mark's word for it, unless the system has told this process something else.

        A writer may see its sync fail and be killed before it has noted that; the next sync, of
        a descriptor that was opened since, goes well, and its mark would cover lines that were
        dropped. The system tells of the failure to each descriptor that was open then, once.
        """
        try:
            raise_lost_writes(self._log.fd)
        except OSError as error:
            self._lost = (written.identity, self._log.size())
            raise SyncFailed(error.strerror) from error
        if self._lost[0] == written.identity and written.end <= self._lost[1]:
            raise SyncFailed

    def sync_existing(self) -> None:
        """Make sure that what is in the file is on the disk, before the first line is added."""
        with self.hold_lock():
            if not self.is_known():
                os.fsync(self._log.folder)
                self._sync(self._log.size(), self._log.size())

    def is_known(self) -> bool:
        """Whether there is a mark that can be relied on."""
        mark = self._read_mark()
        return bool(
            mark and mark.identity == self._log.identity and mark.length <= self._log.size()
        )

    def is_sound(self, size: int, *, synced: bool) -> bool:
        """Whether lines can be added to a log of that size just like that."""
        mark = self._read_mark()
        if mark is None or mark.identity != self._log.identity:
            return not synced
        return not mark.failed and mark.length <= size

    def has_failed(self) -> bool:
        """Whether the log must be renewed before anything is added."""
        mark = self._read_mark()
        return bool(mark and mark.failed and mark.identity == self._log.identity)

    def cut(self, length: int) -> None:
        """Cut the log. The mark first: what will be written there is not on the disk yet."""
        with self.hold_lock():
            mark = self._read_mark()
            if mark and mark.identity == self._log.identity and mark.length > length:
                self._write_mark(length, failed=mark.failed)
            os.ftruncate(self._log.fd, length)

    def reopen(self) -> None:
        """Open the file that the path leads to, while nobody syncs the old one."""
        with self.hold_lock():
            self._log.open()

    def close(self) -> None:
        """Let go of the log, while no other thread syncs it."""
        with self._gate:
            self._log.close()

    def forget_threads(self) -> None:
        """After a fork only one thread is left, and what others held is free."""
        self._gate = threading.Lock()

    def _sync(self, good: int, size: int) -> None:
        """Sync everything there is. A failure is noted for all: it must never be tried again."""
        self.begun = number = self.begun + 1
        self._synced = (NO_IDENTITY, 0)
        start = time.monotonic()
        try:
            os.fdatasync(self._log.fd)
        except OSError as error:
            self._failure = DurableMark(self._log.identity, good, failed=True)
            self._lost = (self._log.identity, self._log.size())
            self._read_mark()
            raise SyncFailed(error.strerror) from error
        self._took = time.monotonic() - start
        self._write_mark(size, failed=False)
        self._done = (number, self._log.identity)
        self._synced = (self._log.identity, size)

    def _read_mark(self) -> DurableMark | None:
        if self._failure is not None:
            known = self._lock.read_mark(self._log.index)
            if known and known.identity == self._failure.identity:
                # It may be late: what others have synced since is saved.
                self._failure = known._replace(
                    length=max(known.length, self._failure.length), failed=True
                )
            self._lock.write_mark(self._log.index, self._failure)
            self._failure = None
        return self._lock.read_mark(self._log.index)

    def _write_mark(self, length: int, *, failed: bool) -> None:
        self._lock.write_mark(self._log.index, DurableMark(self._log.identity, length, failed))


T = TypeVar("T")
PATIENCE = 0.5
"""For which part of the time of the last round those are waited for who took part in it,"""
LONGEST_PATIENCE = 0.001
"""and for how many seconds at most."""


class GroupedJournal(Protocol):
    """What a group needs of its journal."""

    def enter(self) -> None:
        """Take the append lock."""

    def leave(self, *, settle: bool = False) -> Sequence[WrittenLines]:
        """Free the append lock; what was written under it and is not acknowledged yet."""

    def ensure_synced(self, written: WrittenLines) -> None:
        """Return when lines are on the disk; `NotSaved` if they never will be."""


class _State(Enum):
    WAITS = 0
    BEGUN = 1
    ENDED = 2


class _GroupJob:
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
        self.unreached: Sequence[WrittenLines] | None = None
        """Lines that nobody has acknowledged, because whoever led was interrupted; None if it is
        not even known which they are."""

    def run(self) -> None:
        """Do it; what goes wrong is for the thread that wanted it."""
        self.state = _State.BEGUN
        try:
            self.result = self.work()
        except Exception as error:
            self.error = error
        self.state = _State.ENDED

    def get_result(self) -> Any:  # noqa: ANN401
        """What came of it."""
        if self.error is None:
            return self.result
        try:
            raise self.error
        finally:
            # An error refers to its frames, and they to the job.
            self.error = None


class CommitGroup:
    """The threads of one process that append to the logs of a session."""

    def __init__(self, journal: GroupedJournal) -> None:
        self._journal = journal
        self.forget_threads()

    def forget_threads(self) -> None:
        """After a fork only one thread is left, and nobody leads."""
        self._gate = threading.Lock()
        self._queue: list[_GroupJob] = []
        self._led = False
        self._crowd = 1
        """How many were there the last time."""
        self._took = 0.0
        """How long the last round took, in seconds."""
        self._gathering: _GroupJob | None = None
        """The job of who leads and waits for the others."""

    def run(self, work: Callable[[], T]) -> T:
        """Do something under the append lock; returns when what it wrote is acknowledged."""
        if self._lead_alone():
            return self._run_alone(work)
        job = _GroupJob(work)
        try:
            if self._enqueue(job):
                job.wake.acquire()
            if job.leads:
                self._lead(job)
        except BaseException:
            self._withdraw_job(job)
            raise
        for written in job.unreached or ():
            self._journal.ensure_synced(written)
        result: T = job.get_result()
        return result

    # one thread

    def _lead_alone(self) -> bool:
        """Lead, if nobody does and nobody else is to be expected."""
        with self._gate:
            if self._led or self._crowd > 1:
                return False
            self._led = True
            return True

    def _run_alone(self, work: Callable[[], T]) -> T:
        pending: Sequence[WrittenLines] = ()
        try:
            self._journal.enter()
            try:
                result = work()
            finally:
                pending = self._journal.leave(settle=True)
            for written in pending:
                self._journal.ensure_synced(written)
        finally:
            with self._gate:
                if self._queue:
                    self._crowd = 1 + len(self._queue)
                    self._appoint_leader()
                else:
                    self._led = False
        return result

    # several threads

    def _enqueue(self, job: _GroupJob) -> bool:
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

    def _lead(self, mine: _GroupJob) -> None:
        """Do the jobs of all who wait."""
        self._wait_for_previous(mine)
        start = monotonic()
        with self._gate:
            batch, self._queue = self._queue, []
        try:
            self._run_batch(batch)
        except Exception as error:
            for job in batch:
                job.error = job.error or copy(error)
                job.unreached = ()
        except BaseException:
            self._requeue(batch, mine)
            raise
        finally:
            self._took = monotonic() - start
            self._wake_finished(batch, mine)

    def _wait_for_previous(self, mine: _GroupJob) -> None:
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

    def _run_batch(self, batch: Sequence[_GroupJob]) -> None:
        pending: Sequence[WrittenLines] = ()
        self._journal.enter()
        try:
            for job in batch:
                job.run()
        finally:
            pending = self._journal.leave()
            for job in batch:
                job.unreached = pending
        for written in pending:
            self._journal.ensure_synced(written)
        for job in batch:
            job.unreached = ()

    def _requeue(self, batch: list[_GroupJob], mine: _GroupJob) -> None:
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

    def _wake_finished(self, batch: Sequence[_GroupJob], mine: _GroupJob) -> None:
        with self._gate:
            self._crowd = len(batch) + len(self._queue)
            mine.leads = False
            self._appoint_leader()
        for job in batch:
            if job is not mine:
                job.wake.release()

    def _appoint_leader(self) -> None:
        """Let the first in the queue lead, if there is one."""
        self._led = bool(self._queue)
        if self._led:
            self._queue[0].leads = True
            self._queue[0].wake.release()

    def _withdraw_job(self, job: _GroupJob) -> None:
        """The thread of a job was interrupted: it must not be waited for."""
        with self._gate:
            if job in self._queue:
                self._queue.remove(job)
            if job.leads:
                job.leads = False
                self._appoint_leader()
