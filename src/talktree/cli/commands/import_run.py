"""What `talktree import` does, once its line is understood.

How an import goes on, and what it could not take in.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from talktree.cli import output, retention
from talktree.cli.errors import tell
from talktree.cli.open_library import opened
from talktree.cli.progress import bytes_bar, tell_step, wants_bar
from talktree.errors import TalktreeError
from talktree.views.library import (
    expiry_lines,
    expiry_notice,
    imported_shape,
    step_shape,
    summary_line,
)
from talktree.views.width import counted

if TYPE_CHECKING:
    from talktree.library.importing.expiry import Expiring
    from talktree.library.importing.result import Failed, Imported, Oversized, Progress, Skipped
    from talktree.library.library import Library
    from talktree.library.retention.apply import RetentionResult


MOST_TOLD = 20
"""How many failures are told one by one."""
Told = Callable[["Progress"], None]


@contextmanager
def progress_told(choice: str, *, quiet: bool) -> Iterator[Told | None]:
    """Whatever wants to know of every source: a bar, a script, or nobody."""
    if choice == "json":
        yield _as_json
    elif wants_bar(choice, quiet=quiet):
        yield from _as_bar()
    else:
        yield None


def _as_json(step: Progress) -> None:
    tell_step({"done": step.sources_done, "total": step.sources, **step_shape(step)})


def _as_bar() -> Iterator[Told]:
    with bytes_bar("importing") as measured:

        def told(step: Progress) -> None:
            """Moves the bar."""
            measured(step.bytes_done, step.bytes, os.fsdecode(step.source))

        yield told


def report_incomplete(incomplete: Sequence[Failed], *, quiet: bool) -> None:
    """Print a line for each source of which only a part could be imported, up to a limit."""
    if quiet or not incomplete:
        return
    from talktree.library.importing.result import DAMAGED, without_path  # not for --help

    for each in incomplete[:MOST_TOLD]:
        why = without_path(each.failure.message, each.raw_path)
        word = "damaged: " if each.failure.kind == DAMAGED else ""
        tell(f"talktree: {os.fsdecode(each.path)}: imported, but {word}{why}")
    if len(incomplete) > MOST_TOLD:
        tell(f"talktree: {len(incomplete) - MOST_TOLD:,} more are incomplete (use --json)")


def failures_told(failed: Sequence[Failed], *, quiet: bool) -> None:
    """A line for each, up to a limit."""
    if quiet:
        return
    for each in failed[:MOST_TOLD]:
        path, message = os.fsdecode(each.path), each.failure.message
        tell(f"talktree: {message if path in message else f'{path}: {message}'}")
    if len(failed) > MOST_TOLD:
        tell(f"talktree: {len(failed) - MOST_TOLD:,} more failed; --json tells all")


SOON = 14
"""Days in which a deletion is worth telling."""


def taken_in(
    *,
    paths: Sequence[str],
    known: bool,
    as_json: bool,
    progress: str,
    quiet: bool,
    library: str | None,
    color: str,
) -> int:
    """Take in what is new and tell what came of it; the exit code."""
    with opened(library, write=True, create=True) as kept:
        with progress_told(progress, quiet=quiet or as_json) as step:
            done = kept.import_(paths, known=known, progress=step)
        failure, forgotten = _apply_retention(kept)
        expiring = kept.expiring(within=SOON)
        if as_json:
            _print_json(done, expiring, forgotten)
        elif not quiet:
            output.print_lines([summary_line(done)], color=output.use_color(color))
        if expiring and not as_json and not quiet:
            _tell_expiring(kept, expiring)
        if not done.seen and not done.failed and not done.forgotten and not as_json:
            _nothing_told(kept, paths, known=known)
    if done.forgotten and not as_json and not quiet:
        what = counted(done.forgotten, "forgotten conversation")
        tell(f"talktree: {what} skipped (see `talktree library forgotten`)")
    if done.scrubbed and not as_json and not quiet:
        what = counted(len(done.scrubbed), "file")
        tell(
            f"talktree: {what} with a scrubbed secret; imported without it (the file still has it)"
        )
    if not as_json and not quiet:
        retention.report(forgotten)
    if not as_json and not quiet and progress != "json":
        _tell_skipped(done.skipped)
        _tell_oversized(done.oversized)
    told_apart = as_json or progress == "json"
    report_incomplete(done.incomplete, quiet=told_apart)
    failures_told(done.failed, quiet=told_apart)
    if failure is not None:
        raise failure
    return 3 if done.failed or done.incomplete else 0


def _apply_retention(library: Library) -> tuple[TalktreeError | None, RetentionResult | None]:
    """Forget what confirmed rules let go; a failure must not hide what was imported."""
    try:
        return None, retention.apply_confirmed(library)
    except TalktreeError as error:
        return error, None


def _print_json(
    done: Imported, expiring: Sequence[Expiring], forgotten: RetentionResult | None
) -> None:
    from talktree.views.plain_document import plain_document_text  # only for scripts

    shape = imported_shape(done, expiring)
    if forgotten is not None:
        from talktree.views.retention import result_shape

        shape["retention"] = result_shape(forgotten)
    output.print_text([plain_document_text(shape)])


def _tell_expiring(library: Library, expiring: Sequence[Expiring]) -> None:
    """Name the sessions that will be deleted; each is named once."""
    from talktree.library.importing.expiry import DEFAULT_DAYS, invalid_settings, not_reported

    new = not_reported(library, expiring)
    if new:
        tell(f"talktree: {expiry_notice([each for each, _ in new])}:")
        for each in expiry_lines(new):
            tell(each)
        for path, value in invalid_settings([each for each, _ in new]):
            assumed = f"so {DEFAULT_DAYS} days are assumed"
            tell(f"talktree: {path}: cleanupPeriodDays is not a number ({value}), {assumed}")


def _tell_skipped(skipped: Sequence[Skipped]) -> None:
    """List what is not a conversation or was not read, each with the reason."""
    if not skipped:
        return
    tell(f"talktree: {counted(len(skipped), 'path')} not imported:")
    for path, why in skipped[:MOST_TOLD]:
        tell(f"  {os.fsdecode(path)}: {why}")
    if len(skipped) > MOST_TOLD:
        rest = len(skipped) - MOST_TOLD
        tell(f"  {rest:,} more (`talktree library info --json` lists all)")


def _tell_oversized(oversized: Sequence[Oversized]) -> None:
    """Name the sources with attachments over the limit."""
    for path, count in oversized[:MOST_TOLD]:
        what = counted(count, "attachment")
        tell(f"talktree: {os.fsdecode(path)}: {what} over the size limit (imported all the same)")
    if oversized:
        tell("hint: `talktree check PATH` lists them; max-size in your configuration is the limit")


def _nothing_told(library: Library, paths: Sequence[str], *, known: bool) -> None:
    if known:
        tell("hint: no agent keeps sessions in its usual place here; name a folder")
    elif paths:
        tell("hint: no conversation was found there; `talktree detect PATH` says why")
    elif not library.places():
        tell("hint: name a folder, or let --known look where agents keep their sessions")
