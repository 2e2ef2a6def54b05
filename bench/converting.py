"""How fast one format becomes another, against reading the one and writing the other natively."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

from bench.corpus import MEGABYTE, session
from bench.measure import Row, peak_memory, side_by_side
from talktree import api
from talktree.formats import by_slug
from talktree.text.json_write import encode_new

TARGETS = ("studio", "sage")
_CLI = """
import sys
from talktree.cli.main import run
run(sys.argv[1:])
"""


def speed(megabytes: int) -> list[Row]:
    """Converting a session, against reading it plus writing the result's own entries."""
    path = session(megabytes)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for target in TARGETS:
            made = Path(folder) / target
            api.convert(api.read(path), made, to=target)
            ours, other = side_by_side(
                lambda target=target: _converted(path, target),  # type: ignore[misc]
                lambda made=made, target=target: _natively(path, made, target),  # type: ignore[misc]
                rounds=2,
            )
            rows.append(
                Row(
                    f"{megabytes} MB session to {target}",
                    f"{ours:.2f} s",
                    f"reading it and writing {target} natively {other:.2f} s",
                    f"{ours / other:.2f}×",
                    "≤ 3×",
                )
            )
    return rows


def _converted(path: Path, target: str) -> None:
    for pieces in api.converted(api.read(path), to=target).files.values():
        for _ in pieces:
            pass


def _natively(path: Path, made: Path, target: str) -> None:
    for _ in api.read(path).conversation.entries:
        pass
    format = by_slug(target)
    for conversation in api.read(made, format=target).conversations:
        for entry in conversation.messages():
            encode_new(format.put(entry, None))


def throughput(megabytes: int, count: int = 4) -> list[Row]:
    """A corpus of several sessions converted on all cores by the command line."""
    path = session(megabytes)
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        for number in range(count):
            shutil.copy(path, corpus / f"session-{number}.jsonl")
        rows = []
        for target in TARGETS:
            out = Path(folder) / target
            start = time.perf_counter()
            peak_memory(_CLI, "convert", str(corpus), "-t", target, "-o", str(out), "--each", "-q")
            seconds = time.perf_counter() - start
            size = count * path.stat().st_size / MEGABYTE
            rows.append(
                Row(
                    f"{size:.0f} MB in {count} sessions to {target}, all cores",
                    f"{seconds:.1f} s",
                    "input a second, wall clock",
                    f"{size / seconds:.0f} MB/s",
                    "≥ 60 MB/s on two cores",
                )
            )
            shutil.rmtree(out)
    return rows


def memory(megabytes: int) -> list[Row]:
    """Peak memory of converting one large session."""
    path = session(megabytes)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for target in TARGETS:
            out = Path(folder) / target
            peak = peak_memory(_CLI, "convert", str(path), "-t", target, "-o", str(out), "-q")
            rows.append(
                Row(
                    f"{megabytes} MB session to {target}, peak memory",
                    f"{peak / MEGABYTE:.0f} MB",
                    "400 MB",
                    f"{peak / MEGABYTE / 400:.2f}×",
                    "≤ 1×",
                )
            )
    return rows


if __name__ == "__main__":
    for row in [*speed(100), *throughput(100), *memory(300)]:
        print(" | ".join(row), file=sys.stdout)
