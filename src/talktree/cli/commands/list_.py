"""`talktree list`: list the conversations of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from talktree.cli import library_arguments, output, params
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.cli.open_library import open_library_at
from talktree.text.json.value import Json
from talktree.views.library import build_entry_shape, format_entry_lines
from talktree.views.shapes import format_document

if TYPE_CHECKING:
    from talktree.library.listing import Sort

SORTS = ("new", "old", "size", "messages", "title")


@click.command("list", cls=Verb)
@click.option("--format", "format", type=params.FORMAT, help="Only this format.")
@click.option("--project", metavar="TEXT", help="Only projects whose path contains this.")
@library_arguments.date_range_options
@click.option("--model", metavar="TEXT", help="Only where a model with this in its name replied.")
@click.option("--errors", is_flag=True, help="Only where something failed.")
@click.option("--gone", is_flag=True, help="Only those whose files are gone; they are kept here.")
@click.option("--agents", is_flag=True, help="Those of sub-agents, too.")
@click.option("--sort", type=click.Choice(SORTS), default="new", help="Which come first.")
@click.option("-n", "--limit", type=click.IntRange(min=1), metavar="N", help="So many; else all.")
@params.as_json
@library_arguments.at
@params.color
@params.no_pager
def command(
    format: str | None,
    project: str | None,
    since: str | None,
    until: str | None,
    model: str | None,
    errors: bool,  # noqa: FBT001
    gone: bool,  # noqa: FBT001
    agents: bool,  # noqa: FBT001
    sort: str,
    limit: int | None,
    as_json: bool,  # noqa: FBT001
    library: str | None,
    color: str,
    no_pager: bool,  # noqa: FBT001
) -> int:
    """List the conversations of the library, the newest first.

    `talktree show ID` shows one, also if its file is gone. Sub-agents belong to the session that
    started them. Exit code 1 if there is none.
    """
    with open_library_at(library) as kept:
        found = list(
            kept.conversations(
                format=format,
                project=project,
                since=library_arguments.parse_since("--since", since),
                until=library_arguments.parse_until("--until", until),
                model=model,
                errors=errors,
                gone=gone,
                agents=agents,
                sort=cast("Sort", sort),
                limit=limit,
            )
        )
    if as_json:
        shapes: list[Json] = [build_entry_shape(each) for each in found]
        output.print_text([format_document({"conversations": shapes})])
    else:
        lines = format_entry_lines(found)
        output.print_lines(lines, color=output.use_color(color), paged=not no_pager)
        if not found:
            print_stderr("talktree: no such conversation")
    return 0 if found else 1


command.examples = (
    "talktree list --since 7d",
    "talktree list --project talktree --errors",
    "talktree list --gone --sort size -n 20",
    "talktree list --format sage --json | jq -r '.conversations[].path'",
)
