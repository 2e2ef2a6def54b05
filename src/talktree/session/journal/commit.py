"""Group commit: syncing one log for many writers.

While one writer syncs, others append and wait for the lock. The next to get it syncs for all of
them, and the others find in the mark that nothing is left to do.

Threads that want to append at the same time are served by one of them. Otherwise each would take
the lock, write and sync for itself, and wake the next when it is done. Instead the first thread
does the work of all waiting threads in order, under one lock and with one sync, and wakes them
together.
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
"""The fraction of a sync's duration for which more lines are waited for, with several writers,"""
LONGEST_GATHERING = 0.001
"""the maximum of that time, in seconds,"""
SHORTEST_GATHERING = 0.0001
"""and the shortest useful pause: the timer adds about half of this to each."""
A_MOMENT = 50e-6
"""Minimum seconds between two reads of the mark."""
STREAK = 8
"""After this number of writes in a row a writer counts as the only one. Each time this number is
reached again, it takes the longer path, on which other waiters get the append lock."""


class SyncFailed(Exception):
    """The log could not be synced, now or earlier by another writer; it must be replaced."""


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
        """Duration of the last sync, in seconds."""
        self.begun = 0
        """Number of syncs that this process has begun; lines store it when they are written."""
        self._done = (0, NO_IDENTITY)
        """The last successful sync, and its file: it covers all lines from before it."""
        self._synced = (NO_IDENTITY, 0)
        """The file that this process last synced and noted, and up to where."""
        self._lost = (NO_IDENTITY, 0)
        """A file of which a sync failed, and up to where other writers' marks are not trusted
        then."""

    @contextmanager
    def hold_lock(self) -> Iterator[None]:
        """Prevent other threads and processes from syncing, cutting or replacing the log."""
        with self._gate:
            self._lock.acquire(self._byte)
            try:
                yield
            finally:
                self._lock.release(self._byte)

    def sync_if_alone(self, written: WrittenLines) -> bool:
        """Sync the lines of an only writer under the append lock, and return whether this was done.

        If this process has noted that everything before them is synced, no other process has
        anything to sync or to note until the append lock is free, so the other lock and the mark
        are not needed.
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
            # It is noted, or will be; `ensure_synced` finds and reports it.
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
        """Wait for another writer's sync; False, with the lock held, if it did not cover the lines.

        Waiting writers read the mark from time to time. A writer that waits for the lock itself can
        be overtaken repeatedly by the one that has just released it, with lines long since synced.
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

        Writers whose lines were covered write their next ones now. A sync that began at once would
        miss them, and half of the writers would always wait for the other half.
        """
        pause = min(self._took * GATHERING, LONGEST_GATHERING)
        if pause < SHORTEST_GATHERING:
            os.sched_yield()
        else:
            time.sleep(pause)

    def _trust_mark(self, written: WrittenLines) -> None:
        """Trust the mark, unless the system has reported a failure to this process.

        A writer may see its sync fail and be killed before it has noted that. The next sync, of a
        descriptor that was opened since, succeeds, and its mark would cover lines that were
        dropped. The system reports the failure once to each descriptor that was open then.
        """
        try:
            raise_lost_writes(self._log.fd)
        except OSError as error:
            self._lost = (written.identity, self._log.size())
            raise SyncFailed(error.strerror) from error
        if self._lost[0] == written.identity and written.end <= self._lost[1]:
            raise SyncFailed

    def sync_existing(self) -> None:
        """Sync the existing bytes of the file before the first line is added."""
        with self.hold_lock():
            if not self.is_known():
                os.fsync(self._log.folder)
                self._sync(self._log.size(), self._log.size())

    def is_known(self) -> bool:
        """Whether there is a mark that can be trusted."""
        mark = self._read_mark()
        return bool(
            mark and mark.identity == self._log.identity and mark.length <= self._log.size()
        )

    def is_sound(self, size: int, *, synced: bool) -> bool:
        """Whether lines can be added to a log of that size without further checks."""
        mark = self._read_mark()
        if mark is None or mark.identity != self._log.identity:
            return not synced
        return not mark.failed and mark.length <= size

    def has_failed(self) -> bool:
        """Whether the log must be replaced before anything is added."""
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
        """Open the file that the path leads to, while the old one is not being synced."""
        with self.hold_lock():
            self._log.open()

    def close(self) -> None:
        """Close the log, while no other thread syncs it."""
        with self._gate:
            self._log.close()

    def forget_threads(self) -> None:
        """After a fork only one thread is left, and locks of the others are free."""
        self._gate = threading.Lock()

    def _sync(self, good: int, size: int) -> None:
        """Sync the log. A failure is noted for all: a sync must never be repeated."""
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
                # This may be late: what others have synced since is kept.
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
"""The fraction of the last round's duration for which its participants are waited for,"""
LONGEST_PATIENCE = 0.001
"""and the maximum of that time, in seconds."""


class GroupedJournal(Protocol):
    """What a group needs of its journal."""

    def enter(self) -> None:
        """Take the append lock."""

    def leave(self, *, settle: bool = False) -> Sequence[WrittenLines]:
        """Release the append lock; return the lines written under it and not acknowledged yet."""

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
        """Released when the thread has something to do: continue, or lead."""
        self.wake.acquire()
        self.leads = False
        self.unreached: Sequence[WrittenLines] | None = None
        """Lines that are not acknowledged, because the leader was interrupted; None if it is not
        even known which they are."""

    def run(self) -> None:
        """Run the job; errors are kept for the thread that wanted it."""
        self.state = _State.BEGUN
        try:
            self.result = self.work()
        except Exception as error:
            self.error = error
        self.state = _State.ENDED

    def get_result(self) -> Any:  # noqa: ANN401
        """Return the result, or raise its error."""
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
        """After a fork only one thread is left, without a leader."""
        self._gate = threading.Lock()
        self._queue: list[_GroupJob] = []
        self._led = False
        self._crowd = 1
        """The number of threads in the last round."""
        self._took = 0.0
        """Duration of the last round, in seconds."""
        self._gathering: _GroupJob | None = None
        """The job of the leader that waits for the others."""

    def run(self, work: Callable[[], T]) -> T:
        """Run a function under the append lock; returns when its writes are acknowledged."""
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
        """Become the leader, if there is none and no other thread is expected."""
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
        """Add a job to the queue; its thread becomes the leader if there is none."""
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
        """Run the jobs of all waiting threads."""
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
        """Wait for the threads of the last round.

        They have just been woken and write their next lines now. A sync that began at once would
        miss them, and half of the threads would always wait for the other half.
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
        """Hand over jobs that have not begun, because the leader was interrupted."""
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
        """Make the first thread in the queue the leader, if there is one."""
        self._led = bool(self._queue)
        if self._led:
            self._queue[0].leads = True
            self._queue[0].wake.release()

    def _withdraw_job(self, job: _GroupJob) -> None:
        """Remove the job of an interrupted thread, so that it is not waited for."""
        with self._gate:
            if job in self._queue:
                self._queue.remove(job)
            if job.leads:
                job.leads = False
                self._appoint_leader()
