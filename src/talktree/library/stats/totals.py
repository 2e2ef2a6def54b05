"""Totals of the replies and calls that count, updated by imports.

Whether a reply counts depends on every source that has it, so the results are stored as sums by
source and day (`spent`, `used`). They are a cache: while they are outdated, readers sum the replies
and calls themselves, with the same statements.

Every event counts once: of several sources with the same reply, the one with the most tokens
counts, and of those the one that was imported first.

A time range is split into whole days, which are already summed, and the rest at its ends.

Days, weeks and months are in UTC.
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from typing import NamedTuple

from talktree.library.database.connection import Database
from talktree.library.extract.facts import ExtractedFacts
from talktree.library.stats.filter import DAY, Filters
from talktree.library.stats.prices import BANDS

UNSETTLED = "unsettled"
"""The mark in `about` while the sums are outdated."""
COUNTS_REPLY = """NOT EXISTS (
  SELECT 1 FROM replies AS o WHERE o.key = r.key AND o.source <> r.source AND (
    o.input + o.output + o.cache_read + o.cache_write
      > r.input + r.output + r.cache_read + r.cache_write
    OR (o.input + o.output + o.cache_read + o.cache_write
      = r.input + r.output + r.cache_read + r.cache_write AND o.source < r.source)))"""
"""Whether the reply `r` counts in its source."""
COUNTS_CALL = """(c.at >= 0 AND NOT EXISTS (
  SELECT 1 FROM calls AS o WHERE o.key = c.key AND o.source <> c.source AND o.at >= 0 AND (
    (o.state > 0) > (c.state > 0) OR ((o.state > 0) = (c.state > 0) AND o.source < c.source))))"""
"""Whether the call `c` counts in its source: where it was answered, and of those in the first.

A row before the beginning of its source is a result whose call was not seen.
"""
COUNTING_REPLIES = f"""
SELECT r.source, r.time / {DAY} - (r.time % {DAY} < 0) AS day, r.model, r.project,
  (r.input + r.cache_read + r.cache_write > {BANDS[0]})
    + (r.input + r.cache_read + r.cache_write > {BANDS[1]}) AS long,
  COUNT(*), SUM(r.input), SUM(r.output), SUM(r.cache_read), SUM(r.cache_write),
  SUM(r.cache_write_hour)
FROM replies AS r WHERE {COUNTS_REPLY}"""
"""Replies, each where it counts; the rest of the statement selects and groups them."""
COUNTING_CALLS = f"""
SELECT c.source, c.time / {DAY} - (c.time % {DAY} < 0) AS day, c.tool,
  COUNT(*), SUM(c.state > 0), SUM(c.state = 2)
