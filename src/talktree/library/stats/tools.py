"""Tool calls: how many, how many failed, how long they took; each once."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from talktree.library.database.connection import Database, Row
from talktree.library.stats.filter import FilteredSources, Filters
from talktree.library.stats.totals import (
    BY_USED,
    COUNTING_CALLS,
    COUNTS_CALL,
    are_totals_current,
    find_ranges,
)

FAILED = 2
"""The state of a call that was answered with an error."""
_ALL = "SELECT NULL, NULL, tool, SUM(calls), SUM(answered), SUM(failures) FROM used GROUP BY tool"
_ALL_BETWEEN = (
    "SELECT NULL, NULL, tool, SUM(calls), SUM(answered), SUM(failures) FROM used"
    " WHERE day >= ? AND day < ? GROUP BY tool"
)
_USED = "SELECT source, day, tool, calls, answered, failures FROM used"
_USED_BETWEEN = _USED + " WHERE day >= ? AND day < ?"
_ANEW = COUNTING_CALLS + BY_USED
_ANEW_BETWEEN = COUNTING_CALLS + " AND c.time >= ? AND c.time < ?" + BY_USED
_EACH = (
    """
SELECT c.source, c.time, c.tool, c.state, c.took,
  (SELECT r.model FROM replies AS r WHERE r.key = c.reply AND r.source = c.source)
FROM calls AS c WHERE """
    + COUNTS_CALL
)


class ToolUse(Struct, frozen=True, gc=False):
    """How the calls of a tool ended."""

    tool: str
    calls: int
    answered: int
    failures: int
    seconds: tuple[float, ...] = ()
    """Times from call to result, shortest first; only if requested."""


def count_tool_uses(
    db: Database, chosen: FilteredSources, *, seconds: bool = False
) -> list[ToolUse]:
    """Return all tools that were called, most used first.

    How long they took, and which model called them, requires reading every call.
    """
    if seconds or chosen.models is not None:
        found = _sum_single_calls(db, chosen)
    else:
        found = _sum_totals(db, chosen)
    return sorted(found, key=lambda use: (-use.calls, use.tool))


def _sum_totals(db: Database, chosen: FilteredSources) -> list[ToolUse]:
    sums: dict[int, list[int]] = {}
    for source, _, tool, *counts in _read_call_rows(db, chosen.filters):
        if source is None or chosen.has_source(source):
            sum = sums.setdefault(tool, [0, 0, 0])
            for place, count in enumerate(counts):
                sum[place] += count
    return [
        ToolUse(chosen.names.get(tool, ""), calls, answered, failures)
        for tool, (calls, answered, failures) in sums.items()
    ]


def _sum_single_calls(db: Database, chosen: FilteredSources) -> list[ToolUse]:
    states: dict[int, list[int]] = {}
    seconds: dict[int, list[float]] = {}
    for source, time, tool, state, took, model in db.iter_rows(_EACH):
        if not chosen.has_source(source) or not chosen.has_time(time):
            continue
        if chosen.models is not None and model not in chosen.models:
            continue
        states.setdefault(tool, []).append(state)
        if took is not None:
            seconds.setdefault(tool, []).append(took / 1e9)
    return [
        ToolUse(
            chosen.names.get(tool, ""),
            len(found),
            len(found) - found.count(0),
            found.count(FAILED),
            tuple(sorted(seconds.get(tool, ()))),
        )
        for tool, found in states.items()
    ]


def _read_call_rows(db: Database, filters: Filters) -> Iterator[Row]:
    """Yield calls by source, day and tool; by tool alone if all sources count."""
    quick = are_totals_current(db)
    everywhere = filters.project is None and filters.format is None
    if not filters.is_timed:
        yield from db.read((_ALL if everywhere else _USED) if quick else _ANEW)
        return
    for days, start, end in find_ranges(filters, quick=quick):
        whole = _ALL_BETWEEN if everywhere else _USED_BETWEEN
        yield from db.read(whole if days else _ANEW_BETWEEN, (start, end))
