"""A stretch of time as whole days, which are added up already, and what is left at its ends."""

from __future__ import annotations

from typing import NamedTuple

from talktree.library.stats.filter import DAY, Filters

EARLIEST, LATEST = -(2**62 // DAY) * DAY, (2**62 // DAY) * DAY
"""Whole days before and behind which there is nothing."""


class Stretch(NamedTuple):
    """From a beginning up to an end that is not part of it."""

    days: bool
    """Whether these are numbers of days; else they are nanoseconds."""
    start: int
    end: int


def stretches(filters: Filters, *, quick: bool) -> list[Stretch]:
    """The time that is asked for; only moments if the sums of days are of no use."""
    since = EARLIEST if filters.since is None else max(filters.since, EARLIEST)
    until = LATEST if filters.until is None else min(filters.until, LATEST)
    first, behind = -(-since // DAY), until // DAY
    if not quick or first >= behind:
        return [Stretch(days=False, start=since, end=until)]
    found = [Stretch(days=True, start=first, end=behind)]
    if since < first * DAY:
        found.append(Stretch(days=False, start=since, end=first * DAY))
    if behind * DAY < until:
        found.append(Stretch(days=False, start=behind * DAY, end=until))
    return found
