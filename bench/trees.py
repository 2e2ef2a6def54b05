"""Deep and wide trees: time grows linearly with the number of messages."""

from __future__ import annotations

from functools import partial

from bench.measure import Row, side_by_side
from talktree.model.outline import Trait
from talktree.model.skeleton import Skeleton
from talktree.model.tree import Tree


def shapes() -> list[Row]:
    """Compare ten times the messages with ten times the time."""
    rows = []
    for name, deep in (("deep", True), ("wide", False)):
        large, small = side_by_side(
            partial(_grow, 100_000, deep=deep), partial(_grow, 10_000, deep=deep)
        )
        rows.append(
            Row(
                f"tree of 100,000 messages, {name}",
                f"{large:.2f} s",
                f"10 × a tree of 10,000: {10 * small:.2f} s",
                f"{large / (10 * small):.2f}×",
                "about 1×",
            )
        )
    return rows


def _grow(count: int, *, deep: bool) -> None:
    skeleton = Skeleton()
    skeleton.add(Trait.SAID, "0")
    for number in range(1, count):
        skeleton.add(Trait.SAID, str(number), str(number - 1) if deep else "0")
    skeleton.finish()
    tree = Tree(skeleton)
    tree.branches()
    tree.path(count - 1)
