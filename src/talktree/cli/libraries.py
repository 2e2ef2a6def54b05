"""What the commands of the library share: opening it, days as people write them, names of files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING, Any, TypeVar

import click

from talktree.errors import UsageError

if TYPE_CHECKING:
    from talktree.library.library import Library

Function = TypeVar("Function", bound=Callable[..., Any])
DAYS = "a day (2026-01-31), a month, a year, or 7d, 4w, 6m ago"

at = click.option(
    "--library",
    "library",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="The folder of the library; else the one in the data folder.",
)


def within(function: Function) -> Function:
    """A stretch of time, by its days."""
    since = click.option("--since", metavar="DAY", help=f"From then on: {DAYS}.")
    until = click.option("--until", metavar="DAY", help="Until the end of then, in the same words.")
    return since(until(function))


@contextmanager
def opened(folder: str | None, *, write: bool = False) -> Iterator[Library]:
    """The library that is meant; only whoever writes makes one."""
    from talktree.library.library import Library

    with Library.open(None if folder is None else Path(folder), write=write) as library:
        yield library


def beginning(option: str, day: str | None) -> int | None:
    """The first moment of a day that an option names."""
    return None if day is None else _span(option, day)[0]


def end(option: str, day: str | None) -> int | None:
    """The moment after a day that an option names."""
    return None if day is None else _span(option, day)[1]


def _span(option: str, day: str) -> tuple[int, int]:
    from talktree.library.search.days import span

    try:
        return span(day, time_ns())
    except ValueError:
        raise UsageError(f"{option} {day}: no such day", hint=f"write {DAYS}") from None


def name(path: bytes) -> str:
    """The name of a file, also if its bytes are no text; what is shown passes the gate later."""
    return os.fsdecode(path)
