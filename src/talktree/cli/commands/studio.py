"""`talktree studio`: the library in the browser."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from talktree.cli import output, params
from talktree.cli.errors import tell
from talktree.cli.group import Verb
from talktree.errors import Busy, UsageError
from talktree.views.library import describe_unsaved
from talktree.views.width import counted

if TYPE_CHECKING:
    from talktree.library.temporary import Unsaved
    from talktree.library.unsaved_edits import KeptEdits
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
@click.option("--discard", is_flag=True, help="Discard unsaved edits of PATH, and start nothing.")
def command(
    paths: Sequence[str],
    port: int | None,
    no_open: bool,  # noqa: FBT001
    read_only: bool,  # noqa: FBT001
    list_browsers: bool,  # noqa: FBT001
    forget_browsers: bool,  # noqa: FBT001
    discard: bool,  # noqa: FBT001
) -> int:
    """Show conversations in the browser, to be read, branched, edited, undone and shared.

    Without PATH it serves the library, else just these files and folders. Only this machine reaches
    it, and only who has the address that is printed. It follows what grows, and ends with Ctrl-C.

    Of files and folders that are named nothing is kept afterwards but edits that were not saved;
    these are listed in the end, with the commands that open or discard them.
    """
    if list_browsers or forget_browsers:
        return _manage_browsers(forget=forget_browsers)
    if discard:
        return _discard(paths)
    from talktree.web.launch import launch

    return launch(
        paths,
        port=port,
        read_only=read_only,
        open_browser=not no_open,
        told=_address_told,
        unsaved=lambda left: _report_unsaved(paths, left),
        kept=_report_kept,
    )


def _discard(paths: Sequence[str]) -> int:
    """Remove what is kept of unsaved edits."""
    from talktree.library.sources.scan import place_of
    from talktree.library.unsaved_edits import discard

    if not paths:
        raise UsageError("name the files whose edits to discard", hint="as when they were opened")
    if not discard([Path(os.fsdecode(place_of(path))) for path in paths]):
        raise Busy("a studio has these files open", hint="end it first")
    tell("talktree: unsaved edits discarded")
    return 0


def _report_unsaved(paths: Sequence[str], left: Sequence[Unsaved]) -> None:
    """Name the files with unsaved work, and what to do about them."""
    for each in left:
        tell(f"talktree: {each.path}: {describe_unsaved(each)} kept")
    named = " ".join(map(shlex.quote, paths))
    tell(f"hint: `talktree studio {named}` opens them again, --discard discards them")


def _report_kept(edits: Sequence[KeptEdits], own: Path | None) -> None:
    """Name what studios before this one have left; `own` is the library that is opened now."""
    for kept in edits:
        state = "opened again" if kept.root == own else "kept"
        for each in kept.unsaved:
            tell(f"talktree: {each.path}: {describe_unsaved(each)} {state}")
        named = kept.words
        if kept.root != own and kept.paths:
            tell(
                f"hint: `talktree studio {named}` opens them again, "
                f"`talktree studio --discard {named}` discards them"
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
    from talktree.web.page import HOW, MISSING

    output.print_text([f"{started.address}\n"])
    if not started.built:
        tell(f"talktree: {MISSING}")
        tell(f"hint: {HOW}")
