"""Which sources their own program will delete, and when.

Claude Code deletes sessions that did not change for `cleanupPeriodDays` days, 30 unless its
settings say otherwise. Of the settings nothing but that number is read.
"""

from __future__ import annotations

import time
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from talktree.library.library import Library

DEFAULT_DAYS = 30
DAY = 86_400 * 10**9
_CANDIDATES = """
    SELECT s.id, s.path, max(f.modified) FROM sources s JOIN files f ON f.source = s.id
    WHERE s.format = 'claude-code' AND s.state = 'here' AND f.state = 'here'
    GROUP BY s.id
"""


class Expiring(NamedTuple):
    """A source that its program will delete."""

    source: int
    path: bytes
    days: float
    """How many days are left; below 0 if it may go at any time."""


class _Settings(msgspec.Struct):
    days: float | None = msgspec.field(name="cleanupPeriodDays", default=None)


def expiring(library: Library, *, within: float = 7, now: int | None = None) -> list[Expiring]:
    """The sources whose program deletes them within some days, the soonest first.

    They are kept in the library; what is told is that the originals will be gone.
    """
    now = time.time_ns() if now is None else now
    out = []
    for id, path, modified in library.db.read(_CANDIDATES):
        until = kept_until(path, modified)
        if until is not None and (days := (until - now) / DAY) <= within:
            out.append(Expiring(id, path, days))
    return sorted(out, key=lambda each: each.days)


def kept_until(path: bytes, modified: int) -> int | None:
    """When the program that wrote a source deletes it; None if nobody is known to."""
    parts = path.split(b"/")
    if b"projects" not in parts:
        return None
    home = b"/".join(parts[: len(parts) - 1 - parts[::-1].index(b"projects")])
    days = _days(home)
    return None if days is None else modified + int(days * DAY)


@lru_cache(maxsize=64)
def _days(home: bytes) -> float | None:
    """How long sessions are kept, as the settings beside the projects say."""
    name = PurePosixPath(home.decode("utf-8", "surrogateescape")).name
    if name not in (".claude", "claude") and not _has_settings(home):
        return None
    try:
        with open(home + b"/settings.json", "rb") as file:
            told = msgspec.json.decode(file.read(1 << 20), type=_Settings).days
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        told = None
    if told is None:
        return DEFAULT_DAYS
    return told if told > 0 else None


def _has_settings(home: bytes) -> bool:
    try:
        with open(home + b"/settings.json", "rb"):
            return True
    except OSError:
        return False
