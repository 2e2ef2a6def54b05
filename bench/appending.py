"""How fast lines are saved: against the machine's own append and fdatasync, in turns in one run.

Syncs wait for the disk, so this is the one benchmark that measures wall-clock time; each round runs
all contestants one after the other, and the reported ratio is the median of the rounds' ratios.

The gain of sharing a sync depends on how long one takes, and disks differ by a factor of a hundred.
So everything is measured twice: with the disk as it is, and with each sync, of Talktree and of what
it is compared with, made longer by the time that common disks take.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from bench.measure import Row, side_by_side, table
from talktree.files.sandbox import Anchor
from talktree.session.journal.journal import Journal

LINE = b'{"type":"user","uuid":"0123456789","text":"%s"}' % (b"a small message " * 8)
WRITERS = 8
ROUNDS = 9
EACH = 100
"""Messages of one contestant in a round; many writers share eight times as many."""
BATCH = 0.003
"""Seconds by which each sync is made longer in the rows that say so: about 300 syncs a second."""
HERE = Path(__file__).parent


def rows() -> list[Row]:
    """Measure one writer and eight, on the disk; one writer with the kernel only."""
    with tempfile.TemporaryDirectory(dir=HERE) as place:
        folder = Path(place)
        return [*_safe(folder, 0.0), *_safe(folder, BATCH), _fast(folder)]


def _safe(folder: Path, batch: float) -> list[Row]:
    place = folder / f"stretch-{batch}"
    place.mkdir()
    contestants = {
        "raw": _Processes("raw", place / "raw", 1, batch),
        "one": _Processes("safe", place / "one", 1, batch),
        "processes": _Processes("safe", place / "processes", WRITERS, batch),
        "threads": _Processes("threads", place / "threads", 1, batch),
    }
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    for contestant in contestants.values():
        contestant.run()
    for _ in range(ROUNDS):
        for name, contestant in contestants.items():
            rates[name].append(contestant.run())
    for contestant in contestants.values():
        contestant.end()
    longer = f", each sync {batch * 1000:.0f} ms longer" if batch else ""

    def row(name: str, what: str, bar: str) -> Row:
        ratio = statistics.median(
            ours / raw for ours, raw in zip(rates[name], rates["raw"], strict=True)
        )
        return Row(
            f"safe appends, {what}{longer}",
            f"{statistics.median(rates[name]):,.0f}/s",
            f"write and fdatasync{longer}: {statistics.median(rates['raw']):,.0f}/s",
            f"{ratio:.2f}×",
            bar,
        )

    return [
        row("one", "one writer", "≥ 0.8×"),
        row("processes", f"{WRITERS} processes", "≥ 5×"),
        row("threads", f"{WRITERS} threads", "≥ 5×"),
    ]


def _fast(folder: Path) -> Row:
    journal = Journal(Anchor(folder / "fast", create=True), "fast")
    fd = os.open(folder / "plain", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    count = 20_000

    def ours() -> None:
        for _ in range(count):
            journal.append("messages", LINE)

    def plain() -> None:
        for _ in range(count):
            os.write(fd, LINE + b"\n")

    taken, other = side_by_side(ours, plain)
    journal.close()
    os.close(fd)
    return Row(
        "fast appends, one writer",
        f"{count / taken:,.0f}/s",
        f"plain write: {count / other:,.0f}/s",
        f"{other / taken:.2f}×",
        "≥ 20,000/s",
    )


class _Processes:
    """Writers in processes of their own, which begin each round together."""

    def __init__(self, kind: str, folder: Path, count: int, batch: float) -> None:
        folder.mkdir()
        self._messages = EACH * (WRITERS if kind == "threads" else count)
        self._started = [
            subprocess.Popen(
                [sys.executable, "-m", "bench.appending", kind, str(folder), str(batch)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=HERE.parent,
            )
            for _ in range(count)
        ]
        for process in self._started:
            assert process.stdout is not None
            process.stdout.readline()

    def run(self) -> float:
        """Return the messages per second of one round."""
        start = time.perf_counter()
        for process in self._started:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in self._started:
            assert process.stdout is not None
            process.stdout.readline()
        return self._messages / (time.perf_counter() - start)

    def end(self) -> None:
        """Let them finish."""
        for process in self._started:
            process.communicate()


def _slow_syncs(seconds: float) -> None:
    """Make each `fdatasync` of this process take longer; the only place that does so."""
    sync = os.fdatasync

    def longer(fd: int) -> None:
        time.sleep(seconds)
        sync(fd)

    os.fdatasync = longer  # type: ignore[assignment]


def _raw(folder: Path) -> Callable[[], None]:
    fd = os.open(folder / "raw", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def work() -> None:
        for _ in range(EACH):
            os.write(fd, LINE + b"\n")
            os.fdatasync(fd)

    return work


def _ours(folder: Path) -> Callable[[], None]:
    journal = Journal(Anchor(folder), "safe")

    def work() -> None:
        for _ in range(EACH):
            journal.append("messages", LINE)

    return work


def _threads(folder: Path) -> Callable[[], None]:
    work = _ours(folder)

    def together() -> None:
        threads = [threading.Thread(target=work) for _ in range(WRITERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return together


def _writer(kind: str, folder: Path, batch: float) -> None:
    """Run one process of a contestant: a round for each line on standard input."""
    if batch:
        _slow_syncs(batch)
    work = {"raw": _raw, "safe": _ours, "threads": _threads}[kind](folder)
    print("ready", flush=True)
    for _ in sys.stdin:
        work()
        print("done", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        _writer(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))
    else:
        print(table(rows()))
