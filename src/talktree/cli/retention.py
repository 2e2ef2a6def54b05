"""Retention during imports: what it forgot, or why it did not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from talktree.cli.errors import print_stderr
from talktree.cli.unfinished_erasures import report_unfinished
from talktree.errors import TalktreeError

if TYPE_CHECKING:
    from talktree.library.library import Library
    from talktree.library.retention.apply import RetentionResult


def apply_confirmed(library: Library) -> RetentionResult | None:
    """Apply the confirmed rules; None if there are no rules."""
    from talktree.settings.retention import retention_rules

    if not retention_rules().rules:
        return None
    from talktree.library.retention.apply import run_retention

    return run_retention(library)


def report_retention(result: RetentionResult | None) -> None:
    """Print what was forgotten, or why nothing was."""
    if result is None:
        return
    if result.why_not is not None:
        print_stderr(f"talktree: {result.why_not}")
        if result.hint:
            print_stderr(f"hint: {result.hint}")
    elif result.cases:
        from talktree.views.retention import format_result_line

        print_stderr(f"talktree: {format_result_line(result)}")
        report_unfinished(result.left)


class RepeatedRetention:
    """Retention while files are watched: at intervals, and not for every change."""

    def __init__(self, library: Library) -> None:
        self._library = library
        from talktree.library.retention.schedule import RetentionSchedule

        self._schedule = RetentionSchedule()
        self._reported: str | None = None

    def run(self, *, quiet: bool) -> None:
        """Apply the rules if the last time was long enough ago, and report a result once."""
        from talktree.library.retention.apply import RetentionResult

        try:
            result = self._schedule.run(self._library)
        except TalktreeError as error:
            # Watching continues: invalid rules must not stop it.
            result = RetentionResult(why_not=error.message, hint=error.hint)
        if result is None:
            return
        why = result.why_not
        if not quiet and (why is None or why != self._reported):
            report_retention(result)
        self._reported = why
