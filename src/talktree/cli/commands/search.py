"""`talktree search`: find anything in the library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import click

from talktree.cli import libraries, output, params
from talktree.cli.failures import tell
from talktree.cli.queries import QueryVerb, bad_query_told
from talktree.errors import UsageError
from talktree.views.found import Copies, hit_lines, hit_shape, together

if TYPE_CHECKING:
    from talktree.library.search.run import Results

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
@libraries.at
@params.color
@params.no_pager
def command(
    query: Sequence[str],
    limit: int,
    skip: int,
    sort: str,
    as_json: bool,  # noqa: FBT001
    library: str | None,
    color: str,
    no_pager: bool,  # noqa: FBT001
) -> int:
    """Find messages, thinking, tool calls, outputs, file names, tasks and summaries.

    Words must all be there; "some words" in a row, OR, -not, (groups), pre*, *middle*. Fields:
    role: kind: tool: model: project: branch: format: file: session: before: after: is:error
    is:sidechain is:abandoned is:compacted. Exit code 1 if nothing is found.
    """
    with libraries.opened(library) as kept:
        try:
            most = limit if as_json else None
            results = kept.search(" ".join(query), limit=most, offset=skip, sort=sort)
        except UsageError as error:
            if as_json:
                raise
            bad_query_told(error)
            return error.exit_code
        if as_json:
            output.print_text(_document(results), at_once=True)
            return 0 if results.total else 1
        # More is read than shown: of what several files repeat, one is shown.
        shown = _Counter(islice(together(results.hits), limit))
        output.print_lines(
            hit_lines(shown),
            color=output.use_color(color),
            paged=not no_pager,
            at_once=output.is_terminal(),
        )
        _told(results.total, skip, shown.hits)
    return 0 if results.total else 1


command.examples = (
    "talktree search filament",
    "talktree search '\"KeyError: filament\" tool:bash is:error'",
    "talktree search lamp -brass project:harbour after:4w",
    "talktree search 'file:lamp.py (wiring OR volts)' --sort new",
    "talktree search 潮汐 --json | jq -r '.hits[].path'",
)


class _Counter:
    """What is shown as it comes, and how many hits that were, copies included."""

    def __init__(self, found: Iterable[Copies]) -> None:
        self._found = found
        self.hits = 0

    def __iter__(self) -> Iterator[Copies]:
        for each in self._found:
            self.hits += each.files
            yield each


def _document(results: Results) -> Iterator[str]:
    """One JSON document, written as hits come."""
    from talktree.views.shapes import SCHEMA_VERSION, json_text

    yield f'{{"schema_version":{SCHEMA_VERSION},"hits":['
    for number, hit in enumerate(results.hits):
        yield f"{',' if number else ''}\n{json_text(hit_shape(hit))}"
    yield f'\n],"total":{results.total}}}\n'


def _told(total: int, skipped: int, hits: int) -> None:
    if not total:
        tell("talktree: nothing found")
    elif not hits:
        tell(f"talktree: there are only {total:,} hits")
    elif total > skipped + hits:
        tell(f"talktree: {hits:,} of {total:,} hits; --skip {skipped + hits} shows the next")
