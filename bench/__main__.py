"""`python -m bench [--size MB] [--memory MB] [--write]`: run all benchmarks and print the table."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from bench import (
    appending,
    checking,
    converting,
    hashing,
    opening,
    reading,
    recording,
    stepping,
    studio,
    trees,
    undoing,
    verifying,
)
from bench.library.table import rows as library_rows
from bench.measure import Row, table
from bench.page import written
from bench.programs import as_installed

BEST = "Times are CPU seconds, the best of several rounds; the corpus is made by `bench/corpus.py`."
MEDIAN = (
    "Programs are measured from outside, in turns: time on the clock and CPU seconds, the median\n"
    "of several rounds; memory is the high-water mark. The history is made by `bench/history`."
)


def main() -> None:
    """Measure, print, and with --write store the table in the docs."""
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("--size", type=int, default=300, help="megabytes for speed")
    parser.add_argument("--memory", type=int, default=1000, help="megabytes for memory")
    parser.add_argument("--history", type=int, default=1000, help="megabytes for the library")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    chosen = parser.parse_args()
    as_installed()
    # Memory first: a process that was started by a large one counts as large itself.
    rows: list[Row] = [
        *converting.memory(chosen.size),
        *reading.memory(chosen.memory),
        *reading.speed(chosen.size),
        *checking.speed(chosen.size),
        *checking.many(100),
        *(checking.on_the_clock(chosen.history) if chosen.history else []),
        *trees.shapes(),
        *hashing.rows(),
        *converting.speed(100),
        *converting.throughput(250),
        *verifying.rows(30, rounds=3),
        *(converting.many(chosen.history) if chosen.history else []),
        *appending.rows(),
        *recording.rows(),
        *opening.rows(chosen.memory),
        *stepping.rows(),
        *undoing.rows(),
        *studio.measured(chosen.size),
    ]
    text = table(rows)
    print(text, end="")
    if chosen.write:
        written("Reading, converting, sessions", f"{BEST}\n\n{text}")
    if chosen.history:
        library = _describe(library_rows(chosen.history))
        if chosen.write:
            written("The library", f"{MEDIAN}\n\n{library}")


def _describe(rows: Iterator[Row]) -> str:
    """Print rows as they come, and return them as a table."""
    seen: list[Row] = []
    for row in rows:
        print(table([row]).strip() if not seen else f"| {' | '.join(row)} |", flush=True)
        seen.append(row)
    return table(seen)


if __name__ == "__main__":
    main()
