"""The CPU time that reading the output again adds to a conversion, for each target and back."""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from unittest.mock import patch

from bench.corpus import session
from bench.measure import Row
from talktree import api
from talktree.conversion.digests import DigestLog
from talktree.files.outputs import OVERWRITE
from talktree.formats import slugs
from talktree.model.message import Message

SOURCE = "claude-code"
BAR = 1.6


def _add_nothing(log: DigestLog, position: int, message: Message) -> None:
    """Replace `DigestLog.add`."""


def rows(megabytes: int, *, rounds: int = 5, targets: tuple[str, ...] = ()) -> Iterator[Row]:
    """Convert a session to each format and back, with verification and without."""
    with tempfile.TemporaryDirectory() as folder:
        for target in targets or slugs():
            if target == SOURCE:
                continue
            there = Path(folder) / target
            yield _row(session(megabytes), target, there, megabytes, rounds)
            yield _row(there, SOURCE, Path(folder) / "back", megabytes, rounds)


def _row(source: Path, target: str, out: Path, megabytes: int, rounds: int) -> Row:
    """Measure one target in turns, so that both ways run under the same load."""
    with_it: list[float] = []
    without: list[float] = []
    for _ in range(rounds):
        without.append(_cpu_without(source, target, out))
        with_it.append(_cpu(source, target, out))
    ratio = median(each / other for each, other in zip(with_it, without, strict=True))
    name = source.name if source.suffix != ".jsonl" else SOURCE
    return Row(
        f"{megabytes} MB session, {name} to {target}, verified",
        f"{median(with_it):.2f} s",
        f"not verified {median(without):.2f} s",
        f"{ratio:.2f}×",
        f"≤ {BAR}×",
    )


def _cpu_without(source: Path, target: str, out: Path) -> float:
    """Return the CPU seconds without digests, and without reading the output again."""
    with patch.object(DigestLog, "add", _add_nothing):
        return _cpu(source, target, out, verified=False)


def _cpu(source: Path, target: str, out: Path, *, verified: bool = True) -> float:
    """Return the CPU seconds of one conversion in this process, user and system together."""
    gc.collect()
    start = time.process_time()
    made = api.convert_document(api.read(source), to=target)
    if not verified:
        made.proof = None
    api.save_conversion(made, out, gate=OVERWRITE)
    seconds = time.process_time() - start
    assert not made.loss_report.counts["mismatch", "lost"]
    return seconds


def main() -> None:
    """Print the table as it is measured."""
    parser = argparse.ArgumentParser(prog="python -m bench.verifying")
    parser.add_argument("--size", type=int, default=30, help="megabytes of the session")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("targets", nargs="*", help="formats (default: all)")
    chosen = parser.parse_args()
    for row in rows(chosen.size, rounds=chosen.rounds, targets=tuple(chosen.targets)):
        print(" | ".join(row), file=sys.stdout, flush=True)


if __name__ == "__main__":
    main()
