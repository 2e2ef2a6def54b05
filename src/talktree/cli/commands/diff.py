"""`talktree diff`: the differences between two conversations or two branches."""

from __future__ import annotations

import os
from collections import Counter

import click

from talktree import api
from talktree.cli import output, params
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.cli.notices import report_damage
from talktree.cli.params import choose_conversations
from talktree.conversion.diff import DiffSide, find_differences
from talktree.errors import UsageError
from talktree.views.changes import (
    ShownSide,
    build_change_shape,
    format_change_lines,
    format_changes,
)
from talktree.views.ids import ShortIds
from talktree.views.shapes import format_document


@click.command("diff", cls=Verb)
@click.argument("first", metavar="A", type=params.PATH)
@click.argument("second", metavar="B", type=params.PATH)
@params.chosen_conversation
@params.source_format
@params.as_json
@params.color
@params.no_pager
def command(
    first: str,
    second: str,
    conversation: str | None,
    source_format: str | None,
    as_json: bool,  # noqa: FBT001
    color: str,
    no_pager: bool,  # noqa: FBT001
) -> int:
    """Tell what differs: messages that came, went, changed or follow another one now.

    A and B are files or folders in any formats, or one branch of them: A#ID is the branch that ends
    with that message; B may be #ID alone, another branch of A. Exit code 1 if anything differs.
    """
    path, leaf = _split_leaf(first)
    other, other_leaf = _split_leaf(second)
    one = _read_side(path, leaf, conversation, source_format)
    two = _read_side(other or path, other_leaf, conversation, source_format)
    found = list(find_differences(one, two))
    if as_json:
        output.print_text(
            [format_document({"changes": [build_change_shape(each) for each in found]})]
        )
        return int(bool(found))
    first_shown, second_shown = _to_side(one), _to_side(two)
    lines = (
        text for each in found for text in format_change_lines(each, first_shown, second_shown)
    )
    output.print_lines(lines, color=output.use_color(color), paged=not no_pager)
    print_stderr(f"talktree: {format_changes(Counter(each.kind for each in found))}")
    return int(bool(found))


def _to_side(side: DiffSide) -> ShownSide:
    return ShownSide(side.message, ShortIds(side.conversation))


def _split_leaf(given: str) -> tuple[str, str | None]:
    """Split an argument into a path and the last message of a branch."""
    if "#" not in given or os.path.lexists(given):
        return given, None
    path, _, leaf = given.rpartition("#")
    if not leaf:
        raise UsageError(f"{given}: which message?", hint="write PATH#ID")
    return path, leaf


def _read_side(
    path: str, leaf: str | None, conversation: str | None, format: str | None
) -> DiffSide:
    document = api.read(path, format=format)
    report_damage(document)
    found = choose_conversations(document, conversation)
    if len(found) != 1:
        raise UsageError(
            f"{path}: {len(found)} conversations are in it",
            hint="choose one with --conversation ID",
        )
    return DiffSide(found[0], leaf)


command.examples = (
    "talktree diff before.jsonl after.jsonl",
    "talktree diff 'session.jsonl#3f2a' '#81cc'",
    "talktree diff session.jsonl converted.json --json",
)
