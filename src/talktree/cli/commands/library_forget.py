"""`talktree library forget`, `forgotten`, `readmit`: erase conversations and keep them out."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from talktree.cli import library_arguments, output, params
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.cli.open_library import open_library_at
from talktree.cli.unfinished_erasures import report_unfinished
from talktree.errors import NotFound, UsageError
from talktree.home import data_home
from talktree.library.dropped_files import is_dropped
from talktree.library.temporary import forget_everywhere, unsaved_copies
from talktree.library.unsaved_edits import find_holders
from talktree.text.json.value import Json
from talktree.text.times import SECOND
from talktree.views.library import describe_unsaved
from talktree.views.lines import line
from talktree.views.shapes import format_document
from talktree.views.width import format_count, format_size

if TYPE_CHECKING:
    from talktree.library.erasure.forget import ForgetResult
    from talktree.library.erasure.tombstones import Tombstone
    from talktree.library.library import Library
    from talktree.library.listing import LibraryEntry

MOST_LISTED = 20
NOT_DONE = 1
"""Exit code if something is left to erase."""


@click.command("forget", cls=Verb)
@click.argument("named", metavar="[ID|PATH]...", type=params.PATH, nargs=-1)
@click.option("-y", "--yes", is_flag=True, help="Erase it; otherwise only say what would go.")
@click.option(
    "--found",
    metavar="FILE",
    type=params.PATH,
    help="Also the conversations that `library find --json` named; - is stdin.",
)
@click.option("--finish", is_flag=True, help="Finish an erasure that was interrupted.")
@params.as_json
@library_arguments.at
def forget(
    named: tuple[str, ...],
    yes: bool,  # noqa: FBT001
    found: str | None,
    finish: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
    library: str | None,
) -> int:
    """Erase conversations: their versions, edits, names and words, and all that was counted.

    Their sub-agents, their other files and copies of them go with them, and so do files that were
    dropped into the studio. Other files are not touched; later imports leave them out, wherever
    they are moved or copied (`talktree library readmit` undoes that).

    If one of several cannot be found, none is erased. What was forgotten before is no error.

    If another program reads the library meanwhile, some of it may have to wait. Then the command
    says what is left, with exit code 1; --finish, the next import and the next check erase it.
    """
    if finish == bool(named or found):
        raise UsageError("name a conversation, or use --finish", hint="talktree list shows them")
    if found:
        named = (*named, *_read_found_paths(found, library))
        if not named:
            return _report_nothing(as_json=as_json)
    if finish:
        with open_library_at(library, write=True) as kept:
            return _report_erasure(kept.finish_erasure(), [], as_json=as_json)
    try:
        with open_library_at(library, write=yes) as kept:
            entries = _find_entries(kept, named)
            if not yes:
                return _report_plan(kept, entries, as_json=as_json)
            done = forget_everywhere(kept, entries)
    except NotFound as error:
        raise error if library else _add_holders_hint(error, named) from None
    return _report_erasure(done, entries, as_json=as_json)


forget.examples = (
    "talktree library forget 3f2a",
    "talktree library forget 3f2a --yes",
    "talktree library forget --found found.json --yes",
    "talktree library forget --finish",
)


def _read_found_paths(path: str, library: str | None) -> list[str]:
    """Return the paths of the conversations that `library find --json` wrote to a file."""
    from talktree.files import load, load_stream

    source = load_stream(sys.stdin.buffer) if path == "-" else load(path)
    try:
        matches = json.loads(b"".join(content.read() for content in source.files.values()))["found"]
        paths = [(str(match["path"]), match["library"]) for match in matches]
    except (ValueError, KeyError, TypeError):
        raise UsageError(
            f"{path}: not a list of conversations that were found",
            hint="it is written by: talktree library find --json TEXT",
        ) from None
    own = [each for each, root in paths if root == library]
    for root in dict.fromkeys(root for each, root in paths if root != library and each not in own):
        print_stderr(f"talktree: some are in another library: use --library {root or data_home()}")
    return own


def _report_nothing(*, as_json: bool) -> int:
    """Report that nothing was found, so that nothing is forgotten."""
    if as_json:
        _print_json(_build_shape([], [], None))
    else:
        print_stderr("talktree: nothing was found; nothing is forgotten")
    return 0


def _find_entries(library: Library, named: tuple[str, ...]) -> list[LibraryEntry]:
    """Return the named conversations, each file once, without those forgotten before."""
    entries: dict[int, LibraryEntry] = {}
    for each in named:
        try:
            entry = library.conversation(each)
        except NotFound as error:
            if not library.is_forgotten(each):
                raise _add_id_hint(library, error) from None
            print_stderr(f"talktree: {each} was forgotten before")
            continue
        if entry.several > 1 and entry.id.startswith(each):
            raise UsageError(
                f"{each}: its file holds {entry.several} conversations, kept and forgotten as one",
                hint="name the file: talktree library forget "
                f"{library_arguments.display_path(entry.raw_path)}",
            )
        entries.setdefault(entry.source, entry)
    return list(entries.values())


def _add_id_hint(library: Library, error: NotFound) -> NotFound:
    """Add the hint that a prefix of a forgotten id is not enough."""
    if not library.list_forgotten():
        return error
    hint = "if it was forgotten before, only its whole id or its path is recognised"
    return NotFound(error.message, hint=f"{error.hint}; {hint}")


def _add_holders_hint(error: NotFound, named: tuple[str, ...]) -> NotFound:
    """Add a hint with the libraries of studios that contain one of the conversations."""
    commands = [
        f"`talktree library forget {shlex.quote(each)} --library {shlex.quote(str(root))}`"
        for each in named
        for root in find_holders(each)
    ]
    if not commands:
        return error
    return NotFound(error.message, hint=f"a studio keeps it: {', '.join(commands)} erases it there")


def _report_plan(library: Library, entries: list[LibraryEntry], *, as_json: bool) -> int:
    """Report what would be erased."""
    belonging = dict.fromkeys(path for entry in entries for path in library.list_group_paths(entry))
    others = _find_other_paths(belonging, entries)
    unsaved = unsaved_copies(belonging)
    if as_json:
        kept_edits: list[Json] = [str(each.path) for each in unsaved]
        _print_json({**_build_shape(entries, others, None), "unsaved": kept_edits})
        return 0
    for entry in entries:
        path = library_arguments.display_path(entry.raw_path)
        where = "its file is gone: this is the only copy" if entry.state == "gone" else "--yes does"
        if is_dropped(library.root, entry.raw_path):
            where = f"the copy that the studio keeps is erased, too; {where}"
        together = _format_other_files(others, entries) if len(entries) == 1 else ""
        print_stderr(
            f"talktree: {path} ({format_size(entry.size)}){together} would be forgotten; {where}"
        )
    if len(entries) > 1:
        print_stderr(
            f"talktree: {_format_count(entries)}{_format_other_files(others, entries)} "
            "would be forgotten"
        )
    _list_others(others)
    for each in unsaved:
        print_stderr(
            f"talktree: {each.path}: {describe_unsaved(each)} that a studio keeps would go, too"
        )
    return 0


def _list_others(others: list[str]) -> None:
    """Print the files that belong to what would be forgotten."""
    for each in others[:MOST_LISTED]:
        print_stderr(f"  {each}")
    if len(others) > MOST_LISTED:
        print_stderr(f"  {len(others) - MOST_LISTED:,} more (--json lists all)")


def _report_erasure(done: ForgetResult, entries: list[LibraryEntry], *, as_json: bool) -> int:
    """Report what was erased and what is left."""
    others = _find_other_paths(done.paths, entries)
    if as_json:
        _print_json(_build_shape(entries, others, done))
    elif entries:
        what = (
            library_arguments.display_path(entries[0].raw_path)
            if len(entries) == 1
            else _format_count(entries)
        )
        verb = "is" if len(entries) == 1 else "are"
        print_stderr(
            f"talktree: {what}{_format_other_files(others, entries)} "
            f"{verb} forgotten{_format_freed(done)}"
        )
    elif not done.was_pending:
        print_stderr("talktree: nothing was left to erase")
    elif not done.left:
        print_stderr(f"talktree: the interrupted erasure is finished{_format_freed(done)}")
    if not as_json:
        report_unfinished(done.left)
    return NOT_DONE if done.left else 0


def _format_freed(done: ForgetResult) -> str:
    """Return how much space was freed; until an erasure is finished, it may all still be in use."""
    return "" if done.left else f", {format_size(done.freed)} freed"


def _find_other_paths(paths: Iterable[bytes], entries: list[LibraryEntry]) -> list[str]:
    """Return the paths that are erased with some conversations."""
    own = {entry.raw_path for entry in entries}
    return [library_arguments.display_path(path) for path in paths if path not in own]


def _build_shape(
    entries: list[LibraryEntry], others: list[str], done: ForgetResult | None
) -> dict[str, Json]:
    named: list[dict[str, Json]] = [
        {"id": entry.id, "path": library_arguments.display_path(entry.raw_path)}
        for entry in entries
    ]
    shape: dict[str, Json] = named[0] if len(named) == 1 else {"conversations": [*named]}
    return {
        **(shape if named else {}),
        "forgotten": done is not None,
        "freed": 0 if done is None else done.freed,
        "was_pending": done is not None and done.was_pending,
        "companions": [*others],
        "left": [] if done is None else [*done.left],
    }


def _format_count(entries: list[LibraryEntry]) -> str:
    return format_count(len(entries), "conversation")


def _format_other_files(others: list[str], entries: list[LibraryEntry]) -> str:
    them = "it" if len(entries) == 1 else "them"
    return f" with {format_count(len(others), 'file')} that belong to {them}" if others else ""


def _print_json(shape: dict[str, Json]) -> None:
    output.print_text([format_document(shape)])


@click.command("forgotten", cls=Verb)
@params.as_json
@library_arguments.at
@params.color
def forgotten(as_json: bool, library: str | None, color: str) -> None:  # noqa: FBT001
    """List what was forgotten: a number, when, the format and a hash.

    Neither titles nor paths are kept. Imports leave out what is listed here.
    """
    with open_library_at(library) as kept:
        found = kept.list_forgotten()
    if as_json:
        _print_json({"forgotten": [_build_tombstone_shape(each) for each in found]})
        return
    lines = [
        line((f"{each.number:>4}", "mark"), f"  {_format_time(each)}  {each.format:16} {each.hash}")
        for each in found
    ]
    output.print_lines(lines, color=output.use_color(color))


forgotten.examples = ("talktree library forgotten", "talktree library forgotten --json")


@click.command("readmit", cls=Verb)
@click.argument("which", metavar="NUMBER|ID|PATH", type=params.PATH)
@params.as_json
@library_arguments.at
def readmit(which: str, as_json: bool, library: str | None) -> None:  # noqa: FBT001
    """Let the next import take in a conversation that was forgotten.

    It has to be named by its number in `talktree library forgotten`, by its path or by its id:
    nothing else is known of it.
    """
    with open_library_at(library, write=True) as kept:
        found = kept.readmit(which)
    if as_json:
        _print_json({"readmitted": [_build_tombstone_shape(each) for each in found]})
        return
    count = format_count(len(found), "forgotten conversation")
    print_stderr(
        f"talktree: {count} readmitted; `talktree import` takes it in again if its file is there"
    )


readmit.examples = ("talktree library readmit 2", "talktree library readmit ~/exports/chat.json")


def _build_tombstone_shape(each: Tombstone) -> Json:
    return {
        "number": each.number,
        "time": datetime.fromtimestamp(each.time / SECOND, UTC).isoformat(),
        "format": each.format,
        "hash": each.hash,
    }


def _format_time(each: Tombstone) -> str:
    return datetime.fromtimestamp(each.time / SECOND).astimezone().strftime("%Y-%m-%d %H:%M")
