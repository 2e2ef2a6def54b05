"""The cost of a step that watches a large tree, which depends on the changes, not on the tree."""

from __future__ import annotations

import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from bench.measure import Row, side_by_side, table
from talktree.files.sandbox import Anchor
from talktree.session.capture.blobs import Contents
from talktree.session.capture.step import CaptureStep
from talktree.session.handle import SessionHandle
from talktree.session.index.index import SessionIndex
from talktree.session.journal.journal import Journal

FOLDERS, FILES = 500, 100
TOUCHED = 10
MEMORY = "/dev/shm"


def rows() -> list[Row]:
    """Compare a step that changes ten files of 50,000 with the first scan, none, and a walk."""
    # Only CPU time is compared, and a disk is slow to remove 100,000 files.
    with tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None) as name:
        work = Path(name) / "work"
        _plant(work)
        store = Path(name) / "store"
        with _session(store, work) as opened:
            start = time.process_time()
            _step(opened)
            first = time.process_time() - start
            # So that no file time is recent enough to be doubted.
            time.sleep(opened.limits.racy_seconds + 0.1)
            _step(opened)
            ten, empty = side_by_side(lambda: _step(opened, _touch(work)), lambda: _step(opened))
            again, bare = side_by_side(
                lambda: _step(opened, _touch(work)), lambda: (_walk(work), _walk(work))
            )
    what = f"step, {TOUCHED} of {FOLDERS * FILES:,} watched files changed"
    return [
        _row(what, ten, "the first scan, which reads all", first, "≤ 0.2×"),
        _row(what, ten, "a step without a change", empty, "≤ 1.2×"),
        _row(what, again, "two bare walks with lstat", bare, "≤ 3×"),
    ]


def _plant(work: Path) -> None:
    for folder in range(FOLDERS):
        inside = work / f"folder-{folder}"
        inside.mkdir(parents=True)
        for number in range(FILES):
            (inside / f"file-{number}.txt").write_text(f"{folder} {number}\n" * 20)


@contextmanager
def _session(root: Path, work: Path) -> Iterator[SessionHandle]:
    folder = Anchor(root / "sessions" / "s", create=True)
    journal = Journal(folder, "safe")
    opened = SessionHandle(
        id="s",
        root=root,
        folder=folder,
        journal=journal,
        contents=Contents(folder),
        index=SessionIndex(journal, None),
        workspace=Anchor(work),
    )
    try:
        yield opened
    finally:
        opened.close()


def _step(opened: SessionHandle, tool: Callable[[], object] = lambda: None) -> None:
    with CaptureStep(opened, str(uuid4()), watch=[b"."]):
        tool()


def _touch(work: Path) -> Callable[[], object]:
    """Return a function that changes the contents of some files."""

    def tool() -> None:
        for number in range(TOUCHED):
            place = work / f"folder-{number * 7}" / f"file-{number}.txt"
            place.write_text(f"{uuid4()}\n")

    return tool


def _walk(work: Path) -> int:
    """Stat everything once, in the fastest way that Python has."""
    count, folders = 0, [str(work)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                count += 1
                if stat.S_ISDIR(entry.stat(follow_symlinks=False).st_mode):
                    folders.append(entry.path)
    return count


def _row(what: str, ours: float, against: str, other: float, bar: str) -> Row:
    return Row(
        what,
        f"{ours * 1000:.0f} ms",
        f"{against} {other * 1000:.0f} ms",
        f"{ours / other:.2f}×",
        bar,
    )


def main() -> None:
    """Print the table."""
    print(table(rows()))


if __name__ == "__main__":
    main()
