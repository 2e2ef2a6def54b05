"""`talktree watch`: follow growing files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from talktree.cli import library_arguments, output, params
from talktree.cli.commands.import_run import print_failures, report_incomplete
from talktree.cli.group import Verb
from talktree.cli.open_library import open_library_at
from talktree.cli.retention import RepeatedRetention
from talktree.views.library import build_step_shape, format_step_line
from talktree.views.shapes import format_json

if TYPE_CHECKING:
    from talktree.library.importing.result import ImportProgress

INTERRUPTED = 130


@click.command("watch", cls=Verb)
@params.optional_paths
@click.option(
    "--every",
    type=click.FloatRange(min=0.05),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="How often to look.",
)
@params.json_lines
@library_arguments.at
@params.color
def command(
    paths: Sequence[str],
    every: float,
    as_json: bool,  # noqa: FBT001
    library: str | None,
    color: str,
) -> int:
    """Take in what changes, as it changes, until Ctrl-C; a line for each source.

    Without PATH it follows every place that was imported before. What is told is found by
    `talktree search`.
    """
    colored = output.use_color(color)
    # Printed when all of it is stored: a reader of the line may then query it.
    steps: list[ImportProgress] = []
    with open_library_at(library, write=True, create=True) as kept:
        retention = RepeatedRetention(kept)
        retention.run(quiet=as_json)
        try:
            for done in kept.watch(paths, every=every, progress=steps.append):
                if as_json:
                    output.print_text(
                        [f"{format_json(build_step_shape(step))}\n" for step in steps]
                    )
                else:
                    output.print_lines(map(format_step_line, steps), color=colored)
                steps.clear()
                report_incomplete(done.incomplete, quiet=as_json)
                print_failures(done.failed, quiet=as_json)
                retention.run(quiet=as_json)
        except KeyboardInterrupt:
            pass  # the usual end of watching
    return INTERRUPTED


command.examples = (
    "talktree watch",
    "talktree watch ~/.claude/projects --every 0.2",
    "talktree watch --json | jq -r .path",
)
