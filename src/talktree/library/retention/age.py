"""Ages as rules write them, and when something reaches one."""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, datetime, timedelta

from talktree.text.times import SECOND

DAY = 86_400 * SECOND
_DAYS = {"d": 1, "w": 7}


def find_due_time(since: int, age: str) -> int | None:
    """Return when something from that time on reaches an age such as `180d`; None if never.

    Months and years are those of the calendar, so `1m` after 31 January is the end of February.
    """
    count, unit = int(age[:-1]), age[-1]
    if unit in _DAYS:
        return since + count * _DAYS[unit] * DAY
    try:
        start = datetime.fromtimestamp(0, UTC) + timedelta(seconds=since // SECOND)
        months = start.year * 12 + start.month - 1 + count * (12 if unit == "y" else 1)
        year, month = divmod(months, 12)
        last = monthrange(year, month + 1)[1]
        found = start.replace(year=year, month=month + 1, day=min(start.day, last))
    except (ValueError, OverflowError):
        return None
    return int(found.timestamp()) * SECOND + since % SECOND
