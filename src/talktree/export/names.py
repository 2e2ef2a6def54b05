"""File names for conversations: short, and valid on every system."""

from __future__ import annotations

import re

from talktree.text.file_names import sanitize_name

LONGEST = 80
_ODD = re.compile(r"[^\w.() -]+")


def make_file_name(name: str, ending: str) -> str:
    """Return a file name for something with this name."""
    bare = _ODD.sub("-", sanitize_name(name)).strip(" .-")
    stem = re.sub(r"\.(?:jsonl?|xml|txt|md|html|gz|zst)$", "", bare, flags=re.IGNORECASE)
    return f"{stem[:LONGEST].strip(' .-') or 'conversation'}{ending}"
