"""Finding the files of a history and calling stat on them, with system calls only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def files(folder: Path | str) -> Iterator[str]:
    """Yield the paths of all session files below a folder."""
    with os.scandir(folder) as found:
        for entry in sorted(found, key=lambda entry: entry.name):
            if entry.is_dir(follow_symlinks=False):
                yield from files(entry.path)
            elif entry.name.endswith(".jsonl"):
                yield entry.path


def stat_scan(folder: Path | str) -> int:
    """Walk a folder and stat every file: the minimum cost of noticing changes."""
    size = 0
    with os.scandir(folder) as found:
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                size += stat_scan(entry.path)
            else:
                size += entry.stat().st_size
    return size
