"""Measuring side by side: contestants take turns, and only ratios of the same run are reported."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table."""

    what: str
    ours: str
    against: str
    ratio: str
    bar: str


def side_by_side(
    ours: Callable[[], object], other: Callable[[], object], *, rounds: int = 5
) -> tuple[float, float]:
    """Return the best CPU seconds of each; they take turns, so both run under the same load."""
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for number, run in enumerate((ours, other)):
            gc.collect()
            start = time.process_time()
            run()
            best[number] = min(best[number], time.process_time() - start)
    return best[0], best[1]


def peak_memory(code: str, *arguments: str) -> int:
    """Return the peak resident bytes of a fresh Python process that runs some code."""
    # Not ru_maxrss, which a new program inherits from the process that started it.
    report = "print([x for x in open('/proc/self/status') if x.startswith('VmHWM')][0].split()[1])"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout.split()[-1]) * 1024


def table(rows: list[Row]) -> str:
    """Return the rows as a Markdown table."""
    head = "| what | Talktree | measured against | ratio | bar |\n|---|---:|---:|---:|---:|\n"
    return head + "".join(f"| {' | '.join(row)} |\n" for row in rows)
