"""All counts of a library, or of a part of it.

How many messages were of which role.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from talktree.errors import UsageError
from talktree.home import data_home
from talktree.library.database.connection import Database
from talktree.library.listing import conversations
from talktree.library.stats.filter import Chosen, Filters, Source
from talktree.library.stats.measures import Measures, measures
from talktree.library.stats.prices import load_prices
from talktree.library.stats.tools import ToolUse, tool_uses
from talktree.library.stats.totals import UNKNOWN, day_name, month_name, week_name
from talktree.library.stats.usage import Spent, Use, grouped, total, uses
from talktree.text.times import to_datetime

_ROLES = "SELECT source, role, messages FROM roles ORDER BY source, role"


def messages_by_role(
    db: Database, chosen: Chosen, sources: Collection[int]
) -> tuple[tuple[str, int], ...]:
    """The roles in some sources, the most frequent first."""
    found: Counter[str] = Counter()
    for source, role, messages in db.read(_ROLES):
        if source in sources:
            found[chosen.names.get(role, "")] += messages
    return tuple(sorted(found.items(), key=lambda item: (-item[1], item[0])))


BY = ("day", "week", "month", "project", "model", "tool", "session", "format")
IN_TIME = frozenset({"day", "week", "month"})
"""Points of view that are told in the order of time; the others begin with what cost most."""


class Kept(Protocol):
    """A library, as far as it is counted."""

    @property
    def db(self) -> Database:
        """Its tables."""


class Group(Struct, frozen=True):
    """What was spent on one day, in one project, with one model."""

    name: str
    spent: Spent
    title: str | None = None
    """Of a session."""


class Statistics(Struct, frozen=True):
    """All that is counted."""

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
    spent: Spent
    unpriced: tuple[str, ...]
    """Models that have no price."""
    checked: str
    """The day on which prices were compared with their sources."""
    tools: tuple[ToolUse, ...]
    roles: tuple[tuple[str, int], ...]
    """Messages by role, the most frequent first."""
    measures: Measures
    uses: list[Use]
    told: dict[int, Source]
    """The sources by their numbers."""

    @property
    def first(self) -> datetime | None:
        """When the first message was written, in UTC."""
        return to_datetime(self.first_ns)

    @property
    def last(self) -> datetime | None:
        """When the last message was written, in UTC."""
        return to_datetime(self.last_ns)

    def by(self, name: str) -> list[Group]:
        """What was spent, by day, week, month, project, model, session or format."""
        key, titles = self._key(name)
        found = [
            Group(each, spent, titles.get(each)) for each, spent in grouped(self.uses, key).items()
        ]
        if name in IN_TIME:
            return sorted(found, key=lambda group: (group.name == UNKNOWN, group.name))
        return sorted(found, key=_dearest)

    def _key(self, name: str) -> tuple[Callable[[Use], str], dict[str, str]]:
        told = self.told
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
                return lambda use: told[use.source].format, {}
            case "session":
                titles = {
                    each.native: each.title for each in told.values() if each.native and each.title
                }
                return lambda use: told[use.source].session, titles
            case _:
                raise UsageError(f"nothing is counted by {name}", hint=f"one of {', '.join(BY)}")


def _dearest(group: Group) -> tuple[int, int, int, str]:
    spent = group.spent
    return -spent.cost, -spent.output, -spent.tokens, group.name


def stats(
    library: Kept,
    *,
    since: int | None = None,
    until: int | None = None,
    project: str | None = None,
    model: str | None = None,
    format: str | None = None,
    seconds: bool = False,
) -> Statistics:
    """Count what a library holds; `seconds` also tells how long tools took, which takes longer."""
    filters = Filters(since=since, until=until, project=project, model=model, format=format)
    db = library.db
    prices = load_prices(data_home())
    with db.snapshot():
        chosen = Chosen(db, filters)
        found = uses(db, chosen, prices)
        tools = tuple(tool_uses(db, chosen, seconds=seconds))
        counted = _counted(chosen, found)
        ids = {source.id for source in counted}
        measured = measures(db, chosen, ids)
        roles = messages_by_role(db, chosen, ids)
        listed = list(
            conversations(db, format=format, project=project, since=since, until=until, model=model)
        )
    return Statistics(
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
        spent=total(found),
        unpriced=tuple(sorted({use.model or UNKNOWN for use in found if use.unpriced})),
        checked=prices.checked,
        tools=tools,
        roles=roles,
        measures=measured,
        uses=found,
        told=chosen.sources,
    )


def _counted(chosen: Chosen, found: list[Use]) -> list[Source]:
    """The sources of the format and project that were at work in the time, with the model."""
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
