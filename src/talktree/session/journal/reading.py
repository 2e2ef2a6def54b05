"""Descriptors for reading the logs, which need no lock and no right to write."""

from __future__ import annotations

import os
import threading

from talktree.errors import Unreadable

NOTHING = (0, 0)


class Readers:
    """One descriptor a log; it leads to what the path leads to, also after a renewal."""

    def __init__(self, folder: int) -> None:
        self._folder = folder
        self._gate = threading.Lock()
        self._open: dict[str, tuple[int, tuple[int, int]]] = {}

    def length(self, log: str) -> int:
        """How many bytes a log has; none if it is not there."""
        try:
            return os.stat(f"{log}.jsonl", dir_fd=self._folder, follow_symlinks=False).st_size
        except FileNotFoundError:
            return 0

    def descriptor(self, log: str) -> int:
        """A descriptor of the log as it is now, always the same number; no log reads as empty."""
        with self._gate:
            fd, identity = self._open.get(log, (-1, NOTHING))
            now = self._identity(log)
            if fd >= 0 and now == identity:
                return fd
            new = self._opened(log)
            if fd < 0:
                fd = new
            else:
                # Another thread may be reading with that number at this moment.
                os.dup2(new, fd, inheritable=False)
                os.close(new)
            found = os.fstat(fd)
            self._open[log] = (fd, NOTHING if now == NOTHING else (found.st_dev, found.st_ino))
            return fd

    def close(self) -> None:
        """Let go of all."""
        with self._gate:
            for fd, _ in self._open.values():
                os.close(fd)
            self._open.clear()

    def forget_threads(self) -> None:
        """After a fork only one thread is left, and what others held is free."""
        self._gate = threading.Lock()

    def _identity(self, log: str) -> tuple[int, int]:
        try:
            found = os.stat(f"{log}.jsonl", dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            return NOTHING
        return (found.st_dev, found.st_ino)

    def _opened(self, log: str) -> int:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            return os.open(f"{log}.jsonl", flags, dir_fd=self._folder)
        except FileNotFoundError:
            return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise Unreadable(
                f"{log}.jsonl: {error.strerror}", hint="it must be a file that you may read"
            ) from error
