"""`talktree stats`: counts over the library, or over any number of sources."""

from __future__ import annotations

from collections.abc import Sequence

import click

from talktree.cli import libraries, output, params
from talktree.cli.opening import opened
from talktree.cli.verbs import Verb
from talktree.errors import UsageError

BY = ("day", "week", "month", "project", "model", "tool", "session", "format")


@click.command("stats", cls=Verb)
@params.optional_paths
@click.option("--by", type=click.Choice(BY), help="One table, by this; only of the library.")
@libraries.within
@click.option("--project", metavar="TEXT", help="Only projects with this in their path.")
@click.option("--model", metavar="TEXT", help="Only models with this in their name.")
@click.option("--csv", "as_csv", is_flag=True, help="The table as CSV; by day unless --by is said.")
@params.source_format
@params.as_json
@libraries.at
@params.color
@params.no_pager
def command(
    paths: Sequence[str],
    by: str | None,
    since: str | None,
    until: str | None,
    project: str | None,
    model: str | None,
    as_csv: bool,  # noqa: FBT001
    source_format: str | None,
    as_json: bool,  # noqa: FBT001
    library: str | None,
    color: str,
    no_pager: bool,  # noqa: FBT001
) -> int:
    """Count conversations, messages, branches, tools, tokens, days, replies and tasks.

    Without PATH all of the library is counted, with what it cost: a reply that forks, resumes and
    copies repeat counts once. With PATH the sources themselves are; those that cannot be read are
    told on stderr and left out. A folder counts with all conversations below it.
    """
    look = output.Look(color=color, paged=not no_pager)
    if paths:
        given = {"--by": by, "--since": since, "--until": until, "--project": project}
        given |= {"--model": model, "--library": library, "--csv": "so" if as_csv else None}
        for option, value in given.items():
            if value is not None:
                raise UsageError(f"{option} counts in the library", hint="leave out the paths")
        from talktree.cli.source_stats import count_sources

        return count_sources(paths, source_format, look, as_json=as_json)
    if as_json and as_csv:
        raise UsageError("--json and --csv exclude each other", hint="name one of them")
    _of_library(
        libraries.Choice(library, since, until, project, model, source_format),
        by,
        look,
        style="json" if as_json else "csv" if as_csv else "text",
    )
    return 0


command.examples = (
    "talktree stats",
    "talktree stats --by project --since 4w",
    "talktree stats --by day --model opus --csv > days.csv",
    "talktree stats session.jsonl",
    "talktree stats --json | jq .totals",
)


def _of_library(choice: libraries.Choice, by: str | None, look: output.Look, *, style: str) -> None:
    with opened(choice.library) as kept:
        found = kept.stats(
            since=libraries.beginning("--since", choice.since),
            until=libraries.end("--until", choice.until),
            project=choice.project,
            model=choice.model,
            format=choice.format,
            seconds=by == "tool",
        )
    if style == "text":
        from talktree.views.library_stats import library_stats_lines

        look.print(library_stats_lines(found, by, width=output.width() or 80))
        return
    from talktree.text.escape import visible
    from talktree.views.library_shapes import library_stats_csv, library_stats_shape
    from talktree.views.shapes import document_text

    if style == "json":
        output.print_text([document_text(library_stats_shape(found, by))])
    else:
        output.print_text(map(visible, library_stats_csv(found, by or "day")))
