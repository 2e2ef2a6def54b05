"""`talktree show --carried`: the records of conversations with what they carry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from talktree.cli import output
from talktree.cli.choose import heading
from talktree.cli.errors import tell
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.views.lines import Line, line
from talktree.views.shapes import SCHEMA_VERSION, json_text

Shown = Sequence[tuple[Conversation, Sequence[int]]]
"""Conversations, and which of their records are asked for."""


def print_carried(
    document: Document, shown: Shown, *, full: bool, as_json: bool, color: str, paged: bool
) -> None:
    """Print what records carry, as it is read."""
    if as_json:
        output.print_text(_text(document, shown))
        return
    lines = _lines(document, shown, full=full)
    output.print_lines(lines, color=output.use_color(color), paged=paged)


def _lines(document: Document, shown: Shown, *, full: bool) -> Iterator[Line]:
    from talktree.cli.carried import carried, carried_lines

    nothing = True
    for conversation, positions in shown:
        yield heading(conversation)
        for each in carried(document, conversation, positions):
            nothing = False
            yield from carried_lines(each, full=full)
    if nothing:
        yield line(("nothing is carried", "faint"))
        tell("hint: what a format cannot hold is carried when a conversation is converted")


def _text(document: Document, shown: Shown) -> Iterator[str]:
    from talktree.cli.carried import carried, carried_shape

    yield f'{{"schema_version":{SCHEMA_VERSION},"conversations":['
    for number, (conversation, positions) in enumerate(shown):
        head = json_text({"id": conversation.native_id, "format": conversation.format})
        yield f'{"," if number else ""}\n{head[:-1]},"carried":['
        for place, each in enumerate(carried(document, conversation, positions)):
            yield f"{',' if place else ''}\n{json_text(carried_shape(each))}"
        yield "]}"
    yield "]}\n"
