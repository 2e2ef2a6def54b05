"""Opening a file of a source: only to read, only if it is a regular file, never waiting."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from talktree.library.sources.find import Seen, seen_as

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0)


@contextmanager
def opened(path: bytes) -> Iterator[tuple[int, Seen]]:
    """An open file and what it is now; an `OSError` if it cannot be read."""
    file = os.open(path, _FLAGS)
    try:
        about = os.fstat(file)
        if not stat.S_ISREG(about.st_mode):
            raise OSError(0, "not a regular file any more")
        yield file, seen_as(path, about)
    finally:
        os.close(file)
