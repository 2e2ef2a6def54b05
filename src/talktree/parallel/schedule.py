"""Which jobs of a batch get a process each, and which are shared by all processes.

A job for each process is the most efficient; but a few large ones may leave processes idle at the
end. Those are done first, one after the other, by all processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapreplace

WORTH = 8 << 20
"""Smaller jobs are never worth several processes."""
YIELD = 0.85
"""The efficiency of several processes that share one job: only one of them finds its structure."""
MOST = 16
LOOKED_AT = 64
"""Only this many jobs are considered; the rest is small enough to fill the gaps."""


def count_shared_jobs(sizes: Sequence[int], processes: int) -> int:
    """Return how many of the jobs, largest first, all processes should share."""
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
    """Return the load of the busiest process if each takes the next job when it is free."""
    loads = [0] * processes
    for size in sizes:
        heapreplace(loads, loads[0] + size)
    return max(loads)
