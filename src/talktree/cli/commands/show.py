"""`talktree show`: print the transcript of a branch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from talktree.cli import library_arguments, output, params
from talktree.cli.commands.show_embedded import print_embedded
from talktree.cli.errors import print_stderr, report_error
from talktree.cli.group import Verb
from talktree.cli.notices import build_findings_shape, report_findings, report_unrecognized
from talktree.cli.params import choose_conversations, format_conversation_list, format_heading
from talktree.errors import NotFound
from talktree.formats.collection import Collection, find_unrecognized_files
from talktree.formats.engine.notices import select_findings
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.link_repair import with_inferred_links
from talktree.model.message import Message
from talktree.model.tree import Branch
from talktree.views.lines import EMPTY, Line, line
from talktree.views.shapes import format_conversations
from talktree.views.transcript import (
    Transcript,
    TranscriptOptions,
    find_own_positions,
    find_path_through,
    format_divider,
)
from talktree.views.width import format_count

AMBIGUOUS = 2
"""Exit code if several conversations match."""


@click.command("show", cls=Verb)
@params.one_path
@click.option("--branch", metavar="ID", help="The branch through this message, not the active one.")
@click.option("--all", "every", is_flag=True, help="All branches, one after the other.")
@click.option("--no-tools", is_flag=True, help="Leave out tool calls and their results.")
@click.option("--thinking", is_flag=True, help="Show the model's thinking in full.")
@click.option("--full", is_flag=True, help="Cut nothing: whole outputs of tools.")
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the last N messages.")
@click.option(
    "--carried", is_flag=True, help="What the records carry for another format, not what they say."
)
@params.chosen_conversation
@params.source_format
@params.as_json
@library_arguments.at
@params.color
@params.no_pager
def command(
    path: str,
    branch: str | None,
    every: bool,  # noqa: FBT001
    no_tools: bool,  # noqa: FBT001
    thinking: bool,  # noqa: FBT001
    full: bool,  # noqa: FBT001
    last: int | None,
    carried: bool,  # noqa: FBT001
    conversation: str | None,
    source_format: str | None,
    as_json: bool,  # noqa: FBT001
    library: str | None,
    color: str,
    no_pager: bool,  # noqa: FBT001
) -> int:
    """Print the transcript of a branch: by default the active one, where the talk went on last.

    Where there are several conversations, in a folder or in one file, they are listed and the exit
    code is 2; choose one with --conversation.
    """
    if every and branch:
        raise click.UsageError("--branch and --all exclude each other")
    document = library_arguments.read_source(path, format=source_format, library=library)
    found = [with_inferred_links(each) for each in choose_conversations(document, conversation)]
    if conversation is not None and isinstance(document, Collection):
        document = document.with_only(found[0])
    if branch:
        found = [_find_conversation(found, branch, document)]
    if carried:
        shown = [(each, _find_embedding_positions(each, branch, last)) for each in found]
        print_embedded(document, shown, full=full, as_json=as_json, color=color, paged=not no_pager)
        return 0
    if as_json:
        _print_json(document, found, branch, last, every=every)
        return 0
    if len(found) > 1 and not every:
        output.print_lines(format_conversation_list(document), color=output.use_color(color))
        print_stderr(f"talktree: {path}: {len(found)} conversations")
        print_stderr("hint: choose one with --conversation ID, or all with --all")
        _report_foreign_files(document)
        return AMBIGUOUS
    look = TranscriptOptions(
        tools=not no_tools, thinking=thinking, full=full, width=output.get_terminal_width()
    )
    lines = (each for one in found for each in _format_lines(one, look, branch, last, every=every))
    output.print_lines(lines, color=output.use_color(color), paged=not no_pager)
    if not every and not branch:
        _report_other_starts(found)
    report_findings(document, found)
    if conversation is None:
        _report_foreign_files(document)
    return 0


command.examples = (
    "talktree show session.jsonl",
    "talktree show session.jsonl --branch 1b8f20 --thinking",
    "talktree show export.json --all --no-tools",
    "talktree show converted.json --carried",
    "cat session.jsonl | talktree show - --json",
)


def _report_foreign_files(document: Document) -> None:
    """Report the files of a folder that are not shown."""
    report_unrecognized(find_unrecognized_files(document))
    if isinstance(document, Collection):
        for _, error in document.unreadable:
            report_error(error, as_json=False)


def _report_other_starts(found: list[Conversation]) -> None:
    """Report other threads: a transcript follows one line from one start."""
    others = sum(branch.kind == "root" for one in found for branch in one.branches())
    if others:
        print_stderr(f"talktree: {format_count(others, 'other thread')} hidden (use --all)")
    undone = sum(len(one.tree.list_undone()) for one in found)
    if undone:
        print_stderr(f"talktree: {format_count(undone, 'undone message')} hidden (use --all)")


def _find_conversation(found: list[Conversation], id: str, document: Document) -> Conversation:
    """Return the conversation that contains a message."""
    if len(found) == 1:
        found[0].find_position(id)
        return found[0]
    for each in found:
        try:
            each.find_position(id)
        except NotFound:
            continue
        return each
    raise NotFound(f"no message {id} in {document.shown}", hint="`talktree tree` lists them")


def _find_branch_positions(
    conversation: Conversation, branch: str | None, last: int | None
) -> list[int]:
    if branch is not None:
        path = find_path_through(conversation, branch)
    else:
        end = conversation.tree.active_leaf()
        path = [] if end is None else conversation.tree.path(end)
    return path if last is None else path[-last:]


def _find_embedding_positions(
    conversation: Conversation, branch: str | None, last: int | None
) -> Sequence[int]:
    """Return all records unless a branch is named; records that are not messages may embed data,
    too."""
    every = (
        range(conversation.record_count)
        if branch is None
        else find_path_through(conversation, branch)
    )
    return every if last is None else every[-last:]


def _format_lines(
    conversation: Conversation,
    look: TranscriptOptions,
    branch: str | None,
    last: int | None,
    *,
    every: bool,
) -> Iterator[Line]:
    transcript = Transcript(conversation, look)
    yield format_heading(conversation)
    if not every:
        positions = _find_branch_positions(conversation, branch, last)
        yield from transcript.format_branch(positions)
        if not positions:
            yield line(("no messages", "faint"))
        return
    for number, each in enumerate(conversation.branches()):
        if number:
            yield EMPTY
            yield format_divider(_branch_label(each))
        positions = find_own_positions(conversation, each)
        yield from transcript.format_branch(positions if last is None else positions[-last:])


def _branch_label(branch: Branch) -> str:
    after = f", after {branch.fork[:40]}" if branch.fork else ""
    kind = {"fork": "branch", "root": "another start"}.get(branch.kind, branch.kind)
    return f"{kind} {branch.leaf[:40]}{after}"


def _print_json(
    document: Document,
    found: list[Conversation],
    branch: str | None,
    last: int | None,
    *,
    every: bool,
) -> None:
    shown = (
        (
            each,
            each.messages()
            if every
            else _read_messages(each, _find_branch_positions(each, branch, last)),
        )
        for each in found
    )
    tail = {"findings": build_findings_shape(select_findings(document, found))}
    output.print_text(format_conversations(shown, tail=tail))


def _read_messages(conversation: Conversation, positions: list[int]) -> Iterator[Message]:
    entries = conversation.entries_at(positions)
    return (entry for entry in entries if isinstance(entry, Message))
