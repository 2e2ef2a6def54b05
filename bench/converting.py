"""How fast one format is converted to another, against reading the one and writing the other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.corpus import MEGABYTE, session
from bench.history import history
from bench.measure import Row, side_by_side
from talktree import api
from talktree.formats import get_format
from talktree.text.json.encode import encode_new

TARGETS = ("studio", "sage")
_CLI = """
import sys
from talktree.cli.main import run
run(sys.argv[1:])
"""


def speed(megabytes: int) -> list[Row]:
    """Compare converting a session with reading it plus writing the result's own entries."""
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
    for pieces in api.convert_document(api.read(path), to=target).files.values():
        for _ in pieces:
            pass


def _natively(path: Path, made: Path, target: str) -> None:
    for _ in api.read(path).conversation.entries:
        pass
    format = get_format(target)
    for conversation in api.read(made, format=target).conversations:
        for entry in conversation.messages():
            encode_new(format.put(entry, None))


def throughput(megabytes: int, count: int = 4) -> list[Row]:
    """Convert several sessions, and one large one, on all cores by the command line."""
    path = session(megabytes)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        for number in range(count):
            shutil.copy(path, corpus / f"session-{number}.jsonl")
        # Otherwise the disk would be busy with the copies while the conversion is timed.
        os.sync()
        for target in TARGETS:
            what = f"{count * megabytes} MB in {count} sessions to {target}, all cores"
            rows.append(_on_the_clock(what, corpus, target, "--each"))
            rows.append(
                _on_the_clock(f"{megabytes} MB session to {target}, all cores", path, target)
            )
    return rows


def many(megabytes: int) -> list[Row]:
    """Convert a history of very many files, on all cores by the command line."""
    projects = history(megabytes) / "projects"
    count = len(_files(projects))
    return [
        _on_the_clock(
            f"{megabytes} MB in {count} files to {target}, all cores", projects, target, "--each"
        )
        for target in TARGETS
    ]


def _files(source: Path) -> list[Path]:
    return [path for path in (source, *source.rglob("*")) if path.is_file()]


def _on_the_clock(what: str, source: Path, target: str, *more: str) -> Row:
    """Measure how many megabytes of a source are converted per second."""
    size = sum(file.stat().st_size for file in _files(source)) / MEGABYTE
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        subprocess.run(_command(source, target, Path(folder) / "made", *more), check=True)
        seconds = time.perf_counter() - start
    against, bar = "input a second, wall clock", "≥ 60 MB/s on two cores"
    return Row(what, f"{seconds:.1f} s", against, f"{size / seconds:.0f} MB/s", bar)


def _command(source: Path, target: str, out: Path, *more: str) -> list[str]:
    chosen = ["-t", target, "-o", str(out), "-q", *more]
    return [sys.executable, "-c", _CLI, "convert", str(source), *chosen]


def memory(megabytes: int) -> list[Row]:
    """Measure the peak memory of converting one large session, of all processes together."""
    path = session(megabytes)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for target in TARGETS:
            peak = _peak_of_all(_command(path, target, Path(folder) / target))
            rows.append(
                Row(
                    f"{megabytes} MB session to {target}, peak memory of all processes",
                    f"{peak / MEGABYTE:.0f} MB",
                    "400 MB",
                    f"{peak / MEGABYTE / 400:.2f}×",
                    "≤ 1×",
                )
            )
    return rows


def _peak_of_all(call: list[str]) -> int:
    """Return the peak memory of a process and its children; shared memory counts once."""
    peak = 0
    with subprocess.Popen(call) as process:
        while process.poll() is None:
            peak = max(peak, sum(map(_held, [process.pid, *_children(process.pid)])))
            time.sleep(0.02)
    assert process.returncode == 0
    return peak


def _children(process: int) -> list[int]:
    try:
        return [
            int(each)
            for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()
        ]
    except OSError:
        return []


def _held(process: int) -> int:
    """Return the memory of a process, with its share of shared memory; 0 once it has ended."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


if __name__ == "__main__":
    for row in [*speed(100), *throughput(100), *many(100), *memory(300)]:
        print(" | ".join(row), file=sys.stdout)
