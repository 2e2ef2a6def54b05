"""Points in time as queries write them: a day, a month, a year, or so long ago."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

_DATE = re.compile(r"(\d{4})(?:-(\d\d?)(?:-(\d\d?))?)?", re.ASCII)
_AGO = re.compile(r"(\d{1,5})([hdwmy])", re.ASCII)


def moment(text: str, now: datetime | None = None) -> int | None:
    """The second at which it begins, by the clock of `now`; None if it names no time."""
    now = now or datetime.now().astimezone()
    try:
        found = _moment(text.lower(), now)
        return None if found is None else int(found.timestamp())
    except (ValueError, OverflowError, OSError):
        return None


def _moment(text: str, now: datetime) -> datetime | None:
    if text in {"today", "yesterday"}:
        return _day(now - timedelta(days=text == "yesterday"))
    date = _DATE.fullmatch(text)
    if date:
        year, month, day = (int(part or 1) for part in date.groups())
        return _local(datetime(year, month, day), now)
    ago = _AGO.fullmatch(text)
    if ago is None:
        return None
    count, unit = int(ago[1]), ago[2]
    if unit in "my":
        return _months_before(now, count * (12 if unit == "y" else 1))
    return now - timedelta(hours=count * {"h": 1, "d": 24, "w": 168}[unit])


def _day(time: datetime) -> datetime:
    return _local(datetime(time.year, time.month, time.day), time)


def _local(time: datetime, now: datetime) -> datetime:
    """That time by the clock of this machine, or of whatever zone was asked for."""
    if now.utcoffset() == now.astimezone().utcoffset():
        return time.astimezone()  # the offset of that day, not of this one
    return time.replace(tzinfo=now.tzinfo)


def _months_before(now: datetime, months: int) -> datetime:
    """The same day of an earlier month, or the last one it has."""
    year, month = divmod(now.year * 12 + now.month - 1 - months, 12)
    following = datetime(year + month // 11, (month + 1) % 12 + 1, 1)
    last = (following - timedelta(days=1)).day
    return now.replace(year=year, month=month + 1, day=min(now.day, last))
