"""Two texts as removed and added lines."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import unified_diff

from talktree.views.lines import Line, line
from talktree.views.width import split_text_lines

MOST_LINES = 600
"""Longer texts could be slow to compare; then all old lines are removed and all new ones added."""
MOST_SHOWN = 60
LONGEST = 400


def format_diff_lines(old: str, new: str) -> list[Line]:
    """Yield the difference with a little context, cut where it is long."""
    before = split_text_lines(old) if old else []
    after = split_text_lines(new) if new else []
    if len(before) + len(after) > MOST_LINES:
        marked = [*(f"-{each}" for each in before), *(f"+{each}" for each in after)]
    else:
        # The first two lines name files; line numbers of a fragment mean nothing.
        found = list(unified_diff(before, after, lineterm="", n=2))[2:]
        marked = ["⋯" if each.startswith("@@") else each for each in found]
        marked = marked[1:] if marked[:1] == ["⋯"] else marked
    shown = [_colorize(each[:LONGEST]) for each in marked[:MOST_SHOWN]]
    if len(marked) > MOST_SHOWN:
        shown.append(line((f"… {len(marked) - MOST_SHOWN:,} more lines", "faint")))
    return shown


def _colorize(marked: str) -> Line:
    styles = {"+": "added", "-": "removed", "⋯": "faint"}
    return line((marked, styles.get(marked[:1], "")))


def count_changes(lines: Sequence[Line]) -> tuple[int, int]:
    """Return how many lines were removed and added in what is shown."""
    styles = [each[0][1] for each in lines if each]
    return styles.count("added"), styles.count("removed")
