"""Arguments and options that several commands share, and selecting conversations of a source."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from talktree.errors import NotFound, UsageError
from talktree.files.outputs import STREAM
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.views.lines import Line, line
from talktree.views.width import clip_text, format_count, to_one_line

Function = TypeVar("Function", bound=Callable[..., Any])


if TYPE_CHECKING:
    _TextType = click.ParamType[str]
else:
    # Older versions of click have no such parameter.
    _TextType = click.ParamType


class FormatName(_TextType):
    """The slug or alias of a format; completed by the shell, checked by the registry."""

    name = "format"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from talktree.formats import resolve_alias

        return resolve_alias(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from talktree.formats import all_formats

        infos = [each.info for each in all_formats()]
        names = [name for info in infos for name in (info.slug, *info.aliases)]
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


class KindName(_TextType):
    """A kind of loss, as in the loss report."""

    name = "kind"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from talktree.conversion.losses import KINDS

        if value not in KINDS:
            from difflib import get_close_matches

            from talktree.errors import NotFound

            near = get_close_matches(value, KINDS, n=1)
            guess = f", did you mean {near[0]}?" if near else ""
            raise NotFound(f"no kind of loss {value}{guess}", hint=f"one of {', '.join(KINDS)}")
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from talktree.conversion.losses import KINDS

        return [
            CompletionItem(kind, help=meaning)
            for kind, meaning in KINDS.items()
            if kind.startswith(incomplete)
        ]


class FolderName(click.Path):
    """A folder; `-` is not one, since commands use that name for stdin and stdout."""

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | bytes | os.PathLike[str]:
        if value == STREAM:
            raise UsageError("- is stdin or stdout, not a folder", hint="write ./- for that name")
        if os.path.lexists(value) and not os.path.isdir(value):
            raise UsageError(f"{os.fsdecode(value)}: not a folder", hint="name a folder")
        return super().convert(value, param, ctx)


FORMAT = FormatName()
KIND = KindName()
PATH = click.Path(allow_dash=True, readable=False)
FOLDER = FolderName(file_okay=False)

force = click.option(
    "--force", is_flag=True, help="Replace the output if it exists; never the input."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
json_lines = click.option(
    "--json", "as_json", is_flag=True, help="Print a JSON object on a line for each."
)
color = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="When to use colour; NO_COLOR counts too.",
)
no_pager = click.option("--no-pager", is_flag=True, help="Never start a pager.")
source_format = click.option(
    "-f", "--from", "source_format", type=FORMAT, help="The format to read; else recognised."
)
chosen_conversation = click.option(
    "--conversation", metavar="ID", help="Which one, if the source holds several."
)


configured = click.option(
    "--config",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="A talktree.toml or pyproject.toml; else the nearest one.",
)
jobs = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="So many processes for several sources; else one for each processor.",
)


def rule_selection(function: Function) -> Function:
    """Add the options that select rules by the beginning of their codes."""
    chosen = click.option(
        "--select", multiple=True, metavar="CODE", help="Only these rules, by code, prefix or name."
    )
    left_out = click.option("--ignore", multiple=True, metavar="CODE", help="Not these rules.")
    return chosen(left_out(function))


def one_path(function: Function) -> Function:
    """Add an argument: a file or folder, or `-` for standard input."""
    return click.argument("path", type=PATH)(function)


def many_paths(function: Function) -> Function:
    """Add an argument: files or folders, or `-` for standard input."""
    return click.argument("paths", type=PATH, nargs=-1, required=True, metavar="PATH...")(function)


def optional_paths(function: Function) -> Function:
    """Add an argument: files or folders, or none for those that are known already."""
    return click.argument("paths", type=PATH, nargs=-1, metavar="[PATH]...")(function)


def choose_conversations(document: Document, id: str | None) -> list[Conversation]:
    """Return the conversation with an id or a unique prefix of it; all if none is named."""
    if not document.conversations:
        raise NotFound(f"{document.shown}: no conversation in it")
    if id is None:
        return [*document.conversations]
    names = {each: (each.native_id, each.id) for each in document.conversations}
    near = [each for each, known in names.items() if id in known] or [
        each for each, known in names.items() if any(name.startswith(id) for name in known)
    ]
    if len(near) == 1:
        return near
    what = f"{len(near)} conversations start with {id}" if near else f"no conversation {id}"
    some = ", ".join(each.native_id[:40] for each in document.conversations[:8])
    raise NotFound(f"{document.shown}: {what}", hint=f"there are {some}")


def format_conversation_list(document: Document) -> Iterator[Line]:
    """Yield one line for each conversation in a source."""
    for each in document.conversations:
        title = to_one_line(each.title, 60) if each.title else ""
        yield line(
            (clip_text(each.native_id, 60), "mark"),
            f"  {_format_extent(each)}",
            (f"  {title}" if title else "", "title"),
        )


def format_heading(conversation: Conversation) -> Line:
    """Return the heading of a conversation."""
    title = to_one_line(conversation.title, 80) if conversation.title else ""
    return line(
        (title or clip_text(conversation.native_id, 80), "title"),
        (f"  {conversation.format}, {_format_extent(conversation)}", "faint"),
    )


def _format_extent(conversation: Conversation) -> str:
    counts = conversation.counts
    parts = [
        format_count(counts.messages, "message"),
        format_count(counts.branches, "branch", "branches"),
        *([format_count(counts.sidechains, "sidechain")] if counts.sidechains else []),
    ]
    return ", ".join(parts)
