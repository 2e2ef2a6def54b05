"""One log, opened for appending. The caller holds the append lock of the session.

`Readers` holds descriptors for reading the logs, which need no lock and no right to write.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from talktree.errors import Unreadable
from talktree.files.durable import write_all
from talktree.session.journal import quarantine
from talktree.session.journal.lines import read_fresh_tail, read_tail, seal_line

if TYPE_CHECKING:
    from talktree.session.journal.commit import Commit


Identity = tuple[int, int]
NO_IDENTITY: Identity = (0, 0)


class LinePosition(NamedTuple):
    """The place of a line: its number, its offset, and its length without the newline."""

    number: int
    start: int
    length: int


class WrittenLines(NamedTuple):
    """Lines that were written to the kernel."""

    log: int
    identity: Identity
    start: int
    data: bytes
    places: list[LinePosition]
    syncs: int
    """How many syncs had begun when the kernel had the lines; any later one covers them."""
    streak: int
    """Number of consecutive writes of this writer without another writer in between."""

    @property
    def end(self) -> int:
        """The offset after the last of them, newline included."""
        return self.start + len(self.data)


class Log:
    """The file, and how it ended when this writer last saw it."""

    def __init__(self, folder: int, name: str, number: int) -> None:
        self.folder = folder
        self.name = name
        self.file = f"{name}.jsonl"
        self.index = number
        """The index of the log."""
        self.fd = -1
        self.identity = NO_IDENTITY
        self.end = -1
        self.last = 0
        """The number of the last line."""
        self._left = -1
        """The end of this writer's own last line."""
        self._streak = 0

    # appending

    def measure_growth(self) -> int:
        """Return the growth of the log since this writer's last write.

        Returns -1 if it is not known, or if its path leads elsewhere.
        """
        try:
            found = os.stat(self.file, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return -1
        if self.end < 0 or (found.st_dev, found.st_ino) != self.identity:
            return -1
        return max(found.st_size - self.end, -1)

    def write(self, values: Sequence[bytes], commit: Commit) -> WrittenLines:
        """Number, seal and write some lines: all of them, or none."""
        start = self.end
        data, places = self._number_lines(values)
        try:
            write_all(self.fd, data)
        except BaseException:
            self._cut_unfinished(data, commit)
            raise
        self._streak = streak = self._streak + 1 if self._left == start else 0
        self.end = self._left = start + len(data)
        self.last += len(places)
        return WrittenLines(self.index, self.identity, start, data, places, commit.begun, streak)

    def _number_lines(self, values: Sequence[bytes]) -> tuple[bytes, list[LinePosition]]:
        at, number = self.end, self.last
        if len(values) == 1:
            # Most often it is one line, and every microsecond counts.
            data = seal_line(values[0], number + 1, b"\n")
            return data, [LinePosition(number + 1, at, len(data) - 1)]
        places = []
        lines = []
        for value in values:
            number += 1
            line = seal_line(value, number, b"\n")
            places.append(LinePosition(number, at, len(line) - 1))
            at += len(line)
            lines.append(line)
        return b"".join(lines), places

    def _cut_unfinished(self, data: bytes, commit: Commit) -> None:
        """Cut lines that cannot be finished, if nothing else was written after them."""
        start, self.end = self.end, -1
        try:
            half = os.pread(self.fd, len(data) + 1, start)
            if half and data.startswith(half):
                commit.cut(start)
        except OSError:
            # The partial line stays for now; the next append finds it and moves it away.
            pass

    # checks

    def find_identity(self) -> Identity:
        """Return the identity of the file at the path, or that of no file."""
        try:
            found = os.stat(self.file, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return NO_IDENTITY
        return (found.st_dev, found.st_ino)

    def open(self) -> None:
        """Open the file at its path, or create it. The descriptor's number stays the same."""
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(self.file, flags | os.O_NONBLOCK, 0o600, dir_fd=self.folder)
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            os.close(fd)
            raise OSError(f"{self.file} is no file")
        if self.fd < 0:
            self.fd = fd
        else:
            os.dup2(fd, self.fd, inheritable=False)
            os.close(fd)
        self.identity = (found.st_dev, found.st_ino)
        self.end = self._left = -1

    def size(self) -> int:
        """Return its current length."""
        return os.lseek(self.fd, 0, os.SEEK_END)

    def try_take_over(self, size: int) -> bool:
        """Take over from another writer, if the end shows that the last one was one of ours."""
        found = read_fresh_tail(self.fd, size)
        if found is None:
            return False
        self.end, self.last = size, found.number
        return True

    def quarantine_rest(self, start: int, why: str) -> str | None:
        """Move everything from an offset on into the quarantine; return the name it has there."""
        size = self.size()
        if size <= start:
            return None
        return quarantine.quarantine_range(self.folder, self.name, self.fd, start, size, why)

    def close(self) -> None:
        """Close the file."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
        self.identity, self.end = NO_IDENTITY, -1


def find_end(log: Log) -> tuple[int, int, bool]:
    """Return the length of complete lines, the last number, and whether a newline is missing."""
    return read_tail(log.fd, log.size())


NOTHING = (0, 0)


class Readers:
    """One descriptor for each log; it follows the path, also after the log was replaced."""

    def __init__(self, folder: int) -> None:
        self._folder = folder
        self._gate = threading.Lock()
        self._open: dict[str, tuple[int, tuple[int, int]]] = {}

    def length(self, log: str) -> int:
        """Return the length of a log in bytes, or 0 if it does not exist."""
        try:
            return os.stat(f"{log}.jsonl", dir_fd=self._folder, follow_symlinks=False).st_size
        except FileNotFoundError:
            return 0

    def descriptor(self, log: str) -> int:
        """Return a descriptor of the log, always the same number; a missing log reads as empty."""
        with self._gate:
            fd, identity = self._open.get(log, (-1, NOTHING))
            now = self._read_identity(log)
            if fd >= 0 and now == identity:
                return fd
            new = self._descriptor_of(log)
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
        """Close all descriptors."""
        with self._gate:
            for fd, _ in self._open.values():
                os.close(fd)
            self._open.clear()

    def forget_threads(self) -> None:
        """After a fork only one thread is left, and locks of the others are free."""
        self._gate = threading.Lock()

    def _read_identity(self, log: str) -> tuple[int, int]:
        try:
            found = os.stat(f"{log}.jsonl", dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            return NOTHING
        return (found.st_dev, found.st_ino)

    def _descriptor_of(self, log: str) -> int:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            return os.open(f"{log}.jsonl", flags, dir_fd=self._folder)
        except FileNotFoundError:
            return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise Unreadable(
                f"{log}.jsonl: {error.strerror}", hint="it must be a file that you may read"
            ) from error
