"""What all conversations cost together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from talktree.library.stats.report import Group
from talktree.library.stats.report import Statistics as Counts
from talktree.library.stats.usage import Spent
from talktree.web.routes.route import Call, Route
from talktree.web.routes.usage import measured_numbers, measured_words
from talktree.web.schemas.inspect import Counted, Day, Statistics
from talktree.web.schemas.transcript import Tokens

if TYPE_CHECKING:
    from talktree.library.database.connection import Database
    from talktree.web.studio import Studio

MOST_DAYS = 4_000
MOST_NAMES = 200
HOURS = 168
MILLISECOND = 1_000_000
_BY_HOUR = """
SELECT (time / 3600000000000 + 72) % 168 AS hour, count(DISTINCT key) FROM replies
WHERE time IS NOT NULL AND time >= ? AND time < ? GROUP BY hour
"""
"""The first of January 1970 was a Thursday: three days behind the Monday weeks begin with."""
ALWAYS = (0, (1 << 63) - 1)


class StatisticsQuery(Struct, frozen=True, kw_only=True):
    """Of which time (milliseconds since 1970), project, model and format."""

    since: int | None = None
    until: int | None = None
    project: str | None = None
    model: str | None = None
    format: str | None = None


def _statistics(studio: Studio, call: Call) -> Statistics:
    query: StatisticsQuery = call.query
    library = studio.desk.library()
    since, until = _moment(query.since), _moment(query.until)
    found = library.stats(
        since=since, until=until, project=query.project, model=query.model, format=query.format
    )
    all_of_it = not (query.project or query.model or query.format)
    return Statistics(
        conversations=found.conversations,
        messages=found.messages,
        tokens=tokens(found.spent),
        cost=_cost(found.spent),
        days=tuple(_days(found)),
        models=_counted(found.by("model")),
        tools=tuple(
            Counted(name=each.tool, count=each.calls, failures=each.failures)
            for each in found.tools[:MOST_NAMES]
        ),
        projects=_counted(found.by("project")),
        hours=_hours(library.db, since, until) if all_of_it else (),
        words=tuple(measured_words(each.name, each.words) for each in found.measures.words),
        numbers=tuple(map(measured_numbers, found.measures.numbers)),
    )


def _moment(milliseconds: int | None) -> int | None:
    return None if milliseconds is None else milliseconds * MILLISECOND


def tokens(spent: Spent) -> Tokens:
    """Tokens as they travel."""
    return Tokens(
        input=spent.input,
        output=spent.output,
        cache_read=spent.cache_read,
        cache_write=spent.cache_write,
    )


def _cost(spent: Spent) -> float | None:
    return spent.dollars if spent.cost or not spent.unpriced else None


def _days(found: Counts) -> list[Day]:
    return [
        Day(
            day=each.name,
            messages=each.spent.replies,
            tokens=tokens(each.spent),
            cost=_cost(each.spent),
        )
        for each in found.by("day")[-MOST_DAYS:]
    ]


def _counted(groups: list[Group]) -> tuple[Counted, ...]:
    return tuple(
        Counted(
            name=each.name,
            count=each.spent.replies,
            tokens=each.spent.tokens,
            cost=_cost(each.spent),
        )
        for each in groups[:MOST_NAMES]
    )


def _hours(db: Database, since: int | None, until: int | None) -> tuple[int, ...]:
    span = (ALWAYS[0] if since is None else since, ALWAYS[1] if until is None else until)
    counts: dict[int, int] = dict(db.read(_BY_HOUR, span))
    return tuple(counts.get(hour, 0) for hour in range(HOURS)) if counts else ()


ROUTES = (
    Route(
        "GET", "/statistics", _statistics, "What all conversations cost together.",
        query=StatisticsQuery, gives=Statistics,
    ),
)  # fmt: skip
