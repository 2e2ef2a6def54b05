"""A history like that of one user after a year: Claude Code sessions of many projects.

Its contents are known exactly (`truth.json`); the same size always gives the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench.history.huge import written
from bench.history.make import RARE, made
from bench.history.truth import Truth, load

__all__ = ["FOLDER", "RARE", "Truth", "history", "huge_lines", "truth"]

FOLDER = Path(__file__).parent.parent / "corpus"


def history(megabytes: int) -> Path:
    """Return the folder of a history of about this size; it holds `projects` and `truth.json`."""
    folder = FOLDER / f"history-{megabytes}mb"
    if not (folder / "truth.json").exists():
        print(f"making {folder.name}", file=sys.stderr)
        made(folder, megabytes)
    return folder


def truth(megabytes: int) -> Truth:
    """Return the known contents."""
    return load(history(megabytes) / "truth.json")


def huge_lines(megabytes: int, line: int) -> Path:
    """Return the folder of a history of one file of this size, with lines of `line` megabytes."""
    folder = FOLDER / f"huge-{megabytes}mb-{line}mb"
    path = folder / "projects" / "-home-ana-logs" / "f3b1c2d4-0000-4000-8000-000000000001.jsonl"
    if not path.exists():
        print(f"making {folder.name}", file=sys.stderr)
        written(path, megabytes, line)
    return folder
