"""The umask while other libraries create files: private, and then as it was.

Where we open files ourselves we pass the mode. tantivy opens its own ones, in threads of its own,
and takes no mode. The umask belongs to the whole process, so what other threads create meanwhile
is private, too; outputs that follow the user's umask ask `user_umask`.
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
"""The umask that comes back when the last one is done."""


def hold_private_umask() -> None:
    """Create files for their owner only from now on, until `release_private_umask`."""
    global _count, _before
    with _lock:
        if _count == 0:
            _before = os.umask(PRIVATE)
        _count += 1


def release_private_umask() -> None:
    """End what `hold_private_umask` began; the last one brings the user's umask back."""
    global _count
    with _lock:
        _count -= 1
        if _count == 0:
            os.umask(_before)


@contextmanager
def private_umask() -> Iterator[None]:
    """Create files for their owner only meanwhile."""
    hold_private_umask()
    try:
        yield
    finally:
        release_private_umask()


def user_umask() -> int:
    """The umask that outputs at paths of the user's own follow."""
    with _lock:
        if _count:
            return _before
        mask = os.umask(PRIVATE)
        os.umask(mask)
        return mask
