"""The sources that their own program will delete, and when.

Claude Code deletes sessions that did not change for `cleanupPeriodDays` days, 30 unless its
settings set another number. Nothing else of the settings is read.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from talktree.text.escape import escape_line
from talktree.text.times import to_datetime

if TYPE_CHECKING:
    from talktree.library.library import Library

DEFAULT_DAYS = 30
DAY = 86_400 * 10**9
_FILES = "SELECT source, path, modified FROM files WHERE state = 'here'"
_REPORTED = "SELECT value FROM about WHERE key = 'expiring'"
_SET_REPORTED = """
INSERT INTO about (key, value) VALUES ('expiring', ?)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
_SOURCE = """
    SELECT s.path, max(f.modified) FROM sources s JOIN files f ON f.source = s.id
    WHERE s.id = ? AND s.format = 'claude-code' AND s.state = 'here' AND f.state = 'here'
    GROUP BY s.id
"""


class ExpiringSource(NamedTuple):
    """A source that its program will delete."""

    source: int
    raw_path: bytes
    days: float
    """How many days are left; below 0 if it may go at any time."""
    until_ns: int = 0
    """When it will be deleted, in nanoseconds since 1970."""
    period: float = DEFAULT_DAYS
    """How many days without a change its program keeps it: Claude Code's `cleanupPeriodDays`."""

    @property
    def path(self) -> Path:
        """The file or folder."""
        return Path(os.fsdecode(self.raw_path))

    @property
    def until(self) -> datetime | None:
        """When it will be deleted, in UTC."""
        return to_datetime(self.until_ns)


def find_expiring(
    library: Library, *, within: float = 7, now: int | None = None
) -> list[ExpiringSource]:
    """Return the sources whose program deletes them within some days, soonest first.

    They stay in the library; the originals will be deleted.
    """
    now = time.time_ns() if now is None else now
    near: dict[int, None] = {}
    for source, path, modified in library.db.read(_FILES):
        days = _find_retention_days(path.rpartition(b"/")[0])
        if days is not None and modified + days * DAY - now <= within * DAY:
            near[source] = None
    # One file of a source may be old and another new: the newest counts.
    out = []
    for source in near:
        for path, modified in library.db.read(_SOURCE, (source,)):
            until = find_expiry_time(path, modified)
            if until is not None and (left := (until - now) / DAY) <= within:
                period = _find_retention_days(path.rpartition(b"/")[0]) or DEFAULT_DAYS
                out.append(ExpiringSource(source, path, left, until, period))
    return sorted(out, key=lambda each: each.days)


def find_not_reported(
    library: Library, expiring: Sequence[ExpiringSource]
) -> list[tuple[ExpiringSource, str]]:
    """Return the sources that were not reported before, with their ids and titles, and record them.

    A session that continued since then is reported again when it is about to be deleted.
    """
    from talktree.library.listing import find_by_source

    row = library.db.read_one(_REPORTED)
    before = {*str(row[0]).split()} if row else set()
    new, now = [], set()
    for each in expiring:
        kept = find_by_source(library.db, each.source)
        if kept is not None:
            mark = f"{each.source}:{each.until_ns}"
            now.add(mark)
            if mark not in before:
                name = f"{kept.id}  {kept.title}" if kept.title else kept.id
                new.append((each, escape_line(name)))
    if now != before:
        with library.db.transaction():
            library.db.run(_SET_REPORTED, (" ".join(sorted(now)),))
    return new


def find_expiry_time(path: bytes, modified: int) -> int | None:
    """Return when the program that wrote a source deletes it; None if it is not known to."""
    days = _find_retention_days(path.rpartition(b"/")[0])
    return None if days is None else modified + int(days * DAY)


@lru_cache(maxsize=1024)
def _find_retention_days(folder: bytes) -> float | None:
    """Return how many days a folder's contents are kept; None if nothing deletes them."""
    parts = folder.split(b"/")
    if b"projects" not in parts:
        return None
    return _read_retention_days(b"/".join(parts[: len(parts) - 1 - parts[::-1].index(b"projects")]))


@lru_cache(maxsize=64)
def _read_retention_days(home: bytes) -> float | None:
    """Return how long sessions are kept, from the settings next to the projects."""
    named = home.rpartition(b"/")[2] in (b".claude", b"claude")
    if not named and not _has_settings(home):
        return None
    facts = _configured_days(home)
    if facts is None:
        return DEFAULT_DAYS
    return facts if facts > 0 else None


def find_invalid_settings(expiring: Sequence[ExpiringSource]) -> list[tuple[Path, str]]:
    """Return settings files without a valid period, with the value they have instead."""
    found: dict[bytes, str] = {}
    for each in expiring:
        folder, separator, _ = each.raw_path.rpartition(b"/projects/")
        value = _configured_period(folder) if separator else None
        if value is not None and not _is_number(value):
            found[folder + b"/settings.json"] = repr(value)
    return [(Path(os.fsdecode(path)), value) for path, value in found.items()]


def _configured_days(home: bytes) -> float | None:
    """Return how many days the settings name; None if they have no valid number."""
    days = _configured_period(home)
    return days if isinstance(days, int | float) and _is_number(days) else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _configured_period(home: bytes) -> object:
    """Return the value that the settings have as the period; None without settings."""
    from msgspec import MsgspecError, json  # only where there may be settings: it takes a while

    try:
        with open(home + b"/settings.json", "rb") as file:
            facts = json.decode(file.read(1 << 20))
    except (OSError, MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return facts.get("cleanupPeriodDays") if isinstance(facts, dict) else None


def _has_settings(home: bytes) -> bool:
    try:
        with open(home + b"/settings.json", "rb"):
            return True
    except OSError:
        return False
