"""`talktree stats`: counts over any number of sources."""

from __future__ import annotations

from collections.abc import Sequence

import click

from talktree import api
from talktree.cli import output, params
from talktree.cli.failures import report
from talktree.cli.verbs import Verb
from talktree.errors import TalktreeError
from talktree.model.tally import Tally
from talktree.text.json_value import Json
from talktree.views.shapes import document_text
from talktree.views.statistics import statistics_lines, statistics_shape


@click.command("stats", cls=Verb)
@params.many_paths
@params.source_format
@params.as_json
@params.color
@params.no_pager
def command(
    paths: Sequence[str],
    source_format: str | None,
    as_json: bool,  # noqa: FBT001
    color: str,
    no_pager: bool,  # noqa: FBT001
) -> int:
    """Count conversations, messages, branches, tools, tokens, days, replies and tasks.

    Tokens of a reply that is recorded in several pieces count once. Sources that cannot be read
    are told on stderr and left out.
    """
    tally = Tally()
    code = 0
    failed: list[Json] = []
    for path in paths:
        try:
            for conversation in api.read(path, format=source_format).conversations:
                tally.add(conversation)
        except TalktreeError as error:
            if len(paths) == 1:
                raise
            code = max(code, error.exit_code)
            failed.append({"path": path, "message": error.message})
            if not as_json:
                report(error, as_json=False)
    if as_json:
        output.print_text([document_text({**statistics_shape(tally), "failed": failed})])
        return code
    lines = statistics_lines(tally, width=output.width() or 80)
    output.print_lines(lines, color=output.use_color(color), paged=not no_pager)
    return code


command.examples = (
    "talktree stats session.jsonl",
    "talktree stats ~/.claude/projects/*/*.jsonl",
    "talktree stats session.jsonl --json | jq .totals",
)
