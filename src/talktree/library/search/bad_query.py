"""A query that cannot be read: what is wrong, a caret below the place, and a hint."""

from __future__ import annotations

from collections.abc import Iterable

from talktree.errors import UsageError
from talktree.text.escape import visible_line

_SHOWN = 60
"""How many characters of a long query are shown before and behind the place."""


class BadQuery(UsageError):
    """A query that cannot be read; `position` is where, in characters."""

    kind = "bad-query"

    def __init__(self, why: str, query: str, position: int, hint: str) -> None:
        super().__init__(f"{why}\n{pointed(query, position)}", hint=hint)
        self.why = why
        self.query = query
        self.position = position


def pointed(query: str, position: int) -> str:
    """The query on one line, and a caret below the place on the next."""
    before, behind = query[:position], query[position:]
    if len(before) > _SHOWN:
        before = "…" + before[-_SHOWN:]
    if len(behind) > _SHOWN:
        behind = behind[:_SHOWN] + "…"
    before, behind = visible_line(before), visible_line(behind)
    return f"  {before}{behind}\n  {' ' * _width(before)}^"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """What somebody may have meant who wrote that name."""
    import difflib  # only who mistyped pays for it

    found = difflib.get_close_matches(name.lower(), list(known), 1, 0.5)
    return found[0] if found else None


def _width(text: str) -> int:
    """How many columns a terminal needs for it."""
    import unicodedata

    return sum(
        2 if unicodedata.east_asian_width(char) in "WF" else not unicodedata.combining(char)
        for char in text
    )
