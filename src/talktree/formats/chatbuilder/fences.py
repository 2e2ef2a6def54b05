"""Backticks in message files: removing the backslashes before them, and setting them again.

The format's document says only "remove the backslashes before backticks". Done as one pass from
left to right, each backtick taking one backslash with it, this has an inverse for every text: a
backtick that follows a backslash in the text gets one more, all others may be escaped or not.
"""

from __future__ import annotations

import re
from typing import Literal

Habit = Literal["first", "each", "raw"]
"""Of a fence of three or more backticks: the first escaped, each one, or none."""

_RUN = re.compile(r"`+")
_EACH = re.compile(r"\\`\\`\\`")
_FIRST = re.compile(r"\\```")
RAW = re.compile(r"(?<![\\`])```")
FENCE = 3


def unescape(body: str) -> str:
    """The text of a body: every backslash directly before a backtick is gone."""
    return body.replace("\\`", "`")


def escape(text: str, habit: Habit) -> str:
    """A body that `unescape` turns into the text, whatever it holds."""

    def _escaped(run: re.Match[str]) -> str:
        ticks = run.group()
        after_backslash = text.endswith("\\", 0, run.start())
        if len(ticks) < FENCE or habit == "raw":
            return f"\\{ticks}" if after_backslash else ticks
        return "\\`" * len(ticks) if habit == "each" else f"\\{ticks}"

    return _RUN.sub(_escaped, text)


def habit_of(body: str, *, default: Habit) -> Habit:
    """How a body writes its fences; the escaped forms win a draw."""
    counts: dict[Habit, int] = {
        "first": len(_FIRST.findall(body)),
        "each": len(_EACH.findall(body)),
        "raw": len(RAW.findall(body)),
    }
    most = max(counts.values())
    if not most:
        return default
    return next(habit for habit, count in counts.items() if count == most)
