"""`python -m bench [--size MB] [--memory MB] [--write]`: run all benchmarks and print the table."""

from __future__ import annotations

import argparse
import platform
from pathlib import Path

from bench import (
    appending,
    checking,
    converting,
    hashing,
    opening,
    reading,
    recording,
    stepping,
    trees,
    undoing,
)
from bench.measure import Row, table

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def main() -> None:
    """Measure, print, and with --write keep the table in the docs."""
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("--size", type=int, default=300, help="megabytes for speed")
    parser.add_argument("--memory", type=int, default=1000, help="megabytes for memory")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    chosen = parser.parse_args()
    # Memory first: a process that was started by a large one counts as large itself.
    rows: list[Row] = [
        *converting.memory(chosen.size),
        *reading.memory(chosen.memory),
        *reading.speed(chosen.size),
        *checking.speed(chosen.size),
        *trees.shapes(),
        *hashing.rows(),
        *converting.speed(100),
        *converting.throughput(250),
        *appending.rows(),
        *recording.rows(),
        *opening.rows(chosen.memory),
        *stepping.rows(),
        *undoing.rows(),
    ]
    text = table(rows)
    print(text)
    if chosen.write:
        PAGE.write_text(_page(text), encoding="utf-8")


def _page(rows: str) -> str:
    return (
        "# Benchmarks\n\n"
        "Written by `python -m bench --write`. Each line compares two things measured in turns in\n"
        "one run on one machine; only the ratio means anything elsewhere. Times are CPU seconds,\n"
        "the best of several rounds; the corpus is made by `bench/corpus.py`.\n\n"
        f"Python {platform.python_version()}, {platform.machine()}.\n\n{rows}"
    )


if __name__ == "__main__":
    main()
