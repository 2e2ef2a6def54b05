"""Retention while files are watched: at intervals, not for every change."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from talktree.library.retention.apply import run_retention

if TYPE_CHECKING:
    from talktree.library.library import Library
    from talktree.library.retention.apply import RetentionResult

EVERY = 3600.0
"""Seconds between two runs."""


class RetentionSchedule:
    """Decides when the confirmed rules are applied next."""

    def __init__(self, every: float = EVERY) -> None:
        self._every = every
        self._last: float | None = None

    def run(self, library: Library) -> RetentionResult | None:
        """Apply the rules if the last run was long enough ago; None if it was not."""
        now = time.monotonic()
        if self._last is not None and now - self._last < self._every:
            return None
        self._last = now
        return run_retention(library)
