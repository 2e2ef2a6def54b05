"""Tool calls: how many, how many failed, how long they took; each once."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from talktree.library.database.connection import Database, Row
from talktree.library.stats.chosen import Chosen, Filters
from talktree.library.stats.once import BY_USED, COUNTING_CALLS, COUNTS_CALL, settled
from talktree.library.stats.stretches import stretches

_ALL = "SELECT NULL, NULL, tool, SUM(calls), SUM(answered), SUM(failures) FROM used GROUP BY tool"
_ALL_BETWEEN = (
    "SELECT NULL, NULL, tool, SUM(calls), SUM(answered), SUM(failures) FROM used"
    " WHERE day >= ? AND day < ? GROUP BY tool"
)
_USED = "SELECT source, day, tool, calls, answered, failures FROM used"
_USED_BETWEEN = _USED + " WHERE day >= ? AND day < ?"
_ANEW = COUNTING_CALLS + BY_USED
_ANEW_BETWEEN = COUNTING_CALLS + " AND c.time >= ? AND c.time < ?" + BY_USED
_TOOK = (
    "SELECT c.source, c.tool, c.time, c.took FROM calls AS c"
    " WHERE c.took IS NOT NULL AND " + COUNTS_CALL
)


class ToolUse(Struct, frozen=True, gc=False):
    """What became of the calls of a tool."""

    tool: str
    calls: int
    answered: int
    failures: int


def tool_uses(db: Database, chosen: Chosen) -> list[ToolUse]:
    """All tools that were called, the most used first."""
    sums: dict[int, list[int]] = {}
    for source, _, tool, *counts in _rows(db, chosen.filters):
        if source is None or chosen.has_source(source):
            sum = sums.setdefault(tool, [0, 0, 0])
            for place, count in enumerate(counts):
                sum[place] += count
    found = [ToolUse(chosen.names.get(tool, ""), *sum) for tool, sum in sums.items()]
    return sorted(found, key=lambda use: (-use.calls, use.tool))


def _rows(db: Database, filters: Filters) -> Iterator[Row]:
    """Calls by source, day and tool; by tool alone where all sources count."""
    quick = settled(db)
    everywhere = filters.project is None and filters.format is None
    if not filters.timed:
        yield from db.read((_ALL if everywhere else _USED) if quick else _ANEW)
        return
    for days, start, end in stretches(filters, quick=quick):
        whole = _ALL_BETWEEN if everywhere else _USED_BETWEEN
        yield from db.read(whole if days else _ANEW_BETWEEN, (start, end))


def tool_seconds(db: Database, chosen: Chosen) -> dict[str, list[float]]:
    """From call to result in seconds, for each tool, the shortest first.

    This reads every call; nothing but a list of tools needs it.
    """
    found: dict[str, list[float]] = {}
    for source, tool, time, took in db.rows(_TOOK):
        if chosen.has_source(source) and chosen.has_time(time):
            found.setdefault(chosen.names.get(tool, ""), []).append(took / 1e9)
    for seconds in found.values():
        seconds.sort()
    return found
