"""Erasing files.

Each file is overwritten before it is removed. Solid-state disks, file systems that copy on write,
snapshots and backups may still keep older copies; `docs/encryption.md` says so.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

BLOCK = 1 << 20


def erase_file(path: Path) -> None:
    """Overwrite a file and remove it; a link is only removed."""
    try:
        if path.is_file() and not path.is_symlink():
            overwrite(path)
    except OSError:
        pass  # a file that cannot be overwritten is still removed
    path.unlink(missing_ok=True)


def overwrite(path: Path) -> None:
    """Overwrite a file with random bytes, from its beginning."""
    with open(path, "r+b", buffering=0) as file:
        left = os.fstat(file.fileno()).st_size
        while left > 0:
            left -= file.write(os.urandom(min(BLOCK, left)))
        os.fsync(file.fileno())


def erase_folder(folder: Path) -> None:
    """Erase all files below a folder, and the folder."""
    for here, _, names in os.walk(folder):
        for name in names:
            erase_file(Path(here) / name)
    shutil.rmtree(folder, ignore_errors=True)
