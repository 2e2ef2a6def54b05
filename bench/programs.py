"""Measuring programs from outside: wall-clock time, CPU seconds, and peak memory."""

from __future__ import annotations

import compileall
import os
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import talktree

OFTEN = 0.004
"""Seconds between two samples of a process's memory."""


class Ran(NamedTuple):
    """One run of a program."""

    seconds: float
    cpu: float
    """CPU seconds of all its threads and of the children it waited for."""
    peak: int
    """Bytes."""
    status: int
    output: str
    errors: str

    def details(self) -> str:
        """Return the times, for a table."""
        return f"{shown(self.seconds)}, {shown(self.cpu)} CPU"


class Failed(Exception):
    """A program that failed."""


def as_installed() -> None:
    """Compile Talktree's modules, as installing does for every other program.

    Otherwise a checkout may be compiled again at each start.
    """
    compileall.compile_dir(str(Path(talktree.__file__).parent), quiet=2)


def run(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, timeout: int = 1800
) -> Ran:
    """Run a program to its end."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env={**os.environ, **(env or {})},
        )
        memory = _Memory(process.pid)
        alarm = threading.Timer(timeout, process.kill)
        alarm.start()
        # The status by wait4, which reports the CPU time of just this child.
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        alarm.cancel()
        peak = memory.stop()
        output.seek(0)
        errors.seek(0)
        return Ran(
            seconds,
            usage.ru_utime + usage.ru_stime,
            peak,
            process.returncode,
            output.read().decode(errors="replace"),
            errors.read().decode(errors="replace"),
        )


def must(command: Sequence[str], *, env: Mapping[str, str] | None = None) -> Ran:
    """Run a program that has to succeed."""
    ran = run(command, env=env)
    if ran.status != 0:
        raise Failed(
            f"{' '.join(command)}: exit {ran.status}\n{(ran.errors or ran.output)[-2000:]}"
        )
    return ran


def in_turns(*contestants: Callable[[], Ran], rounds: int = 5) -> list[Ran]:
    """Return the run with the median time for each contestant; they take turns."""
    runs: list[list[Ran]] = [[] for _ in contestants]
    for _ in range(rounds):
        for mine, contestant in zip(runs, contestants, strict=True):
            mine.append(contestant())
    return [_middle(mine) for mine in runs]


def _middle(runs: list[Ran]) -> Ran:
    middle = statistics.median_low([ran.seconds for ran in runs])
    ran = next(ran for ran in runs if ran.seconds == middle)
    cpu = statistics.median([ran.cpu for ran in runs])
    return ran._replace(cpu=cpu, peak=max(ran.peak for ran in runs))


class Clock:
    """Times of a block that is run several times: wall-clock and CPU."""

    def __init__(self) -> None:
        self._seconds: list[float] = []
        self._cpu: list[float] = []

    def __enter__(self) -> None:
        self._start = time.perf_counter(), time.process_time()

    def __exit__(self, *_: object) -> None:
        self._seconds.append(time.perf_counter() - self._start[0])
        self._cpu.append(time.process_time() - self._start[1])

    def at(self, share: float) -> float:
        """Return the seconds within which this share of the runs finished."""
        return sorted(self._seconds)[min(len(self._seconds) - 1, int(len(self._seconds) * share))]

    def medians(self) -> tuple[float, float]:
        """Return wall-clock seconds and CPU seconds."""
        return statistics.median(self._seconds), statistics.median(self._cpu)


def shown(seconds: float) -> str:
    """Return a time with its significant digits."""
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


class _Memory(threading.Thread):
    """Samples the high-water mark of a process and its children until it is stopped."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._peaks: dict[int, int] = {}
        self._over = threading.Event()
        self.start()

    def run(self) -> None:
        """Sample in a loop."""
        while not self._over.wait(OFTEN):
            for pid in (self._pid, *_children(self._pid)):
                self._peaks[pid] = max(self._peaks.get(pid, 0), _high_water(pid))

    def stop(self) -> int:
        """Return the sum of the peaks of all processes, an upper bound of their total."""
        self._over.set()
        self.join()
        return sum(self._peaks.values())


def _children(pid: int) -> list[int]:
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(child) for child in listed.split()]


def _high_water(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    for line in status.splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    return 0
