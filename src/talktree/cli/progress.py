"""Progress of long work on stderr: a bar on a terminal, JSON lines for scripts, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from talktree.cli.errors import print_stderr

if TYPE_CHECKING:
    from talktree.text.json.value import Json

CHOICES = ("auto", "json", "none")
SOON = 0.1
"""Seconds between two updates of a bar."""

Tick = Callable[[str], None]
"""Called when one more piece of work is done, with its name."""


def wants_bar(choice: str, *, quiet: bool) -> bool:
    """Whether stderr is a terminal and a bar is wanted."""
    return choice == "auto" and not quiet and sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def show_bar(what: str, total: int) -> Iterator[Tick]:
    """Show a bar that disappears when the work is done."""
    from rich.console import Console  # only here: it is slow to import
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    from talktree.views.width import to_one_line

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns,
        Remaining(),
        TextColumn("{task.fields[now]}", markup=False),
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,
    ) as drawn:
        task = drawn.add_task(what, total=total, now="")
        waiting, last = 0, monotonic()

        def tick(now: str) -> None:
            """Update the bar at intervals: drawing takes longer than most steps."""
            nonlocal waiting, last
            waiting += 1
            if monotonic() - last >= SOON:
                drawn.update(task, advance=waiting, now=to_one_line(now, 40), refresh=True)
                waiting, last = 0, monotonic()

        yield tick


Measured = Callable[[int, int, str], None]
"""Called with the number of bytes done, the total, and the current source."""


@contextmanager
def show_bytes_bar(what: str) -> Iterator[Measured]:
    """Show a bar for work that is measured in bytes, whose total becomes known on the way."""
    from rich.console import Console  # only here: it is slow to import
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    from talktree.views.width import to_one_line

    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        Remaining(),
        TextColumn("{task.fields[now]}", markup=False),
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,
    ) as drawn:
        task = drawn.add_task(what, total=None, now="")
        last = monotonic()

        def measured(done: int, total: int, now: str) -> None:
            """Update the bar at intervals, like the other one."""
            nonlocal last
            if monotonic() - last >= SOON:
                details = to_one_line(now, 40)
                drawn.update(task, completed=done, total=total, now=details, refresh=True)
                last = monotonic()

        yield measured


def print_step(shape: dict[str, Json]) -> None:
    """Print one JSON object on a line of its own."""
    from talktree.views.shapes import format_json

    print_stderr(format_json(shape), raw=True)
