"""What `talktree import` does, once its line is understood."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from talktree.cli import output
from talktree.cli.failures import tell
from talktree.cli.importing import failures_told, progress_told
from talktree.cli.opening import opened
from talktree.views.kept import expiry_notice, imported_shape, summary_line

if TYPE_CHECKING:
    from talktree.library.library import Library

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
    with opened(library, write=True) as kept:
        with progress_told(progress, quiet=quiet or as_json) as step:
            done = kept.import_(paths, known=known, progress=step)
        expiring = kept.expiring(within=SOON)
        if as_json:
            from talktree.views.plain_document import plain_document_text  # only for scripts

            output.print_text([plain_document_text(imported_shape(done, expiring))])
        elif not quiet:
            output.print_lines([summary_line(done)], color=output.use_color(color))
        if expiring and not as_json and not quiet:
            tell(f"talktree: {expiry_notice(expiring)}")
        if not done.seen and not done.failed and not as_json:
            _nothing_told(kept, paths, known=known)
    failures_told(done.failed, quiet=as_json or progress == "json")
    return 3 if done.failed else 0


def _nothing_told(library: Library, paths: Sequence[str], *, known: bool) -> None:
    if known:
        tell("hint: no agent keeps sessions in its usual place here; name a folder")
    elif paths:
        tell("hint: no conversation was found there; `talktree detect PATH` says why")
    elif not library.places():
        tell("hint: name a folder, or let --known look where agents keep their sessions")
