"""How fast a session is checked with all rules, against reading it into the model."""

from __future__ import annotations

import sys
from pathlib import Path

from bench.corpus import session
from bench.measure import Row, side_by_side
from talktree import api
from talktree.checking.run import found


def speed(megabytes: int) -> list[Row]:
    """All rules, against reading."""
    path = session(megabytes)
    ours, other = side_by_side(lambda: _checked(path), lambda: _read(path), rounds=3)
    return [
        Row(
            f"{megabytes} MB session checked with all rules",
            f"{ours:.2f} s",
            f"reading it into the model {other:.2f} s",
            f"{ours / other:.2f}×",
            "≤ 2×",
        )
    ]


def _checked(path: Path) -> None:
    for _ in found(api.read(path, format="claude-code")):
        pass


def _read(path: Path) -> None:
    for _ in api.read(path, format="claude-code").conversation.entries:
        pass


if __name__ == "__main__":
    for row in speed(100):
        print(" | ".join(row), file=sys.stdout)
