"""Removing files so that what they held is not simply left on the disk.

Each file is overwritten before it is removed. Solid-state disks, file systems that copy on write,
snapshots and backups may keep older copies all the same; `docs/encryption.md` says so.
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
        pass  # what cannot be overwritten is removed all the same
    path.unlink(missing_ok=True)


def overwrite(path: Path) -> None:
    """Write random bytes over all of a file, its beginning first."""
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
