"""How fast conversations are checked with all rules, compared with reading them into the model."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.corpus import session
from bench.history import history
from bench.library.ours import PROGRAM
from bench.measure import Row, side_by_side
from bench.programs import in_turns, must, run
from talktree import api
from talktree.checks.batch import CheckOptions, check_all
from talktree.checks.run import run_rules
from talktree.formats.sources import find_sources as sources_in

_READ = """
import sys
from pathlib import Path
from talktree import api
for path in sorted(Path(sys.argv[1]).rglob("*.jsonl")):
    for _ in api.read(path).conversation.entries:
        pass
"""


def speed(megabytes: int) -> list[Row]:
    """Compare all rules with reading: one long session."""
    path = session(megabytes)
    what = f"{megabytes} MB session checked with all rules"
    return [_row(what, lambda: _checked(path), lambda: _read(path), "it")]


def many(megabytes: int) -> list[Row]:
    """Compare the same for many files, as `talktree check` reads them in one process."""
    folder = history(megabytes) / "projects"
    paths = sorted(folder.rglob("*.jsonl"))
    what = f"{megabytes} MB of sessions in {len(paths):,} files checked with all rules"
    return [_row(what, lambda: _checked_all(folder), lambda: _read_all(paths), "them")]


def on_the_clock(megabytes: int) -> list[Row]:
    """Measure wall-clock time: the command on all processors, against a program that reads."""
    folder = history(megabytes) / "projects"
    ours, other = in_turns(
        lambda: run([PROGRAM, "check", str(folder), "--statistics", "--quiet"]),
        lambda: must([sys.executable, "-c", _READ, str(folder)]),
        rounds=3 if megabytes < 500 else 1,
    )
    files = sum(1 for _ in folder.rglob("*.jsonl"))
    return [
        Row(
            f"`talktree check`, {megabytes} MB in {files:,} files, all processors, on the clock",
            f"{ours.details()}, {ours.peak >> 20} MiB",
            f"reading them into the model {other.details()}, {other.peak >> 20} MiB",
            f"{ours.seconds / other.seconds:.2f}×",
            "≤ 2×",
        )
    ]


def _row(what: str, check: Callable[[], None], read: Callable[[], None], them: str) -> Row:
    ours, other = side_by_side(check, read, rounds=3)
    against = f"reading {them} into the model {other:.2f} s"
    return Row(what, f"{ours:.2f} s", against, f"{ours / other:.2f}×", "≤ 2×")


def _checked(path: Path) -> None:
    for _ in run_rules(api.read(path, format="claude-code")):
        pass


def _read(path: Path) -> None:
    for _ in api.read(path, format="claude-code").conversation.entries:
        pass


def _checked_all(folder: Path) -> None:
    for _ in check_all(CheckOptions(), sources_in([str(folder)]), jobs=1):
        pass


def _read_all(paths: Sequence[Path]) -> None:
    for path in paths:
        for _ in api.read(path).conversation.entries:
            pass


if __name__ == "__main__":
    for row in [*speed(100), *many(100), *on_the_clock(100)]:
        print(" | ".join(row), file=sys.stdout)
