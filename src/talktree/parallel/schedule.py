"""Which jobs of a batch get a process each, and on which all processes work together.

A job of its own for each process is the least work; but a few large ones may leave processes idle
at the end. Those are done first, one after the other, by all processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapreplace

WORTH = 8 << 20
"""A smaller job is never worth several processes."""
YIELD = 0.85
"""How much of several processes' work is left where they do one job: its shape is found by one."""
MOST = 16
LOOKED_AT = 64
"""So many jobs may be uneven; the rest is small enough to fill what is left."""


def count_shared_jobs(sizes: Sequence[int], processes: int) -> int:
    """How many of the jobs, the largest first, all processes should do together."""
    if processes < 2:
        return 0
    large = sum(size >= WORTH for size in sizes[:MOST])
    total = sum(sizes)
    costs = []
    for count in range(large + 1):
        first = sum(sizes[:count])
        apart = _find_longest_load(sizes[count : count + LOOKED_AT], processes)
        costs.append(first / processes / YIELD + max(apart, (total - first) / processes))
    return costs.index(min(costs))


def _find_longest_load(sizes: Sequence[int], processes: int) -> int:
    """How much the busiest process has to do if each takes the next job when it is free."""
    loads = [0] * processes
    for size in sizes:
        heapreplace(loads, loads[0] + size)
    return max(loads)
