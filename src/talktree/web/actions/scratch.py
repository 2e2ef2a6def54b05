"""Files in the studio's scratch folder: ordinary ones, or unnamed ones for an encrypted library.

An unnamed file has no entry in any folder, so it cannot be read after the studio has ended, however
it ended. Other code opens it through a path that links to this process's open file.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, cast

_private: set[Path] = set()
_open: dict[Path, BinaryIO] = {}
"""The unnamed files by path, open as long as the path exists."""
_lock = threading.Lock()


def keep_private(scratch: Path) -> None:
    """Make all files below this folder unnamed, where the system supports it."""
    if os.path.isdir("/proc/self/fd"):
        _private.add(scratch)


def release(scratch: Path) -> None:
    """Close all unnamed files below a folder."""
    _private.discard(scratch)
    _close_files(lambda path: scratch in path.parents)


def create_file(path: Path) -> BinaryIO:
    """Create a file that only its owner can read, to be written and closed."""
    if not is_private(path):
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
    _close_files(lambda known: not os.path.lexists(known))
    kept = cast("BinaryIO", TemporaryFile(dir=path.parent))  # noqa: SIM115
    os.symlink(f"/proc/{os.getpid()}/fd/{kept.fileno()}", path)
    with _lock:
        _open[path] = kept
    return os.fdopen(os.dup(kept.fileno()), "wb")


def is_private(path: Path) -> bool:
    """Whether files at this path are unnamed."""
    return any(folder in path.parents for folder in _private)


@contextmanager
def open_new_file(path: Path) -> Iterator[BinaryIO]:
    """Create an unnamed file; its path is removed if writing fails."""
    try:
        with create_file(path) as file:
            yield file
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _close_files(unwanted: Callable[[Path], bool]) -> None:
    with _lock:
        for path in [path for path in _open if unwanted(path)]:
            _open.pop(path).close()
