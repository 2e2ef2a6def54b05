"""The name of a downloaded file."""

from __future__ import annotations

from string import ascii_letters, digits
from urllib.parse import quote

_PLAIN = frozenset(ascii_letters + digits + "-_. ")


def format_disposition(name: str, *, inline: bool = False) -> str:
    """Return the header with the file's name; no name can break out of the header."""
    plain = "".join(each if each in _PLAIN else "_" for each in name) or "file"
    kind = "inline" if inline else "attachment"
    encoded = quote(name.encode("utf-8", "replace"), safe="")
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{encoded}"
