"""The simple values in the data of an event, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from talktree.views.width import to_one_line

WIDTH = 200
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|_")


def format_details(data: object) -> str:
    """Return the simple values in an event's data, in words."""
    if not isinstance(data, Mapping):
        return ""
    facts = [
        f"{_HUMP.sub(' ', str(key)).lower()} {value}"
        for key, value in list(data.items())[:12]
        if isinstance(value, (str, int, float)) and not isinstance(value, bool)
    ]
    return to_one_line(", ".join(facts), WIDTH)
