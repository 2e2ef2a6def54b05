"""Processes that are stopped at any moment end without output."""

from __future__ import annotations

import subprocess
import sys

STOPPED_AT_ONCE = """
import signal, time
from talktree.parallel.pool import run_in_processes

def work(job):
    time.sleep(0.001 * (job % 7))
    return job

def stopped(*_):
    raise KeyboardInterrupt

# The processes begin as copies of one with a handler of its own.
signal.signal(signal.SIGTERM, stopped)
for _ in range(60):
    outcomes = run_in_processes(work, range(40), 3, died=lambda job: job)
    next(outcomes)
    outcomes.close()
"""


def test_processes_that_are_stopped_immediately_print_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", STOPPED_AT_ONCE], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
