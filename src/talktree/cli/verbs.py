"""Commands with examples first, and a group that imports a command only when it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import NamedTuple

import click

from talktree.cli.dashes import dashed_hint, is_dashed, paths_last, takes_paths
from talktree.errors import UsageError


class Verb(click.Command):
    """A command whose help begins with examples."""

    examples: Sequence[str] = ()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; a path that exists may begin with a dash."""
        if not takes_paths(self) or not any(map(is_dashed, args)):
            return super().parse_args(ctx, args)
        given = paths_last(self, args)
        try:
            return super().parse_args(ctx, given)
        except click.NoSuchOption as error:
            hint = dashed_hint(self, args)
            if hint is None:
                raise
            raise UsageError(f"no option {error.option_name}", hint=hint) from error

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What it does, how it is used in practice, then the rest."""
        _write_intro(self.help or "", self.examples, formatter)
        self.format_usage(ctx, formatter)
        self.format_options(ctx, formatter)


class Listed(NamedTuple):
    """What the list of commands says, without importing the command."""

    module: str
    short_help: str
    name: str = "command"
    """What the module calls it; a module may hold several."""


class LazyGroup(click.Group):
    """Commands by name and module."""

    listed: Mapping[str, Listed] = {}
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
        """The command asked for; a misspelt one gets a suggestion."""
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
        """Nothing: the commands are listed before the options."""


def _write_intro(help: str, examples: Sequence[str], formatter: click.HelpFormatter) -> None:
    formatter.write_text(" ".join(help.split()))
    if examples:
        with formatter.section("Examples"):
            for example in examples:
                formatter.write(f"  {example}\n")
    formatter.write_paragraph()
