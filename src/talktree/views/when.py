"""Points in time for people, in UTC."""

from __future__ import annotations

from talktree.text.times import SECOND, to_iso


def moment(time: int | None) -> str:
    """Date and time to the second, or nothing."""
    return stamp(time)[:19].replace("T", " ")


def day(number: int) -> str:
    """A day by its number since 1970."""
    return stamp(number * 86_400 * SECOND)[:10] or f"day {number}"


def stamp(time: int | None) -> str:
    """The full ISO form, or nothing where a calendar does not reach."""
    if time is None:
        return ""
    try:
        return to_iso(time)
    except OverflowError:
        return ""
