"""Tokens and their cost: each reply once, in the source where it counts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from msgspec import Struct

from talktree.library.database.connection import Database, Row
from talktree.library.stats.filter import FilteredSources, Filters
from talktree.library.stats.prices import UNIT, Prices
from talktree.library.stats.totals import (
    BY_SPENT,
    COUNTING_REPLIES,
    are_totals_current,
    find_ranges,
)

_SPENT = (
    "SELECT source, day, model, project, long, replies, input, output, cache_read, cache_write,"
    " cache_write_hour FROM spent"
)
_SPENT_BETWEEN = _SPENT + " WHERE day >= ? AND day < ?"
_ANEW = COUNTING_REPLIES + BY_SPENT
_ANEW_BETWEEN = COUNTING_REPLIES + " AND r.time >= ? AND r.time < ?" + BY_SPENT

Key = TypeVar("Key", bound=Hashable)


class UsageRow(NamedTuple):
    """Replies of one model on one day in one source and project, with prompts of similar length."""

    source: int
    day: int | None
    model: str | None
    project: str | None
    replies: int
    input: int
    output: int
    cache_read: int
    cache_write: int
    cache_write_hour: int
    cost: int
    """In units of the price table."""
    unpriced: int
    """Replies whose model has no price."""


class UsageTotal(Struct, frozen=True, gc=False):
    """Tokens, and their cost as far as prices are known."""

    replies: int = 0
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    """All cache writes."""
    cache_write_hour: int = 0
    """The part of it that is kept for an hour."""
    cost: int = 0
    """Exact, in units of the price table; `dollars` is for display."""
    unpriced: int = 0
    """Replies whose model has no price, and which the cost does not include."""

    @property
    def dollars(self) -> float:
        """The cost in US dollars."""
        return self.cost / UNIT

    @property
    def tokens(self) -> int:
        """All tokens together."""
        return self.input + self.output + self.cache_read + self.cache_write


def find_usage(db: Database, chosen: FilteredSources, prices: Prices) -> list[UsageRow]:
    """Return the selected usage, with its cost."""
    names = chosen.names
    found = []
    for source, day, model, project, long, replies, *tokens in _read_usage_rows(db, chosen.filters):
        if not chosen.has_reply(source, model, project):
            continue
        name = names.get(model)
        price = prices.find_price(name, day, long)
        cost = 0 if price is None else price.compute_cost(*tokens)
        unpriced = replies if price is None and any(tokens) else 0
        found.append(
            UsageRow._make(
                (source, day, name, names.get(project), replies, *tokens, cost, unpriced)
            )
        )
    return found


def _read_usage_rows(db: Database, filters: Filters) -> Iterator[Row]:
    quick = are_totals_current(db)
    if not filters.is_timed:
        yield from db.read(_SPENT if quick else _ANEW)
        return
    for days, start, end in find_ranges(filters, quick=quick):
        yield from db.read(_SPENT_BETWEEN if days else _ANEW_BETWEEN, (start, end))


def sum_usage(found: Iterable[UsageRow]) -> UsageTotal:
    """Return the total."""
    return group_usage(found, lambda _: None).get(None, UsageTotal())


def group_usage(found: Iterable[UsageRow], key: Callable[[UsageRow], Key]) -> dict[Key, UsageTotal]:
    """Return the totals for each key."""
    sums: dict[Key, list[int]] = {}
    for use in found:
        name = key(use)
        sum = sums.get(name)
        if sum is None:
            sums[name] = list(use[4:])
            continue
        for place, count in enumerate(use[4:]):
            sum[place] += count
    return {name: UsageTotal(*sum) for name, sum in sums.items()}
