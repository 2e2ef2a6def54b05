"""The three logs of a session: many threads and processes append without losing a line.

An append takes the lock, checks that the file still ends as it was left, writes, releases the lock,
and returns when the line is on the disk (`safe`) or in the kernel (`fast`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from threading import get_ident
from types import TracebackType
from typing import TYPE_CHECKING, Literal, TypeVar

from talktree.errors import LockHeld, NotSaved, UsageError
from talktree.files.durable import write_all
from talktree.files.locking import find_network_file_system
from talktree.session.journal.commit import Commit, CommitGroup, LogReplaced, SyncFailed
from talktree.session.journal.lockfile import APPENDING, WRITING, LockFile
from talktree.session.journal.log import LinePosition, Log, Readers, WrittenLines, find_end
from talktree.session.journal.log_replacement import renew_log

if TYPE_CHECKING:
    from talktree.files.sandbox import Anchor

__all__ = ["LOGS", "Durability", "Journal", "LinePosition"]

LOGS = ("messages", "snapshots", "operations")
Durability = Literal["safe", "fast"]
T = TypeVar("T")


class Journal:
    """The logs of one session. Several threads may share it; each process makes its own."""

    def __init__(self, folder: Anchor, durability: Durability = "safe") -> None:
        self.folder = folder
        self.durability = durability
        self.problems: list[str] = []
        """What was found and done: tails moved to quarantine, replaced files, weak places."""
        self._safe = durability == "safe"
        self._gate = threading.RLock()
        self._depth = 0
        self._owner = 0
        """The thread that has the append lock."""
        self._pending: dict[int, WrittenLines] = {}
        self._lock = LockFile(folder.fd)
        self._logs = {name: Log(folder.fd, name, at) for at, name in enumerate(LOGS)}
        self._commits = [Commit(log, self._lock) for log in self._logs.values()]
        self._readers = Readers(folder.fd)
        self._closed = False
        self._group = CommitGroup(self)
        self._alone = _AppendLock(self)
        _JOURNALS.add(self)
        far = find_network_file_system(folder.fd)
        if far is not None:
            self.problems.append(
                f"{folder.path} is on a network file system ({far}): locks and syncs are only as "
                "good as its server's"
            )

    # appending

    def append(self, log: str, *values: bytes) -> list[LinePosition]:
        """Add lines: JSON objects without newline and seal. They are acknowledged when it returns.

        Inside `append_lock` they are acknowledged when that ends, or by `sync`.
        """
        if self._owner == get_ident():
            return self._write_lines(self._logs[log], values)
        return self._group.run(partial(self._write_lines, self._logs[log], values))

    def run_in_group(self, work: Callable[[], T]) -> T:
        """Read and append as inside `append_lock`, but together with other threads.

        Another thread may do the work; it is acknowledged when this returns.
        """
        return work() if self._owner == get_ident() else self._group.run(work)

    def append_lock(self) -> _AppendLock:
        """Hold the append lock over several reads and appends of this thread."""
        return self._alone

    def sync(self) -> None:
        """Acknowledge what was appended so far inside `append_lock`, in that order."""
        with self._gate:
            pending = self._pending
            self._pending = {}
            for written in pending.values():
                self.ensure_synced(written)

    def sync_logs(self, *logs: str) -> None:
        """Sync all lines of logs from all writers; does nothing if this is not `safe`."""
        there = [log for log in logs if self._safe and self.length(log)]
        for log in there:
            try:
                os.fdatasync(self.descriptor(log))
            except OSError as error:
                raise _not_saved_error(self.folder, f"{log}.jsonl", error) from error

    def enter(self) -> None:
        """Take the append lock, which is reentrant."""
        self._gate.acquire()
        if self._depth:
            self._depth += 1
            return
        try:
            if self._closed:
                raise UsageError("the session is closed", hint="open it again")
            self._lock.acquire(APPENDING)
            self._depth = 1
            self._owner = get_ident()
        except BaseException as error:
            self._lock.release(APPENDING)
            self._gate.release()
            if isinstance(error, OSError):
                raise _not_saved_error(self.folder, "lock", error) from error
            raise

    def leave(self, *, settle: bool = False) -> list[WrittenLines]:
        """Release the append lock; return the lines written under it that must be synced.

        With `settle` they are synced before, if no other writer is expected.
        """
        if self._depth == 0:
            # A child that was forked inside `append_lock` never held the lock.
            return []
        self._depth -= 1
        if self._depth:
            self._gate.release()
            return []
        pending = list(self._pending.values())
        if pending:
            self._pending = {}
        self._owner = 0
        try:
            if (
                settle
                and len(pending) == 1
                and self._commits[pending[0].log].sync_if_alone(pending[0])
            ):
                pending = []
        finally:
            try:
                self._lock.release(APPENDING)
            finally:
                self._gate.release()
        return pending

    def _write_lines(self, log: Log, values: Sequence[bytes]) -> list[LinePosition]:
        try:
            growth = log.measure_growth()
            if growth and not (growth > 0 and self._try_continue(log, growth)):
                self._prepare_log(log)
            written = log.write(values, self._commits[log.index])
        except OSError as error:
            raise _not_saved_error(self.folder, log.file, error) from error
        if self._safe:
            self._pending[log.index] = written
        return written.places

    # checks before a line is added

    def _try_continue(self, log: Log, growth: int) -> bool:
        """Continue after the lines of another writer, if everything is valid: the usual case."""
        size = log.end + growth
        return (
            not self._lock.is_replaced()
            and self._commits[log.index].is_sound(size, synced=self._safe)
            and log.try_take_over(size)
        )

    def _prepare_log(self, log: Log) -> None:
        """Verify the file and its end, after another writer or from an unknown state."""
        commit = self._commits[log.index]
        known, log.end = log.end, -1
        if self._lock.is_replaced():
            self._lock.open()
            self._lock.acquire(APPENDING)
        if log.fd < 0 or log.find_identity() != log.identity:
            commit.reopen()
            known = -1
        if commit.has_failed():
            self._renew_log(log)
            known = -1
        if known < 0 or not log.try_take_over(log.size()):
            self._repair_end(log, commit)
        if self._safe and not commit.is_known():
            self._sync_existing(log, commit)

    def _repair_end(self, log: Log, commit: Commit) -> None:
        length, number, is_open = find_end(log)
        name = log.quarantine_rest(length, "a last line that is not whole")
        if name is not None:
            commit.cut(length)
            self.problems.append(f"{log.file}: its last line was not whole; it is in {name}")
        if is_open:
            write_all(log.fd, b"\n")
            length += 1
        log.end, log.last = length, number

    def _sync_existing(self, log: Log, commit: Commit) -> None:
        try:
            commit.sync_existing()
        except SyncFailed:
            self._renew_log(log)
            self._repair_end(log, commit)

    def _renew_log(self, log: Log) -> None:
        done = renew_log(log, self._commits[log.index], self._lock)
        if done is not None:
            self.problems.append(done)

    # acknowledging

    def ensure_synced(self, written: WrittenLines) -> None:
        """Return when lines are on the disk; `NotSaved` if they never will be."""
        log = self._logs[LOGS[written.log]]
        try:
            while True:
                try:
                    self._commits[written.log].ensure_synced(written)
                    return
                except LogReplaced:
                    written = self._find_lines_again(log, written)
        except SyncFailed as failure:
            self._give_up(log)
            raise _not_saved_error(self.folder, log.file, failure.__cause__ or failure) from failure
        except OSError as error:
            raise _not_saved_error(self.folder, log.file, error) from error

    def _find_lines_again(self, log: Log, written: WrittenLines) -> WrittenLines:
        """Return the lines in the file that replaced the one they were written to."""
        self.enter()
        try:
            self._prepare_log(log)
            if os.pread(log.fd, len(written.data), written.start) != written.data:
                raise OSError("the file was replaced before the line was on the disk")
            return written._replace(identity=log.identity)
        finally:
            self.leave()

    def _give_up(self, log: Log) -> None:
        """Replace the log now if that is possible; else the next append tries it."""
        self.enter()
        try:
            log.end = -1
            self._renew_log(log)
        except OSError:
            pass
        finally:
            self.leave()

    # all writers

    def join_writers(self) -> None:
        """Hold the shared lock of writers until this is closed."""
        # Without a lock nothing can be written either, and the first append reports why.
        with contextlib.suppress(OSError):
            self._lock.join_writers()

    @contextlib.contextmanager
    def exclude_other_writers(self, *, wait: bool = False) -> Iterator[None]:
        """Prevent other handles from writing; wait for them, or raise `LockHeld`."""
        if wait:
            self._lock.acquire(WRITING)
        elif not self._lock.exclude_writers():
            raise LockHeld(
                f"{self.folder.path}: another handle has this session open for writing",
                hint="close it, or end the program that records, and try again",
            )
        try:
            yield
        finally:
            self._lock.readmit_writers()

    # reading

    def length(self, log: str) -> int:
        """Return the current length of a log in bytes."""
        return self._readers.length(log)

    def descriptor(self, log: str) -> int:
        """Return a descriptor to read a log; it follows the log if that is replaced."""
        return self._readers.descriptor(log)

    def close(self) -> None:
        """Close all files; the journal cannot be used any more."""
        with self._gate:
            self._closed = True
            for commit in self._commits:
                commit.close()
            self._lock.close()
            self._readers.close()

    def _reset_after_fork(self) -> None:
        """Make new locks for a child process, so that it does not share those of its parent."""
        self._gate = threading.RLock()
        self._depth = 0
        self._owner = 0
        self._pending = {}
        self._group.forget_threads()
        self._lock.close()
        self._readers.forget_threads()
        for log, commit in zip(self._logs.values(), self._commits, strict=True):
            log.end = -1
            commit.forget_threads()


class _AppendLock:
    """The append lock of a journal as a context manager."""

    __slots__ = ("_journal",)

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def __enter__(self) -> Journal:
        self._journal.enter()
        return self._journal

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for written in self._journal.leave():
            self._journal.ensure_synced(written)


_HINTS = {
    errno.ENOSPC: "free some space and write it again; what was saved before is safe",
    errno.EDQUOT: "free some space and write it again; what was saved before is safe",
    errno.EACCES: "check the rights of the session's folder",
    errno.EROFS: "the file system is read-only",
}


def _not_saved_error(folder: Anchor, file: str, error: BaseException) -> NotSaved:
    why = (error.strerror if isinstance(error, OSError) else None) or str(error)
    number = error.errno if isinstance(error, OSError) else None
    return NotSaved(
        f"{folder.path / file}: not saved: {why or 'the disk did not take it'}",
        hint=_HINTS.get(number or 0, "write it again; what was saved before is safe"),
    )


_JOURNALS: weakref.WeakSet[Journal] = weakref.WeakSet()


def _reset_journals() -> None:
    for journal in list(_JOURNALS):
        journal._reset_after_fork()


os.register_at_fork(after_in_child=_reset_journals)
