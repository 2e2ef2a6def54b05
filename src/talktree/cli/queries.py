"""Queries as they are typed: words that begin with a minus sign."""

from __future__ import annotations

from collections.abc import Iterable

import click

from talktree.cli.verbs import Verb


class QueryVerb(Verb):
    """A command whose words may begin with one minus sign, as `-brass` in a query does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Options first, then `--`, then the words in their order."""
        options, words = self.parted(args)
        return super().parse_args(ctx, [*options, "--", *words])

    def parted(self, given: Iterable[str]) -> tuple[list[str], list[str]]:
        """The options with their values, and the words."""
        flags, valued = {"-h", "--help"}, set[str]()
        for param in self.params:
            if isinstance(param, click.Option):
                (flags if param.is_flag else valued).update(param.opts)
        options: list[str] = []
        words: list[str] = []
        args = iter(given)
        for each in args:
            if each == "--":
                words += args
            elif each in valued:
                options += [each, *([] if (value := next(args, None)) is None else [value])]
            elif each in flags or each.startswith("--"):
                options.append(each)
            else:
                words.append(each)
        return options, words
