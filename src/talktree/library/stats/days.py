"""Days, weeks and months (UTC) as they are written."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

UNKNOWN = "unknown"
_EPOCH = date(1970, 1, 1).toordinal()


@lru_cache(maxsize=4096)
def day_name(day: int | None) -> str:
    """`2026-01-31`, for the number of a day since 1970."""
    found = _date(day)
    return UNKNOWN if found is None else found.isoformat()


@lru_cache(maxsize=4096)
def week_name(day: int | None) -> str:
    """`2026-W05`: the week of ISO 8601, which begins on Monday."""
    found = _date(day)
    if found is None:
        return UNKNOWN
    year, week, _ = found.isocalendar()
    return f"{year:04d}-W{week:02d}"


def month_name(day: int | None) -> str:
    """`2026-01`."""
    name = day_name(day)
    return name if name == UNKNOWN else name[:7]


def _date(day: int | None) -> date | None:
    """The date of a day, if a calendar reaches so far."""
    try:
        return None if day is None else date.fromordinal(day + _EPOCH)
    except (ValueError, OverflowError):
        return None
