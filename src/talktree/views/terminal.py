"""Lines as text for a terminal or a pipe: the only place where colour codes are made.

Every span of text passes the gate of `text.escape`, so content cannot move the cursor, change
colours or reorder what is shown.
"""

from __future__ import annotations

from talktree.text.escape import escape_line
from talktree.views.lines import Line

CODES = {
    "user": "1;34",
    "agent": "1;32",
    "other": "1;35",
    "title": "1",
    "tool": "36",
    "added": "32",
    "removed": "31",
    "error": "1;31",
    "mark": "33",
    "active": "1;32",
    "faint": "2",
    "graph": "2;36",
    "bar": "34",
    "found": "1;33",
}
"""The colour codes of the styles."""


def to_text(line: Line, *, color: bool = False) -> str:
    """Return one line without its newline."""
    if not color:
        return "".join([escape_line(text) for text, _ in line])
    return "".join([_paint(escape_line(text), style) for text, style in line])


def _paint(text: str, style: str) -> str:
    return f"\x1b[{CODES[style]}m{text}\x1b[0m" if style and text else text
