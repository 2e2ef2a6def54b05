"""`python -m bench.library [--size MB]`: the library's table alone, in one run."""

from __future__ import annotations

import argparse

from bench.library.table import rows
from bench.measure import table


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.library")
    parser.add_argument("--size", type=int, default=1000, help="megabytes of the history")
    for number, row in enumerate(rows(parser.parse_args().size)):
        print(table([row]).strip() if number == 0 else f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
