"""How an import goes on, and what it could not take in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from talktree.cli.errors import tell
from talktree.cli.progress import bytes_bar, tell_step, wants_bar
from talktree.views.kept import step_shape

if TYPE_CHECKING:
    from talktree.library.importing.result import Failed, Progress

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
