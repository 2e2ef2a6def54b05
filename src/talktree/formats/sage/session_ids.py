"""Ids of sessions: file names that cannot lead outside of a folder."""

from __future__ import annotations

import re

LONGEST = 128
_GOOD = re.compile(r"[A-Za-z0-9_-](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?", re.ASCII)
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul"}
    | {f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)}
)
"""Names that mean a device on some systems, with any extension."""


def is_id(id: str) -> bool:
    """Whether a text can be the id of a session."""
    if len(id) > LONGEST or _GOOD.fullmatch(id) is None:
        return False
    return id.partition(".")[0].lower() not in _DEVICES
