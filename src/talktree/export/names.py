"""Names for files that are made of conversations: short, and good on every system."""

from __future__ import annotations

import re

from talktree.text.file_names import sanitize_name

LONGEST = 80
_ODD = re.compile(r"[^\w.() -]+")


def make_file_name(name: str, ending: str) -> str:
    """A name of a file for something that is called so."""
    bare = _ODD.sub("-", sanitize_name(name)).strip(" .-")
    stem = re.sub(r"\.(?:jsonl?|xml|txt|md|html|gz|zst)$", "", bare, flags=re.IGNORECASE)
    return f"{stem[:LONGEST].strip(' .-') or 'conversation'}{ending}"