FROM calls AS c WHERE {COUNTS_CALL}"""
"""Calls, each where it counts."""
BY_SPENT = " GROUP BY r.source, day, r.model, r.project, long"
BY_USED = " GROUP BY c.source, day, c.tool"
_MARKED = "SELECT 1 FROM about WHERE key = ?"


def are_totals_current(db: Database) -> bool:
    """Whether the sums of replies and calls are up to date."""
    return db.read_one(_MARKED, (UNSETTLED,)) is None


MOST_KEYS = 200_000
"""Maximum number of keys that are remembered."""
FEW_KEYS = 5_000
ENOUGH = 4
"""If at least one in this many replies is new, all sums are recomputed, with one pass per table."""

_MARK = "INSERT INTO about (key, value) VALUES (?, '1') ON CONFLICT (key) DO NOTHING"
_UNMARK = "DELETE FROM about WHERE key = ?"
_REPLIES = "SELECT COUNT(*) FROM replies"
_ANY = "SELECT 1 FROM replies LIMIT 1"
_CLEAR = ("DELETE FROM spent", "DELETE FROM used")
_FILL = (
    "INSERT INTO spent " + COUNTING_REPLIES + BY_SPENT,
    "INSERT INTO used " + COUNTING_CALLS + BY_USED,
)
_CLEAR_ONE = ("DELETE FROM spent WHERE source = ?", "DELETE FROM used WHERE source = ?")
_FILL_ONE = (
    "INSERT INTO spent " + COUNTING_REPLIES + " AND r.source = ?" + BY_SPENT,
    "INSERT INTO used " + COUNTING_CALLS + " AND c.source = ?" + BY_USED,
)
_TELLING = (
    "SELECT source FROM replies WHERE key = ?",
    "SELECT source FROM calls WHERE key = ?",
)
_SHARING = (
    "SELECT DISTINCT o.source FROM replies AS r JOIN replies AS o ON o.key = r.key"
    " WHERE r.source = ? AND o.source <> r.source",
    "SELECT DISTINCT o.source FROM calls AS c JOIN calls AS o ON o.key = c.key"
    " WHERE c.source = ? AND o.source <> c.source",
)


class TotalsUpdate:
    """The sums that an import must update at its end."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._everything = not are_totals_current(db) or db.read_one(_ANY) is None
        """Whether an earlier import was interrupted, or there were no facts before."""
        self._sources: set[int] = set()
        self._keys: set[int] = set()
        self._marked: int | None = None
        """The number of rolled-back transactions when the mark was set."""

    def add_facts(self, source: int, facts: ExtractedFacts) -> None:
        """Record the facts of a source, in the transaction that writes them."""
        if not (facts.replies or facts.calls or facts.outcomes):
            return
        self.note_change(source)
        if self._everything:
            return
        self._keys.update([each[0] for each in facts.replies])
        self._keys.update([each[0] for each in facts.calls])
        self._keys.update([each[0] for each in facts.outcomes])
        if len(self._keys) > MOST_KEYS:
            self._everything = True
            self._keys.clear()

    def note_change(self, source: int) -> None:
        """Record that something else about the replies of a source is about to change."""
        self._mark_outdated()
        self._sources.add(source)

    def note_removal(self, source: int) -> None:
        """Record that the facts of a source are about to be deleted: others may have them too."""
        self.note_change(source)
        for statement in _SHARING:
            self._sources.update(row[0] for row in self._db.read(statement, (source,)))

    def update_totals(self) -> None:
        """Update the sums, in the last transaction of an import."""
        if self._everything or self._is_much():
            self.recompute_totals()
            return
        if not self._sources:
            return
        for key in self._keys:
            for statement in _TELLING:
                self._sources.update(row[0] for row in self._db.read(statement, (key,)))
        for clear, fill in zip(_CLEAR_ONE, _FILL_ONE, strict=True):
            for source in sorted(self._sources):
                self._db.run(clear, (source,))
                self._db.run(fill, (source,))
        self._mark_current()

    def recompute_totals(self) -> None:
        """Recompute all sums."""
        for clear, fill in zip(_CLEAR, _FILL, strict=True):
            self._db.run(clear)
            self._db.run(fill)
        self._mark_current()

    def _is_much(self) -> bool:
        """Whether looking up each key takes longer than reading everything."""
        if len(self._keys) <= FEW_KEYS:
            return False
        row = self._db.read_one(_REPLIES)
        return row is not None and len(self._keys) * ENOUGH > row[0]

    def _mark_outdated(self) -> None:
        if self._marked != self._db.rollbacks:
            self._db.run(_MARK, (UNSETTLED,))
            self._marked = self._db.rollbacks

    def _mark_current(self) -> None:
        self._marked = None
        self._db.run(_UNMARK, (UNSETTLED,))
        self._everything = False
        self._sources.clear()
        self._keys.clear()


EARLIEST, LATEST = -(2**62 // DAY) * DAY, (2**62 // DAY) * DAY
"""Whole days before and after which there is nothing."""


class TimeRange(NamedTuple):
    """A range from a start to an end, exclusive."""

    days: bool
    """Whether these are numbers of days; otherwise nanoseconds."""
    start: int
    end: int


def find_ranges(filters: Filters, *, quick: bool) -> list[TimeRange]:
    """Return the ranges of the filter; only exact times if the sums of days cannot be used."""
    since = EARLIEST if filters.since is None else max(filters.since, EARLIEST)
    until = LATEST if filters.until is None else min(filters.until, LATEST)
    first, behind = -(-since // DAY), until // DAY
    if not quick or first >= behind:
        return [TimeRange(days=False, start=since, end=until)]
    found = [TimeRange(days=True, start=first, end=behind)]
    if since < first * DAY:
        found.append(TimeRange(days=False, start=since, end=first * DAY))
    if behind * DAY < until:
        found.append(TimeRange(days=False, start=behind * DAY, end=until))
    return found


UNKNOWN = "unknown"
_EPOCH = date(1970, 1, 1).toordinal()


@lru_cache(maxsize=4096)
def day_name(day: int | None) -> str:
    """Return a day as `2026-01-31`, from its number since 1970."""
    found = _date(day)
    return UNKNOWN if found is None else found.isoformat()


@lru_cache(maxsize=4096)
def week_name(day: int | None) -> str:
    """Return the ISO 8601 week as `2026-W05`; it begins on Monday."""
    found = _date(day)
    if found is None:
        return UNKNOWN
    year, week, _ = found.isocalendar()
    return f"{year:04d}-W{week:02d}"


def month_name(day: int | None) -> str:
    """Return the month as `2026-01`."""
    name = day_name(day)
    return name if name == UNKNOWN else name[:7]


def _date(day: int | None) -> date | None:
    """Return the date of a day, if it is in the range of the calendar."""
    try:
        return None if day is None else date.fromordinal(day + _EPOCH)
    except (ValueError, OverflowError):
        return None
