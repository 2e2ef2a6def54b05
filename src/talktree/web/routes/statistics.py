"""The usage of all conversations together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from talktree.library.stats.report import LibraryStatistics as Counts
from talktree.library.stats.report import UsageGroup
from talktree.library.stats.usage import UsageTotal
from talktree.web.routes.route import Route, RouteCall
from talktree.web.routes.usage import to_measured_numbers, to_measured_words
from talktree.web.schemas.inspect import DayUsage, UsageCount, UsageStatistics
from talktree.web.schemas.transcript import TokenUsage

if TYPE_CHECKING:
    from talktree.library.database.connection import Database
    from talktree.web.studio import StudioContext

MOST_DAYS = 4_000
MOST_NAMES = 200
HOURS = 168
MILLISECOND = 1_000_000
_BY_HOUR = """
SELECT (time / 3600000000000 + 72) % 168 AS hour, count(DISTINCT key) FROM replies
WHERE time IS NOT NULL AND time >= ? AND time < ? GROUP BY hour
"""
"""1 January 1970 was a Thursday: three days after the Monday on which weeks begin."""
ALWAYS = (0, (1 << 63) - 1)


class StatisticsQuery(Struct, frozen=True, kw_only=True):
    """Which time (milliseconds since 1970), project, model and format."""

    since: int | None = None
    until: int | None = None
    project: str | None = None
    model: str | None = None
    format: str | None = None


def _statistics(studio: StudioContext, call: RouteCall) -> UsageStatistics:
    query: StatisticsQuery = call.query
    library = studio.cache.get_library()
    since, until = _to_nanoseconds(query.since), _to_nanoseconds(query.until)
    found = library.stats(
        since=since, until=until, project=query.project, model=query.model, format=query.format
    )
    all_of_it = not (query.project or query.model or query.format)
    return UsageStatistics(
        conversations=found.conversations,
        messages=found.messages,
        tokens=to_tokens(found.spent),
        cost=_find_cost(found.spent),
        days=tuple(_list_days(found)),
        models=_to_usage_counts(found.group_by("model")),
        tools=tuple(
            UsageCount(name=each.tool, count=each.calls, failures=each.failures)
            for each in found.tools[:MOST_NAMES]
        ),
        projects=_to_usage_counts(found.group_by("project")),
        hours=_count_by_hour(library.db, since, until) if all_of_it else (),
        words=tuple(to_measured_words(each.name, each.words) for each in found.measures.words),
        numbers=tuple(map(to_measured_numbers, found.measures.numbers)),
    )


def _to_nanoseconds(milliseconds: int | None) -> int | None:
    return None if milliseconds is None else milliseconds * MILLISECOND


def to_tokens(spent: UsageTotal) -> TokenUsage:
    """Return token counts for the page."""
    return TokenUsage(
        input=spent.input,
        output=spent.output,
        cache_read=spent.cache_read,
        cache_write=spent.cache_write,
    )


def _find_cost(spent: UsageTotal) -> float | None:
    return spent.dollars if spent.cost or not spent.unpriced else None


def _list_days(found: Counts) -> list[DayUsage]:
    return [
        DayUsage(
            day=each.name,
            messages=each.spent.replies,
            tokens=to_tokens(each.spent),
            cost=_find_cost(each.spent),
        )
        for each in found.group_by("day")[-MOST_DAYS:]
    ]


def _to_usage_counts(groups: list[UsageGroup]) -> tuple[UsageCount, ...]:
    return tuple(
        UsageCount(
            name=each.name,
            count=each.spent.replies,
            tokens=each.spent.tokens,
            cost=_find_cost(each.spent),
        )
        for each in groups[:MOST_NAMES]
    )


def _count_by_hour(db: Database, since: int | None, until: int | None) -> tuple[int, ...]:
    span = (ALWAYS[0] if since is None else since, ALWAYS[1] if until is None else until)
    counts: dict[int, int] = dict(db.read(_BY_HOUR, span))
    return tuple(counts.get(hour, 0) for hour in range(HOURS)) if counts else ()


ROUTES = (
    Route(
        "GET", "/statistics", _statistics, "What all conversations cost together.",
        query=StatisticsQuery, gives=UsageStatistics,
    ),
)  # fmt: skip
