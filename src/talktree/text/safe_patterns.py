"""Regular expressions of users, limited so that none of them runs forever.

A pattern is refused if its syntax allows too much backtracking (`pattern_cost`). It gets texts line
by line, and long lines in pieces; a pattern that is slow on them is abandoned.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from talktree.text.pattern_cost import CostlyPattern, compute_cost

LONGEST_LINE = 2000
LONGEST_OPEN_LINE = 400
"""The same for patterns with an open repetition."""
OVERLAP = 200
LONGEST_PATTERN = 500
SLOW = 5.0
"""Seconds of CPU time in one text after which a pattern is abandoned."""
SLOW_RATE = 50e-6
"""Further seconds for each character of the text."""


class UnsafePattern(ValueError):
    """A pattern that is not a regular expression, or may take too long."""


class UserPattern:
    """A regular expression of a user with a bounded running time."""

    def __init__(self, pattern: re.Pattern[str], longest: int) -> None:
        self.pattern = pattern
        self._longest = longest

    def find_matches(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield its matches, within lines and within pieces of long lines."""
        limit = SLOW + SLOW_RATE * len(text)
        begin = time.thread_time()
        at = 0
        step = self._longest - min(OVERLAP, self._longest // 2)
        for line in text.splitlines(keepends=True):
            done = 0
            for start in range(0, max(len(line), 1), step):
                for found in self.pattern.finditer(line[start : start + self._longest]):
                    if found.end() > found.start() and start + found.start() >= done:
                        done = start + found.end()
                        yield at + start + found.start(), at + done
                if time.thread_time() - begin > limit:
                    raise UnsafePattern("it takes too long on this text")
            at += len(line)


def compile_pattern(text: str) -> UserPattern:
    """Return the pattern if it is a regular expression with a bounded running time."""
    if not text or len(text) > LONGEST_PATTERN:
        raise UnsafePattern(f"not between 1 and {LONGEST_PATTERN} characters")
    try:
        cost = compute_cost(text)
        pattern = re.compile(text)
    except CostlyPattern as error:
        raise UnsafePattern(str(error)) from None
    except (re.error, RecursionError, OverflowError, MemoryError) as error:
        raise UnsafePattern(f"not a regular expression: {error}") from None
    if not cost.shortest:
        raise UnsafePattern("it may match the empty text")
    return UserPattern(pattern, LONGEST_OPEN_LINE if cost.open else LONGEST_LINE)
