"""Ids of sessions: safe file names, and finding a session by the beginning of its id.

An id becomes a folder's name, so it is checked before any path is made of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import urandom

from talktree.errors import NotFound, UsageError
from talktree.formats.sage.session_ids import LONGEST, is_id

__all__ = ["FORMAT", "LONGEST", "check_id", "is_id", "new_id", "resolve_short_id"]

FORMAT = "sage"
"""The format in which sessions are recorded."""
_VARIANTS = {digit: "89ab"[number & 3] for number, digit in enumerate("0123456789abcdef")}


def new_id() -> str:
    """Return a random UUID, in a third of the time the standard library takes."""
    digits = urandom(16).hex()
    variant = _VARIANTS[digits[16]]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def check_id(id: str) -> str:
    """Return the id if it can name a session; raise an error otherwise."""
    if not is_id(id):
        raise UsageError(
            f"{id[:LONGEST]!r} cannot be the id of a session",
            hint=f"an id has 1 to {LONGEST} letters, digits, dots, underscores and hyphens, "
            "no dot at either end, and is no device's name",
        )
    return id


def resolve_short_id(short: str, known: Iterable[str], *, what: str = "session") -> str:
    """Return the only known id with this prefix; an exact match takes precedence."""
    matching = []
    for id in known:
        if id == short:
            return id
        if short and id.startswith(short):
            matching.append(id)
    if len(matching) == 1:
        return matching[0]
    if not matching:
        raise NotFound(f"there is no {what} {short!r}", hint=f"name a {what} that is there")
    shown = ", ".join(sorted(matching)[:5])
    raise UsageError(
        f"{short!r} is the beginning of {len(matching)} {what}s: {shown}",
        hint="give more characters of the id",
    )
