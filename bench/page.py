"""The page with the tables: each benchmark writes its own section."""

from __future__ import annotations

import argparse
import platform
import re
from collections.abc import Callable, Iterator
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
HEAD = (
    "# Benchmarks\n\n"
    "Written by `make bench` and `make bench-peers` with `--write`. Each line compares programs\n"
    "measured in turns in one run on one machine. On other machines, compare only the ratios.\n"
)


def written(section: str, text: str) -> None:
    """Write a text below the heading of a section; other sections stay the same."""
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    sections = dict(re.findall(r"^## ([^\n]+)\n\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    machine = f"Python {platform.python_version()}, {platform.machine()}."
    sections[section] = f"{text.strip()}\n\n{machine}\n\n"
    body = "".join(f"## {name}\n\n{details.strip()}\n\n" for name, details in sections.items())
    PAGE.write_text(f"{HEAD}\n{body}".rstrip() + "\n", encoding="utf-8")


def measured(
    program: str, section: str, introduction: str, lines: Callable[[int], Iterator[str]], size: int
) -> None:
    """Run a command that prints its table as it comes, and with --write stores it in the docs."""
    parser = argparse.ArgumentParser(prog=f"python -m {program}")
    parser.add_argument("--size", type=int, default=size, help="megabytes")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks.md")
    chosen = parser.parse_args()
    details = []
    for line in lines(chosen.size):
        print(line, flush=True)
        details.append(line)
    if chosen.write:
        written(section, f"{introduction.format(size=chosen.size)}\n\n" + "\n".join(details))
