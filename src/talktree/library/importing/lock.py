"""The lock for writing a library; it ends with the process that holds it."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from talktree.errors import LockHeld, NotSaved
from talktree.library.database.permissions import LOCK

_POLL = 0.02


class WriterLock:
    """A lock that one process holds at a time; its holder may acquire it again."""

    def __init__(self, root: Path) -> None:
        self._path = root / LOCK
        self._file: int | None = None
        self._depth = 0

    def try_acquire(self) -> bool:
        """Acquire the lock if it is free; return whether that worked."""
        if self._depth == 0 and not self._try_lock():
            return False
        self._depth += 1
        return True

    def release(self) -> None:
        """Release the lock."""
        self._depth -= 1
        if self._depth == 0 and self._file is not None:
            os.close(self._file)
            self._file = None

    @contextmanager
    def hold(self, wait: float = 0.0) -> Iterator[None]:
        """Hold the lock; raise `LockHeld` if it is not free within some seconds."""
        end = time.monotonic() + wait
        while not self.try_acquire():
            if time.monotonic() >= end:
                raise LockHeld(
                    f"{self._path.parent}: another program writes this library",
                    hint="wait until it is done and try again",
                )
            time.sleep(_POLL)
        try:
            yield
        finally:
            self.release()

    def _try_lock(self) -> bool:
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise NotSaved(
                f"{self._path}: {error.strerror}", hint="check the rights of the library's folder"
            ) from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return False
        self._file = file
        return True
