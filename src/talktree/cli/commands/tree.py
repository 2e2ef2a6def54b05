"""`talktree tree`: the branches of a conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from talktree.cli import open_library, output, params
from talktree.cli.group import Verb
from talktree.cli.output import findings_shape, tell_findings
from talktree.cli.params import chosen, heading
from talktree.formats.engine.notices import noticed_in
from talktree.model.conversation import Conversation
from talktree.model.link_repair import mended
from talktree.views.lines import EMPTY, Line, line
from talktree.views.outline import outline_lines
from talktree.views.shapes import conversations_text


@click.command("tree", cls=Verb)
@params.one_path
@click.option("--all", "every", is_flag=True, help="A row for every message; nothing is folded.")
@params.chosen_conversation
@params.source_format
@params.as_json
@params.color
@params.no_pager
def command(
    path: str,
    every: bool,  # noqa: FBT001
    conversation: str | None,
    source_format: str | None,
    as_json: bool,  # noqa: FBT001
    color: str,
    no_pager: bool,  # noqa: FBT001
) -> None:
    """Draw the branches: forks, sidechains, compactions, and where the talk went on last."""
    document = open_library.read(path, format=source_format)
    found = [mended(each) for each in chosen(document, conversation)]
    if as_json:
        tail = {"findings": findings_shape(noticed_in(document, found))}
        messages = ((each, each.messages()) for each in found)
        output.print_text(conversations_text(messages, tail=tail))
        return
    lines = _lines(found, every=every)
    output.print_lines(lines, color=output.use_color(color), paged=not no_pager)
    tell_findings(document, found)


command.examples = (
    "talktree tree session.jsonl",
    "talktree tree session.jsonl --all --no-pager",
    "talktree tree comments.json --json",
)


def _lines(found: Sequence[Conversation], *, every: bool) -> Iterator[Line]:
    for number, each in enumerate(found):
        if number:
            yield EMPTY
        yield heading(each)
        if not len(each.tree):
            yield line(("no messages", "faint"))
        yield from outline_lines(each, all=every, width=output.width())
