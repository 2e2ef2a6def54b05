"""Times as integer nanoseconds since 1970 (UTC), and their written forms.

Integers compare and subtract without rounding. The form in which a file wrote a time (digits, zone,
seconds or milliseconds) stays in that file's record and is written again unless the time changed.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

SECOND = 1_000_000_000
MILLI = 1_000_000
MICRO = 1_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9})\d*)?\s?(Z|[+-]\d\d:?\d\d)?",
    re.ASCII | re.IGNORECASE,
)
_minutes: dict[str, int] = {}
_hours: dict[str, int] = {}
"""Cache of parsed times, without minutes and smaller units."""
_REMEMBERED = 100_000
_MINUTES = {f"{number:02d}:": number * 60 * SECOND for number in range(60)}
_SECONDS = {f"{number:02d}": number * SECOND for number in range(60)}
_MILLIS = {f"{number:03d}": number * MILLI for number in range(1000)}
SECONDS_END = 100_000_000_000
"""Numbers below this (1973 in milliseconds) and above `SECONDS_START` can only mean seconds."""
SECONDS_START = 100_000_000


def is_ambiguous(time: int | None) -> bool:
    """Whether a time in milliseconds would be read as seconds: before March 1973."""
    return time is not None and abs(time) < SECONDS_END * MILLI


def from_iso(text: str) -> int | None:
    """Return the time in an ISO 8601 text, or None; a missing zone means UTC."""
    # Nearly all times are like `2025-12-09T19:47:42.930Z`, many in the same minute.
    if len(text) == 24 and text[23] == "Z" and text[19] == ".":
        try:
            minute = _minutes.get(text[:17])
            if minute is None:
                minute = _hours[text[:14]] + _MINUTES[text[14:17]]
                if len(_minutes) < _REMEMBERED:
                    _minutes[text[:17]] = minute
            return minute + _SECONDS[text[17:19]] + _MILLIS[text[20:23]]
        except KeyError:
            pass
    return _parse_iso(text)


def _parse_iso(text: str) -> int | None:
    found = _ISO.fullmatch(text)
    if found is None:
        return None
    day, clock, fraction, zone = found.groups()
    zone = "+00:00" if zone is None or zone in "zZ" else zone
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}{zone}")
        since = moment - _EPOCH
    except (ValueError, OverflowError):
        return None
    whole = (since.days * 86_400 + since.seconds) * SECOND
    if zone == "+00:00" and len(clock) == 8 and len(_hours) < _REMEMBERED:
        _hours[text[:14]] = whole - (moment.minute * 60 + moment.second) * SECOND
    return whole + (int(fraction.ljust(9, "0")) if fraction else 0)


def to_iso(time: int, *, digits: int = 3) -> str:
    """Return the time as ISO 8601 in UTC, with at least this many digits and as many as it
    needs."""
    minute, inside = divmod(time, 60 * SECOND)
    seconds, rest = divmod(inside, SECOND)
    if digits == 3 and not rest % MILLI:
        return f"{_format_minute(minute)}:{seconds:02d}.{rest // MILLI:03d}Z"
    fraction = f"{rest:09d}"
    while digits < 9 and fraction[digits:].strip("0"):
        digits = min(9, digits + 3)
    day = f"{_format_minute(minute)}:{seconds:02d}"
    return f"{day}.{fraction[:digits]}Z" if digits else f"{day}Z"


@lru_cache(maxsize=4096)
def _format_minute(number: int) -> str:
    # strftime does not pad years below 1000.
    return (_EPOCH + timedelta(minutes=number)).strftime("%Y-%m-%dT%H:%M").rjust(16, "0")


def to_datetime(time: int | None) -> datetime | None:
    """Return the time as a `datetime` in UTC, to the microsecond; None if it is out of range."""
    if time is None:
        return None
    try:
        return _EPOCH + timedelta(microseconds=time // MICRO)
    except OverflowError:
        return None


def from_datetime(moment: datetime) -> int:
    """Return the nanoseconds of a `datetime`; one without a zone is in local time."""
    since = moment.astimezone(UTC) - _EPOCH
    return (since.days * 86_400 + since.seconds) * SECOND + since.microseconds * MICRO


def to_nanoseconds(moment: datetime | int | None) -> int | None:
    """Return a caller's `datetime` or nanoseconds as nanoseconds."""
    return from_datetime(moment) if isinstance(moment, datetime) else moment


EARLIEST = -62_135_596_800 * SECOND
LATEST = 253_402_300_799 * SECOND


def from_number(number: float) -> int | None:
    """Return the time of a number of milliseconds; numbers too small for that are seconds."""
    if number != number or abs(number) > 1e15:
        return None
    unit = SECOND if SECONDS_START <= number < SECONDS_END else MILLI
    time = int(number) * unit if unit == MILLI else int(number * 1000) * MILLI
    return time if EARLIEST <= time <= LATEST else None


def to_millis(time: int) -> int:
    """Return whole milliseconds, rounded down."""
    return time // MILLI


def is_exact_in_millis(time: int) -> bool:
    """Whether an integer number of milliseconds represents exactly this time."""
    return time % MILLI == 0 and from_number(time // MILLI) == time
