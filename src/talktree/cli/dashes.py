"""Paths that begin with a dash, like the project folders of some tools."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

import click

HELP = ("-h", "--help")


def takes_paths(command: click.Command) -> bool:
    """Whether the arguments of a command are files or folders."""
    return any(
        isinstance(param, click.Argument) and isinstance(param.type, click.Path)
        for param in command.params
    )


def move_paths_last(command: click.Command, given: Sequence[str]) -> list[str]:
    """Return the same arguments, with options first if a path among them looks like an option.

    Only existing paths count; the name of an option always means the option.
    """
    known = _Options(command)
    options: list[str] = []
    words: list[str] = []
    found = False
    rest = iter(given)
    for each in rest:
        if each == "--":
            words += rest
        elif not is_dashed(each):
            words.append(each)
        elif known.is_exact(each) or not os.path.lexists(each):
            options += [each, *known.take_values(each, rest)]
        else:
            words.append(each)
            found = True
    return [*options, "--", *words] if found else [*given]


def is_dashed(text: str) -> bool:
    """Whether an argument may be an option; `-` alone is stdin or stdout."""
    return text.startswith("-") and len(text) > 1


def find_dash_hint(command: click.Command, given: Iterable[str]) -> str | None:
    """Return a hint for an unknown option that was meant as a path."""
    known = _Options(command)
    for each in given:
        if each == "--":
            return None
        if is_dashed(each) and not known.is_exact(each) and not each.startswith("--"):
            return f"write ./{each} if that is a path"
    return None


class _Options:
    """The options of a command, and which of them take a value."""

    def __init__(self, command: click.Command) -> None:
        self._flags = set(HELP)
        self._valued: set[str] = set()
        for param in command.params:
            if isinstance(param, click.Option):
                names = (*param.opts, *param.secondary_opts)
                (self._flags if param.is_flag or param.count else self._valued).update(names)

    def is_exact(self, text: str) -> bool:
        """Whether an argument is the name of an option, maybe with `=value`."""
        name = text.partition("=")[0] if text.startswith("--") else text
        return name in self._flags or name in self._valued

    def take_values(self, text: str, rest: Iterator[str]) -> list[str]:
        """Return the value that follows an option, removed from the rest."""
        value = next(rest, None) if self._takes_value(text) else None
        return [] if value is None else [value]

    def _takes_value(self, text: str) -> bool:
        """Whether the next argument is the value of this one."""
        if text.startswith("--"):
            return text in self._valued
        for at, letter in enumerate(text[1:], 2):
            if f"-{letter}" in self._valued:
                return at == len(text)
        return False
