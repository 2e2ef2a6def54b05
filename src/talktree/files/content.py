"""The bytes of one file, in memory or on disk, readable in parts.

A file on disk is never held in memory: each read opens it, checks that it is still the file that
was loaded (it may have grown, but not shrunk or been replaced) and reads only the requested bytes.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from talktree.errors import ChangedMeanwhile, Unreadable

BLOCK = 1 << 20
READ_AHEAD = 4
"""After this many consecutive spans, the file is read block by block."""
LineBlock = tuple[bytes | bytearray, int]
"""A buffer, and how much of it is whole lines; the buffer may be reused afterwards."""
LONGEST_LINE = 1 << 30
"""A longer line is kept in place but not decoded, so that one broken file cannot use all memory."""


class Content(ABC):
    """The bytes of one file."""

    size: int

    @property
    def modified(self) -> int | None:
        """When the file was last changed, in nanoseconds since 1970; None if it is not a file."""
        return None

    @abstractmethod
    def read(self, start: int = 0, stop: int | None = None) -> bytes:
        """Return the bytes from start to stop."""

    @abstractmethod
    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """Yield the same bytes in pieces of bounded size."""

    @abstractmethod
    def lines(self, start: int = 0) -> Iterator[bytes]:
        """Yield lines with their newline byte; only byte 0x0A ends a line."""

    @abstractmethod
    def line_blocks(self, start: int = 0) -> Iterator[LineBlock]:
        """Yield everything from start on, in blocks that end at the end of a line."""

    def spans(self, spans: Iterable[tuple[int, int]]) -> Iterator[bytes]:
        """Yield many spans one after the other."""
        return (self.read(start, stop) for start, stop in spans)


class StandIn(Content):
    """A content that returns the bytes of another one."""

    @property
    @abstractmethod
    def text(self) -> Content:
        """The other content."""

    def read(self, start: int = 0, stop: int | None = None) -> bytes:
        return self.text.read(start, stop)

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        return self.text.blocks(start, stop)

    def lines(self, start: int = 0) -> Iterator[bytes]:
        return self.text.lines(start)

    def line_blocks(self, start: int = 0) -> Iterator[LineBlock]:
        return self.text.line_blocks(start)

    def spans(self, spans: Iterable[tuple[int, int]]) -> Iterator[bytes]:
        return self.text.spans(spans)


class MemoryContent(Content):
    """Bytes in memory."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.size = len(data)

    def read(self, start: int = 0, stop: int | None = None) -> bytes:
        return self.data[start:stop]

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        yield self.data[start:stop]

    def line_blocks(self, start: int = 0) -> Iterator[LineBlock]:
        data = self.data[start:]
        yield data, len(data)

    def lines(self, start: int = 0) -> Iterator[bytes]:
        data, size = self.data, self.size
        while start < size:
            stop = data.find(b"\n", start) + 1 or size
            yield data[start:stop]
            start = stop

    def spans(self, spans: Iterable[tuple[int, int]]) -> Iterator[bytes]:
        data = self.data
        return (data[start:stop] for start, stop in spans)


