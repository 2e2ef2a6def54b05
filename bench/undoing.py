"""How long an undo of many files takes, against copying the same files with fsync.

Syncs wait for the disk, so wall-clock time is measured; undo and copy take turns in each round, and
the reported ratio is the median of the rounds' ratios.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.measure import Row, table
from talktree.session.handle import SessionHandle
from talktree.session.store import Store
from talktree.session.undo import commands
from talktree.session.undo.commands import UndoMove

FILES = 1000
FOLDERS = 20
SIZE = 4096
ROUNDS = 5
HERE = Path(__file__).parent


def rows() -> list[Row]:
    """Measure the undo and the redo of a thousand files."""
    with tempfile.TemporaryDirectory(dir=HERE) as place:
        return [_row(Path(place))]


def _row(place: Path) -> Row:
    work = place / "work"
    _fill(work, b"old")
    times: list[tuple[float, float]] = []
    with Store(place / "store").create(workspace=work) as session:
        session.user("change them all")
        message = session.assistant("done")
        with session.step(message, watch=["."]):
            _fill(work, b"new")
        for number in range(ROUNDS):
            undo = _timed(partial(_made, session.opened, commands.undo(session.opened)))
            copy = _timed(partial(_copied, work, place / f"copy-{number}"))
            times.append((undo, copy))
            _made(session.opened, commands.redo(session.opened))
    ratio = statistics.median(undo / copy for undo, copy in times)
    ours, other = (statistics.median(each) for each in zip(*times, strict=True))
    return Row(
        f"undo of {FILES:,} files, planned and made",
        f"{ours:.2f} s",
        f"copying them with fsync {other:.2f} s",
        f"{ratio:.2f}",
        "≤ 3",
    )


def _fill(work: Path, word: bytes) -> None:
    for number in range(FILES):
        path = work / str(number % FOLDERS) / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"%s %d\n" % (word, number) * (SIZE // 10))


def _made(opened: SessionHandle, move: UndoMove) -> None:
    outcome = move.apply(move.plan().digest)
    assert outcome.exit_code == 0, opened.notices


def _copied(source: Path, target: Path) -> None:
    for path in sorted(source.rglob("*")):
        there = target / path.relative_to(source)
        if path.is_dir():
            there.mkdir(parents=True)
            continue
        with open(path, "rb") as old, open(there, "xb") as new:
            new.write(old.read())
            new.flush()
            os.fsync(new.fileno())


def _timed(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    print(table(rows()))
