"""`talktree search`: search the library."""

from __future__ import annotations

from typing import Any

import click

from talktree.cli import open_library, params
from talktree.cli.commands.search_run import QueryVerb, search_library

SORTS = ("best", "new")


@click.command("search", cls=QueryVerb)
@click.argument("query", nargs=-1, required=True, metavar="QUERY...")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="So many hits.",
)
@click.option("--skip", type=click.IntRange(min=0), default=0, metavar="N", help="Not the first N.")
@click.option("--sort", type=click.Choice(SORTS), default="best", help="Which come first.")
@params.as_json
@open_library.at
@params.color
@params.no_pager
def command(**wish: Any) -> int:  # noqa: ANN401
    """Find messages, thinking, tool calls, outputs, file names, tasks and summaries.

    Words must all be there; "some words" in a row, OR, -not, (groups), pre*, *middle*. Fields:
    role: kind: tool: model: project: branch: format: file: session: before: after: is:error
    is:sidechain is:abandoned is:compacted is:deleted, and where messages have them tag: author:
    sentiment: topic: language: safe:. Exit code 1 if nothing is found.
    """
    return search_library(**wish)


command.examples = (
    "talktree search filament",
    "talktree search '\"KeyError: filament\" tool:bash is:error'",
    "talktree search lamp -brass project:harbour after:4w",
    "talktree search 'file:lamp.py (wiring OR volts)' --sort new",
    "talktree search 潮汐 --json | jq -r '.hits[].path'",
)
