"""`talktree import`: take conversations into the library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from talktree.cli import libraries, output, params
from talktree.cli.failures import tell
from talktree.cli.importing import failures_told, progress_told
from talktree.cli.progress import CHOICES
from talktree.cli.verbs import Verb
from talktree.views.kept import expiry_notice, imported_shape, summary_line

if TYPE_CHECKING:
    from talktree.library.library import Library

SOON = 14
"""Days in which a deletion is worth telling."""


@click.command("import", cls=Verb)
@params.optional_paths
@click.option(
    "--known", is_flag=True, help="The places where agents keep their sessions on this machine."
)
@params.as_json
@click.option(
    "--progress",
    type=click.Choice(CHOICES),
    default="auto",
    help="A bar on a terminal, a JSON object a line on stderr, or none.",
)
@click.option("-q", "--quiet", is_flag=True, help="Failures only.")
@libraries.at
@params.color
def command(
    paths: Sequence[str],
    known: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
    progress: str,
    quiet: bool,  # noqa: FBT001
    library: str | None,
    color: str,
) -> int:
    """Take files and folders into the library: their bytes, an index that finds all, the counts.

    Without PATH it looks again at every place it was given before. What did not change is not read,
    of a file that grew only what is new. Sources are only read, never changed; what their tool
    deletes stays here. Exit code 3 if a source could not be read.
    """
    with libraries.opened(library, write=True) as kept:
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


command.examples = (
    "talktree import --known",
    "talktree import ~/.claude/projects exports/chat.json",
    "talktree import                  again, all places it knows",
    "talktree import --json | jq .new",
)


def _nothing_told(library: Library, paths: Sequence[str], *, known: bool) -> None:
    if known:
        tell("hint: no agent keeps sessions in its usual place here; name a folder")
    elif paths:
        tell("hint: no conversation was found there; `talktree detect PATH` says why")
    elif not library.places():
        tell("hint: name a folder, or let --known look where agents keep their sessions")
