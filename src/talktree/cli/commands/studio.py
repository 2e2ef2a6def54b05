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
    default=None,
    metavar="N",
    help="The port on this machine (default: that of a remembered browser, or a free one).",
)
@click.option("--no-open", is_flag=True, help="Print the address, start no browser.")
@click.option("--read-only", is_flag=True, help="Show and share, change nothing.")
@click.option("--list-browsers", is_flag=True, help="List the remembered browsers and exit.")
@click.option("--forget-browsers", is_flag=True, help="Forget all remembered browsers and exit.")
def command(
    paths: Sequence[str],
    port: int | None,
    no_open: bool,  # noqa: FBT001
    read_only: bool,  # noqa: FBT001
    list_browsers: bool,  # noqa: FBT001
    forget_browsers: bool,  # noqa: FBT001
) -> int:
    """Show conversations in the browser, to be read, branched, edited, undone and shared.

    Without PATH it serves the library, else just these files and folders. Only this machine reaches
    it, and only who has the address that is printed. It follows what grows, and ends with Ctrl-C.
    """
    if list_browsers or forget_browsers:
        return _manage_browsers(forget=forget_browsers)
    from talktree.web.launch import launch

    return launch(
        paths, port=port, read_only=read_only, open_browser=not no_open, told=_address_told
    )


command.examples = (
    "talktree studio",
    "talktree studio session.jsonl",
    "talktree studio ~/.claude/projects --read-only",
    "talktree studio --port 8080 --no-open",
    "talktree studio --forget-browsers",
)


def _manage_browsers(*, forget: bool) -> int:
    """List the remembered browsers, or forget them all."""
    from talktree.views.lines import line
    from talktree.views.measure import counted
    from talktree.web.security.browsers import forget_browsers, remembered_browsers

    if forget:
        tell(f"talktree: {counted(forget_browsers(), 'browser')} forgotten")
        return 0
    found = remembered_browsers()
    output.print_lines(
        [line(f"{each.added}  port {each.port}  {each.label}") for each in found], color=False
    )
    if not found:
        tell("talktree: no browser is remembered")
    return 0


def _address_told(started: Started) -> None:
    from talktree.web.built import HOW, MISSING

    output.print_text([f"{started.address}\n"])
    if not started.built:
        tell(f"talktree: {MISSING}")
        tell(f"hint: {HOW}")
