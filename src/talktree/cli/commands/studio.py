"""`talktree studio`: the library in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from talktree.cli import output, params
from talktree.cli.failures import tell
from talktree.cli.verbs import Verb

if TYPE_CHECKING:
    from talktree.web.launch import Started


@click.command("studio", cls=Verb)
@params.optional_paths
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="The port on this machine; else any that is free.",
)
@click.option("--no-open", is_flag=True, help="Print the address, start no browser.")
@click.option("--read-only", is_flag=True, help="Show and share, change nothing.")
def command(paths: Sequence[str], port: int, no_open: bool, read_only: bool) -> int:  # noqa: FBT001
    """Show conversations in the browser, to be read, branched, edited, undone and shared.

    Without PATH it serves the library, else just these files and folders. Only this machine reaches
    it, and only who has the address that is printed. It follows what grows, and ends with Ctrl-C.
    """
    from talktree.web.launch import launch

    return launch(
        paths, port=port, read_only=read_only, open_browser=not no_open, told=_address_told
    )


command.examples = (
    "talktree studio",
    "talktree studio session.jsonl",
    "talktree studio ~/.claude/projects --read-only",
    "talktree studio --port 8080 --no-open",
)


def _address_told(started: Started) -> None:
    from talktree.web.built import HOW, MISSING

    output.print_text([f"{started.address}\n"])
    if not started.built:
        tell(f"talktree: {MISSING}")
        tell(f"hint: {HOW}")
