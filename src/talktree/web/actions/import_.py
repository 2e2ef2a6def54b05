"""An import that runs as part of a job: it reports progress and can be cancelled."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from talktree.library.importing.result import ImportProgress as Step
from talktree.library.importing.result import ImportResult
from talktree.library.library import Library
from talktree.library.retention.apply import RetentionResult, run_retention
from talktree.views.width import format_count
from talktree.web.job_runner import JobProgress

PATIENCE = 60.0
"""Seconds to wait for another import."""


def import_paths(
    library: Library,
    paths: Sequence[Path],
    progress: JobProgress,
    *,
    known: bool = False,
    retention: bool = False,
) -> tuple[ImportResult, RetentionResult]:
    """Import some paths, and with `retention` apply its rules; progress is counted in bytes."""
    text = "looking for conversations"
    progress.report(0, None, text)

    def tell(step: Step) -> None:
        """Report that another source is done."""
        nonlocal text
        text = os.fsdecode(os.path.basename(step.source))

    def pulse(done: int, total: int) -> None:
        """Report that more bytes were read."""
        progress.report(min(done, total), total, text)

    taken = library.import_(paths, known=known, progress=tell, pulse=pulse, wait=PATIENCE)
    let_go = run_retention(library) if retention else RetentionResult()
    progress.report(1, 1, _format_summary(taken, let_go))
    return taken, let_go


def _format_summary(taken: ImportResult, let_go: RetentionResult) -> str:
    changed = taken.grown + taken.replaced + taken.back + taken.moved
    parts = [f"{taken.new:,} new", f"{changed:,} changed", f"{taken.unchanged:,} as before"]
    if taken.failed:
        parts.append(format_count(len(taken.failed), "failure"))
    if taken.incomplete:
        parts.append(f"{len(taken.incomplete):,} damaged or incomplete")
    if let_go.cases:
        parts.append(f"{sum(case.conversations for case in let_go.cases):,} forgotten by retention")
    return ", ".join(parts)
