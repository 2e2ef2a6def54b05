"""Syncing one log, by whoever comes first.

While one writer syncs, others append and wait for the lock; the next to get it syncs for all of
them, and the others find in the mark that nothing is left to do.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from talktree.session.journal.lockfile import LockFile, Mark
from talktree.session.journal.log import NOBODY, Log, Written

GATHERING = 0.2
"""For which part of the time of a sync more lines are waited for, where several writers are,"""
LONGEST_GATHERING = 0.001
"""and for how long at most, in seconds."""
A_MOMENT = 50e-6
"""Seconds in which another writer has written its line, if it was about to."""


class SyncFailed(Exception):
    """The log could not be synced, now or by somebody before; it must be renewed."""


class Replaced(Exception):
    """The path of the log leads to another file than the one that was written to."""


class Commit:
    """How far one log is on the disk."""

    def __init__(self, log: Log, lock: LockFile) -> None:
        self._log = log
        self._lock = lock
        self._byte = 1 + log.index
        self._gate = threading.Lock()
        self._failure: Mark | None = None
        """A failed sync that could not even be noted; nothing counts until it is."""
        self._took = 0.0
        """How long the last sync took, in seconds."""
        self.begun = 0
        """How many syncs this process has begun; lines remember it from when they were written."""
        self._done = (0, NOBODY)
        """The last sync that went well, and of which file: it covers all lines from before it."""

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No other thread or process syncs, cuts or replaces the log."""
        with self._gate:
            self._lock.take(self._byte)
            try:
                yield
            finally:
                self._lock.free(self._byte)

    def reach(self, written: Written) -> None:
        """Return when the lines are on the disk."""
        crowded = not self._gate.acquire(blocking=False)
        if crowded:
            self._gate.acquire()
        try:
            number, identity = self._done
            if number > written.syncs and identity == written.identity:
                return
            if self._is_left_to_us(written, crowded=crowded or written.crowded):
                try:
                    self._reach(written)
                finally:
                    self._lock.free(self._byte)
        finally:
            self._gate.release()

    def _is_left_to_us(self, written: Written, *, crowded: bool) -> bool:
        """Wait for whoever syncs; True, with the lock held, if that did not cover the lines.

        Those who wait look at the mark from time to time. To wait for the lock would wake them one
        after the other, each to find that nothing is left to do.
        """
        pause = self._took * 0.8
        while not self._lock.try_to_take(self._byte):
            crowded = True
            time.sleep(max(pause, A_MOMENT))
            pause = self._took / 20
            mark = self._lock.mark(self._log.index)
            if mark and mark.identity == written.identity and mark.length >= written.end:
                return False
        if crowded:
            # Those whose lines were covered write their next ones now. A sync that began at once
            # would miss them, and one half of the writers would always wait for the other.
            time.sleep(max(min(self._took * GATHERING, LONGEST_GATHERING), A_MOMENT))
        return True

    def _reach(self, written: Written) -> None:
        mark = self._mark()
        if self._log.identity != written.identity:
            raise Replaced
        if mark is None or mark.identity != written.identity:
            if self._log.find() != written.identity:
                raise Replaced
            self._sync(written.start)
        elif mark.length < written.end:
            if mark.failed:
                raise SyncFailed
            self._sync(mark.length)

    def establish(self) -> None:
        """Make sure that what is in the file is on the disk, before the first line is added."""
        with self.alone():
            if not self.is_known():
                os.fsync(self._log.folder)
                self._sync(self._log.size())

    def is_known(self) -> bool:
        """Whether there is a mark that can be relied on."""
        mark = self._mark()
        return bool(
            mark and mark.identity == self._log.identity and mark.length <= self._log.size()
        )

    def is_sound(self, size: int, *, synced: bool) -> bool:
        """Whether lines can be added to a log of that size just like that."""
        mark = self._mark()
        if mark is None or mark.identity != self._log.identity:
            return not synced
        return not mark.failed and mark.length <= size

    def has_failed(self) -> bool:
        """Whether the log must be renewed before anything is added."""
        mark = self._mark()
        return bool(mark and mark.failed and mark.identity == self._log.identity)

    def cut(self, length: int) -> None:
        """Cut the log. The mark first: what will be written there is not on the disk yet."""
        with self.alone():
            mark = self._mark()
            if mark and mark.identity == self._log.identity and mark.length > length:
                self._note(length, failed=mark.failed)
            os.ftruncate(self._log.fd, length)

    def reopen(self) -> None:
        """Open the file that the path leads to, while nobody syncs the old one."""
        with self.alone():
            self._log.open()

    def close(self) -> None:
        """Let go of the log, while no other thread syncs it."""
        with self._gate:
            self._log.close()

    def forget_threads(self) -> None:
        """After a fork only one thread is left, and what others held is free."""
        self._gate = threading.Lock()

    def _sync(self, good: int) -> None:
        """Sync everything there is. A failure is noted for all: it must never be tried again."""
        self.begun = number = self.begun + 1
        size = self._log.size()
        start = time.monotonic()
        try:
            os.fdatasync(self._log.fd)
        except OSError as error:
            self._failure = Mark(self._log.identity, good, failed=True)
            self._mark()
            raise SyncFailed(error.strerror) from error
        self._took = time.monotonic() - start
        self._note(size, failed=False)
        self._done = (number, self._log.identity)

    def _mark(self) -> Mark | None:
        if self._failure is not None:
            self._lock.note(self._log.index, self._failure)
            self._failure = None
        return self._lock.mark(self._log.index)

    def _note(self, length: int, *, failed: bool) -> None:
        self._lock.note(self._log.index, Mark(self._log.identity, length, failed))
