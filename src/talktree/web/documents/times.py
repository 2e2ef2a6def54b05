"""Times as they travel: milliseconds since 1970, or nothing."""

from __future__ import annotations

from talktree.model.skeleton import NO_TIME

MILLISECOND = 1_000_000


def milliseconds(time: int | None) -> int | None:
    """Nanoseconds as they travel."""
    return None if time is None or time == NO_TIME else time // MILLISECOND
