"""The work of `talktree import`, after its options are parsed.

Reports progress and what could not be imported.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from talktree.cli import output, retention
from talktree.cli.errors import print_stderr
from talktree.cli.open_library import open_library_at
from talktree.cli.progress import print_step, show_bytes_bar, wants_bar
from talktree.errors import TalktreeError
from talktree.views.library import (
    build_import_shape,
    build_step_shape,
    format_expiry_lines,
    format_expiry_notice,
    format_summary_line,
)
from talktree.views.width import format_count

if TYPE_CHECKING:
    from talktree.library.importing.expiry import ExpiringSource
    from talktree.library.importing.result import (
        FailedPath,
        ImportProgress,
        ImportResult,
        Oversized,
        SkippedFile,
    )
    from talktree.library.library import Library
    from talktree.library.retention.apply import RetentionResult


MAX_REPORTED = 20
"""Maximum number of failures reported individually."""
Told = Callable[["ImportProgress"], None]


@contextmanager
def report_progress(choice: str, *, quiet: bool) -> Iterator[Told | None]:
    """Report every source to a progress bar, as JSON lines, or not at all."""
    if choice == "json":
        yield _print_progress_json
    elif wants_bar(choice, quiet=quiet):
        yield from _show_progress_bar()
    else:
        yield None


def _print_progress_json(step: ImportProgress) -> None:
    print_step({"done": step.sources_done, "total": step.sources, **build_step_shape(step)})


def _show_progress_bar() -> Iterator[Told]:
    with show_bytes_bar("importing") as measured:

        def details(step: ImportProgress) -> None:
            """Update the bar."""
            measured(step.bytes_done, step.bytes, os.fsdecode(step.source))

        yield details


def report_incomplete(incomplete: Sequence[FailedPath], *, quiet: bool) -> None:
    """Print a line for each source of which only a part could be imported, up to a limit."""
    if quiet or not incomplete:
        return
    from talktree.library.importing.result import DAMAGED, without_path  # not for --help

    for each in incomplete[:MAX_REPORTED]:
        why = without_path(each.failure.message, each.raw_path)
        word = "damaged: " if each.failure.kind == DAMAGED else ""
        print_stderr(f"talktree: {os.fsdecode(each.path)}: imported, but {word}{why}")
    if len(incomplete) > MAX_REPORTED:
        print_stderr(
            f"talktree: {len(incomplete) - MAX_REPORTED:,} more are incomplete (use --json)"
        )


def print_failures(failed: Sequence[FailedPath], *, quiet: bool) -> None:
    """Print a line for each failure, up to a limit."""
    if quiet:
        return
    for each in failed[:MAX_REPORTED]:
        path, message = os.fsdecode(each.path), each.failure.message
        print_stderr(f"talktree: {message if path in message else f'{path}: {message}'}")
    if len(failed) > MAX_REPORTED:
        print_stderr(f"talktree: {len(failed) - MAX_REPORTED:,} more failed; --json tells all")


SOON = 14
"""Number of days before a deletion from which it is reported."""


def import_changes(
    *,
    paths: Sequence[str],
    known: bool,
    as_json: bool,
    progress: str,
    quiet: bool,
    library: str | None,
    color: str,
) -> int:
    """Import what is new, report the outcome, and return the exit code."""
    with open_library_at(library, write=True, create=True) as kept:
        with report_progress(progress, quiet=quiet or as_json) as step:
            done = kept.import_(paths, known=known, progress=step)
        failure, forgotten = _apply_retention(kept)
        expiring = kept.list_expiring(within=SOON)
        if as_json:
            _print_json(done, expiring, forgotten)
        elif not quiet:
            output.print_lines([format_summary_line(done)], color=output.use_color(color))
        if expiring and not as_json and not quiet:
            _report_expiring(kept, expiring)
        if not done.seen and not done.failed and not done.forgotten and not as_json:
            _print_nothing_imported(kept, paths, known=known)
    if done.forgotten and not as_json and not quiet:
        what = format_count(done.forgotten, "forgotten conversation")
        print_stderr(f"talktree: {what} skipped (see `talktree library forgotten`)")
    if done.scrubbed and not as_json and not quiet:
        what = format_count(len(done.scrubbed), "file")
        print_stderr(
            f"talktree: {what} with a scrubbed secret; imported without it (the file still has it)"
        )
    if not as_json and not quiet:
        retention.report_retention(forgotten)
    if not as_json and not quiet and progress != "json":
        _report_skipped(done.skipped)
        _report_oversized(done.oversized)
    distinguished = as_json or progress == "json"
    report_incomplete(done.incomplete, quiet=distinguished)
    print_failures(done.failed, quiet=distinguished)
    if failure is not None:
        raise failure
    return 3 if done.failed or done.incomplete else 0


def _apply_retention(library: Library) -> tuple[TalktreeError | None, RetentionResult | None]:
    """Apply confirmed retention rules; a failure must not hide what was imported."""
    try:
        return None, retention.apply_confirmed(library)
    except TalktreeError as error:
        return error, None


def _print_json(
    done: ImportResult, expiring: Sequence[ExpiringSource], forgotten: RetentionResult | None
) -> None:
    from talktree.views.plain_document import format_plain_document  # only for --json

    shape = build_import_shape(done, expiring)
    if forgotten is not None:
        from talktree.views.retention import build_result_shape

        shape["retention"] = build_result_shape(forgotten)
    output.print_text([format_plain_document(shape)])


def _report_expiring(library: Library, expiring: Sequence[ExpiringSource]) -> None:
    """List the sessions that will be deleted, each only once."""
    from talktree.library.importing.expiry import (
        DEFAULT_DAYS,
        find_invalid_settings,
        find_not_reported,
    )

    new = find_not_reported(library, expiring)
    if new:
        print_stderr(f"talktree: {format_expiry_notice([each for each, _ in new])}:")
        for each in format_expiry_lines(new):
            print_stderr(each)
        for path, value in find_invalid_settings([each for each, _ in new]):
            assumed = f"so {DEFAULT_DAYS} days are assumed"
            print_stderr(
                f"talktree: {path}: cleanupPeriodDays is not a number ({value}), {assumed}"
            )


def _report_skipped(skipped: Sequence[SkippedFile]) -> None:
    """List files that are not conversations or were not read, each with the reason."""
    if not skipped:
        return
    print_stderr(f"talktree: {format_count(len(skipped), 'path')} not imported:")
    for path, why in skipped[:MAX_REPORTED]:
        print_stderr(f"  {os.fsdecode(path)}: {why}")
    if len(skipped) > MAX_REPORTED:
        rest = len(skipped) - MAX_REPORTED
        print_stderr(f"  {rest:,} more (`talktree library info --json` lists all)")


def _report_oversized(oversized: Sequence[Oversized]) -> None:
    """List the sources with attachments over the limit."""
    for path, count in oversized[:MAX_REPORTED]:
        what = format_count(count, "attachment")
        print_stderr(
            f"talktree: {os.fsdecode(path)}: {what} over the size limit (imported all the same)"
        )
    if oversized:
        print_stderr(
            "hint: `talktree check PATH` lists them; max-size in your configuration is the limit"
        )


def _print_nothing_imported(library: Library, paths: Sequence[str], *, known: bool) -> None:
    if known:
        print_stderr("hint: no agent keeps sessions in its usual place here; name a folder")
    elif paths:
        print_stderr("hint: no conversation was found there; `talktree detect PATH` says why")
    elif not library.places():
        print_stderr("hint: name a folder, or let --known look where agents keep their sessions")
