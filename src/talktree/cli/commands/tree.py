"""`talktree tree`: draw the branches of a conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from talktree.cli import library_arguments, output, params
from talktree.cli.group import Verb
from talktree.cli.notices import build_findings_shape, report_findings
from talktree.cli.params import choose_conversations, format_heading
from talktree.formats.engine.notices import select_findings
from talktree.model.conversation import Conversation
from talktree.model.link_repair import with_inferred_links
from talktree.views.lines import EMPTY, Line, line
from talktree.views.outline import format_outline_lines
from talktree.views.shapes import format_conversations


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
    document = library_arguments.read_source(path, format=source_format)
    found = [with_inferred_links(each) for each in choose_conversations(document, conversation)]
    if as_json:
        tail = {"findings": build_findings_shape(select_findings(document, found))}
        messages = ((each, each.messages()) for each in found)
        output.print_text(format_conversations(messages, tail=tail))
        return
    lines = _format_lines(found, every=every)
    output.print_lines(lines, color=output.use_color(color), paged=not no_pager)
    report_findings(document, found)


command.examples = (
    "talktree tree session.jsonl",
    "talktree tree session.jsonl --all --no-pager",
    "talktree tree comments.json --json",
)


def _format_lines(found: Sequence[Conversation], *, every: bool) -> Iterator[Line]:
    for number, each in enumerate(found):
        if number:
            yield EMPTY
        yield format_heading(each)
        if not len(each.tree):
            yield line(("no messages", "faint"))
        yield from format_outline_lines(each, all=every, width=output.get_terminal_width())
