"""Opening a file of a source: read-only, only regular files, without waiting for data.

File systems stamp changes with a clock that ticks every few milliseconds. A file whose last change
has the stamp of the current tick could change again without another stamp. So a file is stamped
only after that tick: every later change then changes its stamp too.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager

from talktree.library.sources.scan import FileStat, to_file_stat

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0)
_COARSE_CLOCK = 5
"""`CLOCK_REALTIME_COARSE` of Linux, the clock of file system stamps."""
_TICK = 10_000_000
"""Nanoseconds of the longest usual tick."""
_TRIES = 5
UNSETTLED = 0
"""The change time of a file that kept changing: it is compared again next time."""


@contextmanager
def open_file(path: bytes) -> Iterator[tuple[int, FileStat]]:
    """Open a file and return it with its stamp; raise `OSError` if it cannot be read."""
    file = os.open(path, _FLAGS)
    try:
        yield file, _stat_stable(file, path)
    finally:
        os.close(file)


def change_time(file: int) -> int:
    """Return when an open file was last changed in any way."""
    return os.fstat(file).st_ctime_ns


def _stat_stable(file: int, path: bytes) -> FileStat:
    for _ in range(_TRIES):
        about = os.fstat(file)
        if not stat.S_ISREG(about.st_mode):
            raise OSError(0, "not a regular file any more")
        # A stamp from the future comes from another machine's clock: waiting would not help.
        if not 0 <= about.st_ctime_ns - _find_stamp_limit() <= _TICK:
            return to_file_stat(path, about)
        time.sleep(_TICK / 4 / 1e9)
    return to_file_stat(path, about)._replace(changed=UNSETTLED)


def _find_stamp_limit() -> int:
    """Return a time below which no file is stamped any more."""
    try:
        return time.clock_gettime_ns(_COARSE_CLOCK)
    except (OSError, AttributeError):
        return time.time_ns() - _TICK
