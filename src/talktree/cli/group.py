"""The commands as click sees them, with Talktree's errors.

Help begins with examples, and the group imports a command only when it is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import NamedTuple

import click

from talktree import __version__
from talktree.cli.dashes import find_dash_hint, is_dashed, move_paths_last, takes_paths
from talktree.cli.errors import INTERRUPTED
from talktree.errors import UsageError


class Verb(click.Command):
    """A command whose help begins with examples."""

    examples: Sequence[str] = ()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; an existing path may begin with a dash."""
        if not takes_paths(self) or not any(map(is_dashed, args)):
            return super().parse_args(ctx, args)
        given = move_paths_last(self, args)
        try:
            return super().parse_args(ctx, given)
        except click.NoSuchOption as error:
            hint = find_dash_hint(self, args)
            if hint is None:
                raise
            raise UsageError(f"no option {error.option_name}", hint=hint) from error

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the summary, the examples, then the rest."""
        _write_intro(self.help or "", self.examples, formatter)
        self.format_usage(ctx, formatter)
        self.format_options(ctx, formatter)


class CommandInfo(NamedTuple):
    """An entry in the list of commands, available without importing the command."""

    module: str
    short_help: str
    name: str = "command"
    """Its name in the module; a module may contain several."""


class LazyGroup(click.Group):
    """Commands by name and module."""

    listed: Mapping[str, CommandInfo] = {}
    examples: Sequence[str] = ()

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.listed)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.listed:
            return None
        listed = self.listed[cmd_name]
        found = getattr(import_module(listed.module), listed.name)
        assert isinstance(found, click.Command)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the requested command; a misspelled one gets a suggestion."""
        if args and args[0] not in self.listed and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], self.listed, n=1)
            hint = f", did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"no command {args[0]}{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write_intro(self.help or "", self.examples, formatter)
        self.format_usage(ctx, formatter)
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.short_help) for name, each in self.listed.items()])
        self.format_options(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write nothing: the commands are listed before the options."""


def _write_intro(help: str, examples: Sequence[str], formatter: click.HelpFormatter) -> None:
    formatter.write_text(" ".join(help.split()))
    if examples:
        with formatter.section("Examples"):
            for example in examples:
                formatter.write(f"  {example}\n")
    formatter.write_paragraph()


SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
_HERE = "talktree.cli.commands"
COMMANDS = {
    "formats": CommandInfo(f"{_HERE}.formats", "List the formats and what each can hold."),
    "detect": CommandInfo(f"{_HERE}.detect", "Say which format files are in, and why."),
    "show": CommandInfo(f"{_HERE}.show", "Print the transcript of a branch."),
    "tree": CommandInfo(f"{_HERE}.tree", "Draw the branches of a conversation."),
    "stats": CommandInfo(f"{_HERE}.stats", "Count messages, tools, tokens and days."),
    "new": CommandInfo(f"{_HERE}.new", "Start a conversation in any format."),
    "edit": CommandInfo(f"{_HERE}.edit", "Reply, replace, move, delete: as a new branch."),
    "diff": CommandInfo(f"{_HERE}.diff", "Tell what differs between two conversations."),
    "convert": CommandInfo(f"{_HERE}.convert", "Write conversations in any format."),
    "check": CommandInfo(f"{_HERE}.check", "Find what is wrong with conversations."),
    "repair": CommandInfo(f"{_HERE}.repair", "Mend what is wrong; the input stays as it is."),
    "rule": CommandInfo(f"{_HERE}.rule", "Explain a rule, or list them all."),
    "migrate": CommandInfo(
        f"{_HERE}.migrate", "Bring older files of a format up to date, and back."
    ),
    "import": CommandInfo(
        f"{_HERE}.import_", "Take conversations into the library, and keep them."
    ),
    "list": CommandInfo(f"{_HERE}.list_", "List the conversations of the library."),
    "search": CommandInfo(f"{_HERE}.search", "Find anything in the library."),
    "studio": CommandInfo(f"{_HERE}.studio", "See, edit and share conversations in the browser."),
    "watch": CommandInfo(f"{_HERE}.watch", "Follow growing files."),
    "export": CommandInfo(
        f"{_HERE}.export", "Share conversations as pages; write tables of the library."
    ),
    "library": CommandInfo(
        f"{_HERE}.library", "Look after the library: info, check, restore, places."
    ),
    "session": CommandInfo(
        f"{_HERE}.session", "Record sessions; undo, redo and restore work in them."
    ),
}


@click.group(cls=LazyGroup, context_settings=SETTINGS, no_args_is_help=False)
@click.version_option(__version__, prog_name="talktree", message="%(prog)s %(version)s")
def commands() -> None:
    """The pandoc and the git of AI conversations: reads any history and loses nothing."""


assert isinstance(commands, LazyGroup)
commands.listed = COMMANDS
commands.examples = (
    "talktree show session.jsonl",
    "talktree tree session.jsonl",
    "talktree import --known && talktree search 'KeyError tool:bash after:4w'",
    "talktree convert session.jsonl -t muse -o session.json",
    'eval "$(_TALKTREE_COMPLETE=bash_source talktree)"    completion; also zsh_, fish_source',
)


def run_with_click(arguments: Sequence[str]) -> int:
    """Run a command line with click and return the exit code."""
    try:
        code = commands.main(list(arguments), prog_name="talktree", standalone_mode=False)
    except click.ClickException as error:
        raise UsageError(_error_text(error), hint=_make_help_hint(error)) from error
    except click.Abort:
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def _make_help_hint(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f"{context.command_path if context is not None else 'talktree'} --help"


def _error_text(error: click.ClickException) -> str:
    match error:
        case click.NoSuchOption():
            near = f", did you mean {error.possibilities[0]}?" if error.possibilities else ""
            return f"no option {error.option_name}{near}"
        case click.MissingParameter() if error.param is not None:
            names = error.param.opts if error.param.param_type_name == "option" else []
            return f"{' or '.join(names) or (error.param.name or 'an argument').upper()} is missing"
        case _:
            # Messages here are not sentences: no capital at the start, no full stop at the end.
            text = error.format_message()
            return (text[:1].lower() + text[1:]).removesuffix(".")