class OnDisk(Content):
    """A file on disk; its size is what it was when it was loaded."""

    def __init__(
        self,
        path: Path | str,
        found: os.stat_result | None = None,
        *,
        shown: str | None = None,
        lazy: bool = False,
    ) -> None:
        """A file; `shown` is its path as the user gave it, for messages.

        With `lazy`, the file's size is only determined when it is needed. Its path is then not
        followed if it is a link.
        """
        self._place = str(path)
        self._shown = shown
        if not lazy:
            self._initial_stat = found or self._stat(follow=True)

    def _stat(self, *, follow: bool) -> os.stat_result:
        try:
            return os.stat(self._place, follow_symlinks=follow)
        except OSError as error:
            raise self._unreadable_error(error) from None

    @cached_property
    def _initial_stat(self) -> os.stat_result:
        """The stat result of the file when it was loaded."""
        return self._stat(follow=False)

    @cached_property
    def size(self) -> int:  # type: ignore[override]
        """The number of bytes the file had when it was loaded."""
        return self._initial_stat.st_size

    @property
    def modified(self) -> int | None:
        return self._initial_stat.st_mtime_ns

    @property
    def path(self) -> Path:
        """The path of the file; built on demand, because a folder may hold very many files."""
        return Path(self._place)

    def read(self, start: int = 0, stop: int | None = None) -> bytes:
        stop = self.size if stop is None else min(stop, self.size)
        with self._open() as file:
            return os.pread(file.fileno(), max(0, stop - start), start)

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        stop = self.size if stop is None else min(stop, self.size)
        with self._open() as file:
            file.seek(start)
            while start < stop:
                block = file.read(min(BLOCK, stop - start))
                if not block:
                    raise self._changed_error()
                start += len(block)
                yield block

    def lines(self, start: int = 0) -> Iterator[bytes]:
        left = self.size - start
        with self._open() as file:
            file.seek(start)
            # Plain iteration is the fastest way, but does not limit the length of a line.
            found = iter(file) if left <= LONGEST_LINE else _read_bounded_lines(file)
            for line in found:
                left -= len(line)
                if left <= 0:
                    yield line if left == 0 else line[:left]
                    return
                yield line
        if left > 0:
            raise self._changed_error()

    def line_blocks(self, start: int = 0) -> Iterator[LineBlock]:
        left = self.size - start
        buffer, have = bytearray(min(BLOCK, left)), 0
        with self._open() as file:
            while left:
                if have == len(buffer):
                    buffer = _enlarge_buffer(buffer, file.fileno(), self.size - left)
                with memoryview(buffer) as view:
                    count = os.preadv(file.fileno(), [view[have : have + left]], self.size - left)
                if not count:
                    raise self._changed_error()
                left -= count
                have += count
                end = buffer.rfind(b"\n", 0, have) + 1
                if not end and (have >= LONGEST_LINE or not left):
                    end = have
                if end:
                    yield buffer, end
                    buffer[: have - end] = buffer[end:have]
                    have -= end
        if have:
            yield buffer, have

    def spans(self, spans: Iterable[tuple[int, int]]) -> Iterator[bytes]:
        at, in_a_row = 0, 0
        with self._open() as file:
            for start, stop in spans:
                in_a_row = in_a_row + 1 if start == at else 0
                at = stop
                # Reading ahead is only worthwhile for many consecutive spans.
                if in_a_row < READ_AHEAD:
                    yield os.pread(file.fileno(), stop - start, start)
                    continue
                if in_a_row == READ_AHEAD:
                    file.seek(start)
                yield file.read(stop - start)

    def _open(self) -> BinaryIO:
        try:
            file = open(self._place, "rb", buffering=BLOCK)  # noqa: SIM115
        except OSError as error:
            raise self._unreadable_error(error) from None
        now, then = os.fstat(file.fileno()), self._initial_stat
        shrunk = now.st_size < then.st_size
        rewritten = now.st_size == then.st_size and now.st_mtime_ns != then.st_mtime_ns
        if (now.st_dev, now.st_ino) != (then.st_dev, then.st_ino) or shrunk or rewritten:
            file.close()
            raise self._changed_error()
        return file

    def _changed_error(self) -> ChangedMeanwhile:
        return ChangedMeanwhile(
            f"{self._shown or self.path}: the file changed while it was being read",
            hint="run the command again; wait until its writer is done",
        )

    def _unreadable_error(self, error: OSError) -> Unreadable:
        return Unreadable(
            f"{self._shown or self.path}: {error.strerror or error}",
            hint="check the path and its rights",
        )


def _enlarge_buffer(buffer: bytearray, file: int, at: int) -> bytearray:
    """Return a buffer with room for the whole line that fills an old one.

    The line continues at an offset of the file. Its end is searched first: a long line is then held
    once, whereas a buffer that grows by copying would hold it several times.
    """
    size = len(buffer)
    while size < LONGEST_LINE:
        block = os.pread(file, BLOCK, at)
        size += len(block)
        at += len(block)
        if not block or b"\n" in block:
            break
    # A buffer with exported views cannot be resized.
    larger = bytearray(min(max(size, len(buffer) + BLOCK), LONGEST_LINE))
    larger[: len(buffer)] = memoryview(buffer)
    return larger


def _read_bounded_lines(file: BinaryIO) -> Iterator[bytes]:
    while line := file.readline(LONGEST_LINE):
        yield line
