"""Mutated files by the hundred thousand: `python -m tests.torture.fuzz COUNT [FORMAT...]`.

Each is read, shown, checked and repaired, safely and unsafely, and repaired again (`laws`). An
uncaught exception, a hang, a repair that changes its own result or a lost byte is a failure,
reported with the number that reproduces it. `--from N` continues where another run ended, `--jobs
N` sets the number of processes.
"""

from __future__ import annotations

import signal
import sys
import time
import traceback
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from multiprocessing import Pool, cpu_count
from types import FrameType

from tests.damage.lines import ALL
from tests.torture.laws import hold
from tests.torture.mutants import mutant
from tests.torture.stock import stock

PATIENCE = 20
"""Seconds of processor time after which a file counts as a hang; a busy machine may take longer."""
SHARE = 200
"""Number of files that a process takes at a time."""
REPORT_EVERY = 5000
"""Number of mutants after which the rate is printed."""
MAX_REPORTED = 5
"""Number of failures of a format that are printed in full."""


class Hang(BaseException):
    """A file took too long."""


def _hang(number: int, frame: FrameType | None) -> None:
    raise Hang


def torture(slug: str, number: int) -> str | None:
    """Return what went wrong with one mutant; None if nothing did."""
    signal.signal(signal.SIGPROF, _hang)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        hold(mutant(slug, number), slug, number)
    except (Exception, Hang):
        return f"{slug} {number}: {traceback.format_exc(limit=-4)}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def _batch(order: tuple[str, int, int]) -> tuple[int, float, list[str]]:
    """Return the number of mutants done, the time it took, and the failures."""
    slug, start, stop = order
    stock(slug)
    before = time.process_time()
    failures = [found for number in range(start, stop) if (found := torture(slug, number))]
    return stop - start, time.process_time() - before, failures


def _orders(slug: str, first: int, count: int) -> Iterator[tuple[str, int, int]]:
    for start in range(first, count, SHARE):
        yield slug, start, min(start + SHARE, count)


def run(count: int, slugs: Sequence[str], *, first: int = 0, jobs: int = 0) -> int:
    """Run the mutants of each format from one number to another; return the number of failures."""
    wrong = 0
    with Pool(jobs or cpu_count()) as pool:
        for slug in slugs:
            done, spent, failures = 0, 0.0, 0
            for number, took, found in pool.imap(_batch, _orders(slug, first, count)):
                for each in found[: max(0, MAX_REPORTED - failures)]:
                    _print_now(each)
                done, spent, failures = done + number, spent + took, failures + len(found)
                if done % REPORT_EVERY < number or first + done == count:
                    rate = f"{1000 * spent / done:.1f} ms each"
                    _print_now(f"{slug}: up to {first + done:,}, {failures:,} failures, {rate}")
            wrong += failures
    return wrong


def _print_now(what: str) -> None:
    print(time.strftime("%H:%M:%S"), what, flush=True)


def _asked() -> int:
    parser = ArgumentParser(prog="python -m tests.torture.fuzz", description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("formats", nargs="*", metavar="FORMAT")
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=0)
    asked = parser.parse_args()
    if not set(asked.formats) <= set(ALL):
        parser.error(f"FORMAT is one of {', '.join(ALL)}")
    return run(asked.count, asked.formats or ALL, first=asked.first, jobs=asked.jobs)


if __name__ == "__main__":
    sys.exit(min(1, _asked()))
