"""`talktree search`: search the library."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from talktree.cli import library_arguments, params
from talktree.cli.commands.search_run import search_library
from talktree.cli.group import Verb

SORTS = ("best", "new")


class QueryVerb(Verb):
    """A command whose words may begin with a minus sign, like `-brass` in a query."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse options first, then `--`, then the words in their order."""
        options, words = self.split_arguments(args)
        return super().parse_args(ctx, [*options, "--", *words])

    def split_arguments(self, given: Iterable[str]) -> tuple[list[str], list[str]]:
        """Return the options with their values, and the words."""
        flags, valued = {"-h", "--help"}, set[str]()
        for param in self.params:
            if isinstance(param, click.Option):
                (flags if param.is_flag else valued).update(param.opts)
        options: list[str] = []
        words: list[str] = []
        args = iter(given)
        for each in args:
            if each == "--":
                words += args
            elif each in valued:
                options += [each, *([] if (value := next(args, None)) is None else [value])]
            elif each in flags or each.startswith("--"):
                options.append(each)
            else:
                words.append(each)
        return options, words


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
@library_arguments.at
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
