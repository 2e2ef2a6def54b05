"""`talktree stats`: count the library, or any number of sources.

`talktree stats PATH…` counts sources and reports those that could not be counted.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from talktree import api
from talktree.cli import library_arguments, output, params
from talktree.cli.errors import report_error
from talktree.cli.group import Verb
from talktree.cli.notices import report_damage, report_unrecognized
from talktree.cli.open_library import open_library_at
from talktree.errors import TalktreeError, UsageError
from talktree.formats.collection import Collection, find_unrecognized_files, iterate_documents
from talktree.formats.companions import without_companions
from talktree.model.statistics import Tally
from talktree.text.json.value import Json
from talktree.views.shapes import format_document
from talktree.views.statistics import build_statistics_shape, format_statistics_lines

BY = ("day", "week", "month", "project", "model", "tool", "session", "format")


@click.command("stats", cls=Verb)
@params.optional_paths
@click.option("--by", type=click.Choice(BY), help="One table, by this; only of the library.")
@library_arguments.date_range_options
@click.option("--project", metavar="TEXT", help="Only projects with this in their path.")
@click.option("--model", metavar="TEXT", help="Only models with this in their name.")
@click.option("--csv", "as_csv", is_flag=True, help="The table as CSV; by day unless --by is said.")
@params.source_format
@params.as_json
@library_arguments.at
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
    look = output.OutputStyle(color=color, paged=not no_pager)
    if paths:
        given = {"--by": by, "--since": since, "--until": until, "--project": project}
        given |= {"--model": model, "--library": library, "--csv": "so" if as_csv else None}
        for option, value in given.items():
            if value is not None:
                raise UsageError(f"{option} counts in the library", hint="leave out the paths")

        return count_sources(paths, source_format, look, as_json=as_json)
    if as_json and as_csv:
        raise UsageError("--json and --csv exclude each other", hint="name one of them")
    _count_library(
        library_arguments.LibrarySelection(library, since, until, project, model, source_format),
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


def _count_library(
    choice: library_arguments.LibrarySelection,
    by: str | None,
    look: output.OutputStyle,
    *,
    style: str,
) -> None:
    with open_library_at(choice.library) as kept:
        found = kept.stats(
            since=library_arguments.parse_since("--since", choice.since),
            until=library_arguments.parse_until("--until", choice.until),
            project=choice.project,
            model=choice.model,
            format=choice.format,
            seconds=by == "tool",
        )
    if style == "text":
        from talktree.views.library_stats import format_library_stats_lines

        look.print(format_library_stats_lines(found, by, width=output.get_terminal_width() or 80))
        return
    from talktree.text.escape import escape_text
    from talktree.views.library_shapes import build_library_stats_shape, format_library_stats_csv
    from talktree.views.shapes import format_document

    if style == "json":
        output.print_text([format_document(build_library_stats_shape(found, by))])
    else:
        output.print_text(map(escape_text, format_library_stats_csv(found, by or "day")))


class SourceStatistics:
    """Counts over any number of files and folders."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.failed: list[tuple[str, TalktreeError]] = []
        """Sources that could not be read."""
        self.unrecognised: list[str] = []
        """Files of folders that no format recognises."""

    @property
    def exit_code(self) -> int:
        """The worst exit code of the failures."""
        return max((error.exit_code for _, error in self.failed), default=0)

    def add(self, path: str, format: str | None) -> None:
        """Count all conversations at a path."""
        document = api.read(path, format=format)
        for source in iterate_documents(document):
            for conversation in source.conversations:
                self.tally.add_conversation(conversation)
            report_damage(source)
        folder = path.rstrip("/")
        self.unrecognised += [f"{folder}/{each}" for each in find_unrecognized_files(document)]
        if isinstance(document, Collection):
            self.failed += [(f"{folder}/{each.path}", each.error) for each in document.unreadable]


def count_sources(
    paths: Sequence[str], format: str | None, look: output.OutputStyle, *, as_json: bool
) -> int:
    """Count the sources at some paths, print the result, and return the exit code."""
    found = SourceStatistics()
    for path in without_companions(paths):
        try:
            found.add(path, format)
        except TalktreeError as error:
            if len(paths) == 1:
                raise
            found.failed.append((path, error))
    if as_json:
        failed: list[Json] = [{"path": path, "message": why.message} for path, why in found.failed]
        unrecognised: list[Json] = [*found.unrecognised]
        lists: dict[str, Json] = {"failed": failed, "unrecognised": unrecognised}
        output.print_text([format_document({**build_statistics_shape(found.tally), **lists})])
        return found.exit_code
    look.print(format_statistics_lines(found.tally, width=output.get_terminal_width() or 80))
    for _, why in found.failed:
        report_error(why, as_json=False)
    report_unrecognized(found.unrecognised)
    return found.exit_code
