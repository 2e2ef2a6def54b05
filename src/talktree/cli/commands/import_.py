"""`talktree import`: import conversations into the library."""

from __future__ import annotations

from typing import Any

import click

from talktree.cli import library_arguments, params
from talktree.cli.commands.import_run import import_changes
from talktree.cli.group import Verb
from talktree.cli.progress import CHOICES


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
@library_arguments.at
@params.color
def command(**wish: Any) -> int:  # noqa: ANN401
    """Take files and folders into the library: their bytes, an index that finds all, the counts.

    Without PATH it looks again at every place it was given before. Below a folder that is named,
    everything is imported or listed with the reason. What did not change is not read, of a file
    that grew only what is new. Sources are only read, never changed; what their tool deletes stays
    here. Exit code 3 if a source could not be read, or only in part.
    """
    return import_changes(**wish)


command.examples = (
    "talktree import --known",
    "talktree import ~/.claude/projects exports/chat.json",
    "talktree import                  again, all places it knows",
    "talktree import --json | jq .new",
)
