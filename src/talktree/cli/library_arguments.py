"""What the commands of the library share: options, days, and the sources that arguments name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from talktree.cli import params
from talktree.cli.errors import print_stderr
from talktree.errors import NotFound, UsageError
from talktree.home import data_home

if TYPE_CHECKING:
    from talktree.errors import Failure
    from talktree.export.batch import ArchivedSource
    from talktree.library.library import Library
    from talktree.library.listing import LibraryEntry
    from talktree.model.document import Document


Function = TypeVar("Function", bound=Callable[..., Any])
DAYS = "a day (2026-01-31), a month, a year, or 7d, 4w, 6m ago"

at = click.option(
    "--library",
    "library",
    metavar="DIR",
    type=params.FOLDER,
    help="The folder of the library; else the one in the data folder.",
)


class LibrarySelection(NamedTuple):
    """Which conversations of which library to use."""

    library: str | None
    since: str | None
    until: str | None
    project: str | None
    model: str | None
    format: str | None


def date_range_options(function: Function) -> Function:
    """Add the options of a date range."""
    since = click.option("--since", metavar="DAY", help=f"From then on: {DAYS}.")
    until = click.option("--until", metavar="DAY", help="Until the end of then, in the same words.")
    return since(until(function))


def parse_since(option: str, day: str | None) -> int | None:
    """Return the start of a day."""
    return None if day is None else _parse_day(option, day)


def parse_until(option: str, day: str | None) -> int | None:
    """Return the end of a day, month or year."""
    if day is None:
        return None
    _parse_day(option, day)
    return _parse_day(option, _find_next_day(day))


def _parse_day(option: str, day: str) -> int:
    from talktree.library.search.parse import parse_moment
    from talktree.text.times import SECOND

    found = parse_moment(day, datetime.now().astimezone())
    if found is None:
        raise UsageError(f"{option} {day}: no such day", hint=f"write {DAYS}")
    return found * SECOND


def _find_next_day(day: str) -> str:
    """Return the day after a day, the month after a month, the year after a year; else the text."""
    parts = day.split("-")
    if not all(part.isdecimal() for part in parts):
        return day
    numbers = [*map(int, parts)]
    match numbers:
        case [year]:
            return f"{year + 1:04}"
        case [year, month]:
            return f"{year + month // 12:04}-{month % 12 + 1:02}"
        case [year, month, number]:
            return (date(year, month, number) + timedelta(days=1)).isoformat()
        case _:
            return day


def display_path(path: bytes) -> str:
    """Return the name of a file, also if its bytes are not text; the output is escaped later."""
    return os.fsdecode(path)


def read_source(path: str, *, format: str | None, library: str | None = None) -> Document:
    """Return the conversations in a file or folder, or those the library has for a path or an id.

    The library is used only if nothing exists at the path.
    """
    from talktree import api

    try:
        return api.read(path, format=format)
    except NotFound:
        found = None if path == "-" else _find_entry(path, library)
        if found is None:
            raise
        opened, kept = found
        if format is None:
            return opened.read(kept)
        return api.read(opened.content(kept), format=format)


def find_archived(paths: Iterable[str]) -> dict[str, ArchivedSource | Failure]:
    """Return the library's sources for paths and ids that do not exist on disk."""
    from talktree.errors import failure_of
    from talktree.export.batch import ArchivedSource

    found: dict[str, ArchivedSource | Failure] = {}
    for path in paths:
        if path == "-" or os.path.lexists(path):
            continue
        try:
            kept = _find_entry(path, None)
        except NotFound as error:
            found[path] = failure_of(error)
            continue
        if kept is not None:
            library, entry = kept
            found[path] = ArchivedSource(library=str(library.root), entry=entry)
    return found


def resolve_inputs(paths: Iterable[str], library: str | None = None) -> list[str]:
    """Return the inputs for some arguments: files and folders, or the library for an id in it."""
    root = library or str(data_home() / "library")
    return [path if path == "-" or os.path.lexists(path) else root for path in paths]


def is_in_library(text: str) -> bool:
    """Whether a conversation of the library is named, not a path.

    A text that can only be an id and is not in the library is an error, and so is a locked library.
    """
    from talktree.library.library import Library

    if not _may_be_id(text) or text == "-":
        return False
    try:
        library = Library.open()
    except NotFound:
        return False  # there is no library
    with library:
        library.conversation(text)
    return True


def _may_be_id(text: str) -> bool:
    """Whether a text may be an id: ids of conversations contain no folders or suffixes."""
    return not os.path.exists(text) and os.sep not in text and "." not in text


def _find_entry(named: str, folder: str | None) -> tuple[Library, LibraryEntry] | None:
    """Return the library's entry for a path or an id; None if there is none."""
    from talktree.library.library import Library
    from talktree.library.listing import find_by_id, find_by_path

    try:
        library = Library.open(None if folder is None else Path(folder))
    except NotFound:
        if folder is not None:
            raise
        return None
    # Contents are read when they are asked for, so the library stays open as long as the command.
    click.get_current_context().with_resource(library)
    found = find_by_path(library.db, named)
    if found is not None:
        print_stderr(f"talktree: {named} is gone; this is what the library has of it")
        # A path means all that was in the file.
        found = found._replace(several=1)
    elif _may_be_id(named):
        found = library.conversation(named)
    elif os.sep not in named:
        found = find_by_id(library.db, named)
    return None if found is None else (library, found)
