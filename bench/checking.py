"""How fast conversations are checked with all rules, against reading them into the model."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.corpus import session
from bench.history import history
from bench.measure import Row, side_by_side
from talktree import api
from talktree.checking.many import Order, checked_all
from talktree.checking.run import found
from talktree.formats.sources import found as sources_in


def speed(megabytes: int) -> list[Row]:
    """All rules, against reading: one long session."""
    path = session(megabytes)
    what = f"{megabytes} MB session checked with all rules"
    return [_row(what, lambda: _checked(path), lambda: _read(path), "it")]


def many(megabytes: int) -> list[Row]:
    """The same with many files, as `talktree check` goes through them in one process."""
    folder = history(megabytes) / "projects"
    paths = sorted(folder.rglob("*.jsonl"))
    what = f"{megabytes} MB of sessions in {len(paths):,} files checked with all rules"
    return [_row(what, lambda: _checked_all(folder), lambda: _read_all(paths), "them")]


def _row(what: str, check: Callable[[], None], read: Callable[[], None], them: str) -> Row:
    ours, other = side_by_side(check, read, rounds=3)
    against = f"reading {them} into the model {other:.2f} s"
    return Row(what, f"{ours:.2f} s", against, f"{ours / other:.2f}×", "≤ 2×")


def _checked(path: Path) -> None:
    for _ in found(api.read(path, format="claude-code")):
        pass


def _read(path: Path) -> None:
    for _ in api.read(path, format="claude-code").conversation.entries:
        pass


def _checked_all(folder: Path) -> None:
    for _ in checked_all(Order(), sources_in([str(folder)]), jobs=1):
        pass


def _read_all(paths: Sequence[Path]) -> None:
    for path in paths:
        for _ in api.read(path).conversation.entries:
            pass


if __name__ == "__main__":
    for row in [*speed(100), *many(100)]:
        print(" | ".join(row), file=sys.stdout)
