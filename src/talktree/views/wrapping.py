"""Texts that a program put into a tag of its own before it handed them on."""

from __future__ import annotations

import re

_WRAPPED = re.compile(r"\s*<([\w-]{1,60})>(.*)</\1>\s*", re.DOTALL)


def unwrapped(text: str) -> str:
    """The text without the tag around all of it."""
    found = _WRAPPED.fullmatch(text) if "</" in text else None
    return found[2] if found else text
