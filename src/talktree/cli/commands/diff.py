"""`talktree diff`: what differs between two conversations or two branches."""

from __future__ import annotations

import os
from collections import Counter

import click

from talktree import api
from talktree.cli import output, params
from talktree.cli.errors import tell
from talktree.cli.group import Verb
from talktree.cli.output import tell_damage
from talktree.cli.params import chosen
from talktree.conversion.diff import Side, differences
from talktree.errors import UsageError
from talktree.views.changes import Shown, change_lines, change_shape, changes_told
from talktree.views.ids import ShortIds
from talktree.views.shapes import document_text


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
    path, leaf = _split(first)
    other, other_leaf = _split(second)
    one = _side(path, leaf, conversation, source_format)
    two = _side(other or path, other_leaf, conversation, source_format)
    found = list(differences(one, two))
    if as_json:
        output.print_text([document_text({"changes": [change_shape(each) for each in found]})])
        return int(bool(found))
    first_shown, second_shown = _shown(one), _shown(two)
    lines = (text for each in found for text in change_lines(each, first_shown, second_shown))
    output.print_lines(lines, color=output.use_color(color), paged=not no_pager)
    tell(f"talktree: {changes_told(Counter(each.kind for each in found))}")
    return int(bool(found))


def _shown(side: Side) -> Shown:
    return Shown(side.message, ShortIds(side.conversation))


def _split(given: str) -> tuple[str, str | None]:
    """A path and the message its branch ends with."""
    if "#" not in given or os.path.lexists(given):
        return given, None
    path, _, leaf = given.rpartition("#")
    if not leaf:
        raise UsageError(f"{given}: which message?", hint="write PATH#ID")
    return path, leaf


def _side(path: str, leaf: str | None, conversation: str | None, format: str | None) -> Side:
    document = api.read(path, format=format)
    tell_damage(document)
    found = chosen(document, conversation)
    if len(found) != 1:
        raise UsageError(
            f"{path}: {len(found)} conversations are in it",
            hint="choose one with --conversation ID",
        )
    return Side(found[0], leaf)


command.examples = (
    "talktree diff before.jsonl after.jsonl",
    "talktree diff 'session.jsonl#3f2a' '#81cc'",
    "talktree diff session.jsonl converted.json --json",
)
