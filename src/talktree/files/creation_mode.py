"""A private umask while other libraries create files, and restoring it.

Where our own code opens files, it passes the mode. tantivy opens its files in threads of its own
and does not take a mode. The umask belongs to the whole process, so files that other threads create
meanwhile are private, too; outputs that follow the user's umask use `user_umask`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PRIVATE = 0o077

_lock = threading.Lock()
_count = 0
_before = 0
"""The umask that is restored when the last one is released."""


def hold_private_umask() -> None:
    """Create files for their owner only, until `release_private_umask`."""
    global _count, _before
    with _lock:
        if _count == 0:
            _before = os.umask(PRIVATE)
        _count += 1


def release_private_umask() -> None:
    """End `hold_private_umask`; the last call restores the user's umask."""
    global _count
    with _lock:
        _count -= 1
        if _count == 0:
            os.umask(_before)


@contextmanager
def private_umask() -> Iterator[None]:
    """Create files for their owner only inside the context."""
    hold_private_umask()
    try:
        yield
    finally:
        release_private_umask()


def user_umask() -> int:
    """Return the umask for outputs at the user's own paths."""
    with _lock:
        if _count:
            return _before
        mask = os.umask(PRIVATE)
        os.umask(mask)
        return mask
