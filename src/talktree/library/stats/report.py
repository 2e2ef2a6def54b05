"""All statistics of a library, or of a part of it, including the number of messages by role."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from talktree.errors import UsageError
from talktree.home import data_home
from talktree.library.database.connection import Database
from talktree.library.listing import find_conversations
from talktree.library.stats.filter import FilteredSources, Filters, SourceInfo
from talktree.library.stats.measures import Measures, collect_measures
from talktree.library.stats.prices import load_prices
from talktree.library.stats.tools import ToolUse, count_tool_uses
from talktree.library.stats.totals import UNKNOWN, day_name, month_name, week_name
from talktree.library.stats.usage import UsageRow, UsageTotal, find_usage, group_usage, sum_usage
from talktree.text.times import to_datetime

_ROLES = "SELECT source, role, messages FROM roles ORDER BY source, role"


def count_messages_by_role(
    db: Database, chosen: FilteredSources, sources: Collection[int]
) -> tuple[tuple[str, int], ...]:
    """Return the roles in some sources, most frequent first."""
    found: Counter[str] = Counter()
    for source, role, messages in db.read(_ROLES):
        if source in sources:
            found[chosen.names.get(role, "")] += messages
    return tuple(sorted(found.items(), key=lambda item: (-item[1], item[0])))


BY = ("day", "week", "month", "project", "model", "tool", "session", "format")
IN_TIME = frozenset({"day", "week", "month"})
"""Groupings that are sorted by time; the others begin with the highest cost."""


class CountableLibrary(Protocol):
    """The part of a library that statistics need."""

    @property
    def db(self) -> Database:
        """Its tables."""


class UsageGroup(Struct, frozen=True):
    """The usage of one day, project or model."""

    name: str
    spent: UsageTotal
    title: str | None = None
    """The title of a session."""


class LibraryStatistics(Struct, frozen=True):
    """All statistics."""

    filters: Filters
    sources: int
    conversations: int
    messages: int
    threads: int
    branches: int
    sidechains: int
    errors: int
    first_ns: int | None
    last_ns: int | None
    spent: UsageTotal
    unpriced: tuple[str, ...]
    """Models that have no price."""
    checked: str
    """The day on which prices were compared with their sources."""
    tools: tuple[ToolUse, ...]
    roles: tuple[tuple[str, int], ...]
    """Messages by role, most frequent first."""
    measures: Measures
    uses: list[UsageRow]
    known_sources: dict[int, SourceInfo]
    """The sources by their numbers."""

    @property
    def first(self) -> datetime | None:
        """When the first message was written, in UTC."""
        return to_datetime(self.first_ns)

    @property
    def last(self) -> datetime | None:
        """When the last message was written, in UTC."""
        return to_datetime(self.last_ns)

    def group_by(self, name: str) -> list[UsageGroup]:
        """Return the usage by day, week, month, project, model, session or format."""
        key, titles = self._grouping_key(name)
        found = [
            UsageGroup(each, spent, titles.get(each))
            for each, spent in group_usage(self.uses, key).items()
        ]
        if name in IN_TIME:
            return sorted(found, key=lambda group: (group.name == UNKNOWN, group.name))
        return sorted(found, key=_cost_order)

    def _grouping_key(self, name: str) -> tuple[Callable[[UsageRow], str], dict[str, str]]:
        facts = self.known_sources
        match name:
            case "day":
                return lambda use: day_name(use.day), {}
            case "week":
                return lambda use: week_name(use.day), {}
            case "month":
                return lambda use: month_name(use.day), {}
            case "project":
                return lambda use: use.project or UNKNOWN, {}
            case "model":
                return lambda use: use.model or UNKNOWN, {}
            case "format":
                return lambda use: facts[use.source].format, {}
            case "session":
                titles = {
                    each.native: each.title for each in facts.values() if each.native and each.title
                }
                return lambda use: facts[use.source].session, titles
            case _:
                raise UsageError(f"nothing is counted by {name}", hint=f"one of {', '.join(BY)}")


def _cost_order(group: UsageGroup) -> tuple[int, int, int, str]:
    spent = group.spent
    return -spent.cost, -spent.output, -spent.tokens, group.name


def compute_statistics(
    library: CountableLibrary,
    *,
    since: int | None = None,
    until: int | None = None,
    project: str | None = None,
    model: str | None = None,
    format: str | None = None,
    seconds: bool = False,
) -> LibraryStatistics:
    """Compute the statistics of a library; `seconds` adds how long tools took, which is slower."""
    filters = Filters(since=since, until=until, project=project, model=model, format=format)
    db = library.db
    prices = load_prices(data_home())
    with db.snapshot():
        chosen = FilteredSources(db, filters)
        found = find_usage(db, chosen, prices)
        tools = tuple(count_tool_uses(db, chosen, seconds=seconds))
        counted = _select_sources(chosen, found)
        ids = {source.id for source in counted}
        measured = collect_measures(db, chosen, ids)
        roles = count_messages_by_role(db, chosen, ids)
        listed = list(
            find_conversations(
                db, format=format, project=project, since=since, until=until, model=model
            )
        )
    return LibraryStatistics(
        filters=filters,
        sources=len(counted),
        conversations=sum(each.several > 0 for each in listed),
        messages=sum(each.messages for each in listed),
        threads=sum(each.threads for each in listed),
        branches=sum(each.branches for each in listed),
        sidechains=sum(each.sidechains for each in listed),
        errors=sum(each.errors for each in listed),
        first_ns=min((each.first_ns for each in listed if each.first_ns is not None), default=None),
        last_ns=max((each.last_ns for each in listed if each.last_ns is not None), default=None),
        spent=sum_usage(found),
        unpriced=tuple(sorted({use.model or UNKNOWN for use in found if use.unpriced})),
        checked=prices.checked,
        tools=tools,
        roles=roles,
        measures=measured,
        uses=found,
        known_sources=chosen.sources,
    )


def _select_sources(chosen: FilteredSources, found: list[UsageRow]) -> list[SourceInfo]:
    """Return the sources of the format and project that were active in the time, with the model."""
    filters = chosen.filters
    with_model = {use.source for use in found}
    return [
        source
        for source in chosen.sources.values()
        if chosen.has_source(source.id)
        and (filters.model is None or source.id in with_model)
        and (filters.since is None or (source.last is not None and source.last >= filters.since))
        and (filters.until is None or (source.first is not None and source.first < filters.until))
    ]
