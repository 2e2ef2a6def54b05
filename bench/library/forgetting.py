"""Forgetting one conversation of a large library, compared with an import and a full rewrite."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from bench.library.stand import Stand
from bench.measure import Row
from talktree.library.library import Library

BAR = "2 s"
"""The target for forgetting one conversation of a gigabyte, for information."""


def forgetting(stand: Stand) -> list[Row]:
    """Measure the seconds to forget one conversation, and those of a full rewrite."""
    root = stand.work / "forgetting"
    with Library.open(root, write=True) as library:
        library.import_([stand.projects])
    return _rows(root)


def _rows(root: Path) -> list[Row]:
    with Library.open(root, write=True) as library:
        entries = sorted(library.conversations(), key=lambda each: each.size)
        one, many = entries[len(entries) // 2], entries[:20]
        began = time.perf_counter()
        done = library.forget(one)
        took = time.perf_counter() - began
        assert not done.left
        began = time.perf_counter()
        library.forget_many(many)
        together = time.perf_counter() - began
        began = time.perf_counter()
        library.reindex()
        library.db.vacuum()
        everything = time.perf_counter() - began
    shutil.rmtree(root)
    return [
        Row(
            f"forget one of {len(entries):,} conversations",
            f"{took:.2f} s",
            f"{everything:.1f} s (reindex and VACUUM)",
            f"{took / everything:.3f}",
            BAR,
        ),
        Row(
            f"forget {len(many)} conversations at once",
            f"{together:.2f} s",
            f"{took * len(many):.1f} s (one by one)",
            f"{together / (took * len(many)):.3f}",
            "",
        ),
    ]
