"""`talktree studio`: the library in the browser."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from talktree.cli import output, params
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.errors import LockHeld, UsageError
from talktree.views.library import describe_unsaved
from talktree.views.width import format_count

if TYPE_CHECKING:
    from talktree.library.temporary import UnsavedFile
    from talktree.library.unsaved_edits import UnsavedEdits
    from talktree.web.launch import StudioStarted


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
        return _discard_edits(paths)
    from talktree.web.launch import launch

    return launch(
        paths,
        port=port,
        read_only=read_only,
        open_browser=not no_open,
        details=_print_address,
        unsaved=lambda left: _report_unsaved(paths, left),
        kept=_report_kept,
    )


def _discard_edits(paths: Sequence[str]) -> int:
    """Remove stored unsaved edits."""
    from talktree.library.sources.scan import to_place
    from talktree.library.unsaved_edits import discard_edits

    if not paths:
        raise UsageError("name the files whose edits to discard", hint="as when they were opened")
    if not discard_edits([Path(os.fsdecode(to_place(path))) for path in paths]):
        raise LockHeld("a studio has these files open", hint="end it first")
    print_stderr("talktree: unsaved edits discarded")
    return 0


def _report_unsaved(paths: Sequence[str], left: Sequence[UnsavedFile]) -> None:
    """List the files with unsaved edits, and what to do about them."""
    for each in left:
        print_stderr(f"talktree: {each.path}: {describe_unsaved(each)} kept")
    named = " ".join(map(shlex.quote, paths))
    print_stderr(f"hint: `talktree studio {named}` opens them again, --discard discards them")


def _report_kept(edits: Sequence[UnsavedEdits], own: Path | None) -> None:
    """List the unsaved edits of previous studios; `own` is the library that is opened now."""
    for kept in edits:
        state = "opened again" if kept.root == own else "kept"
        for each in kept.unsaved:
            print_stderr(f"talktree: {each.path}: {describe_unsaved(each)} {state}")
        named = kept.words
        if kept.root != own and kept.paths:
            print_stderr(
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
    """List the remembered browsers, or forget all of them."""
    from talktree.views.lines import line
    from talktree.web.security.browsers import forget_browsers, read_remembered_browsers

    if forget:
        print_stderr(f"talktree: {format_count(forget_browsers(), 'browser')} forgotten")
        return 0
    found = read_remembered_browsers()
    output.print_lines(
        [line(f"{each.added}  port {each.port}  {each.label}") for each in found], color=False
    )
    if not found:
        print_stderr("talktree: no browser is remembered")
    return 0


def _print_address(started: StudioStarted) -> None:
    from talktree.web.page import HOW, MISSING

    output.print_text([f"{started.address}\n"])
    if not started.built:
        print_stderr(f"talktree: {MISSING}")
        print_stderr(f"hint: {HOW}")
