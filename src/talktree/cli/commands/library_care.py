"""`talktree library info`, `check`, `reindex`: the state of the library."""

from __future__ import annotations

import click

from talktree.cli import library_arguments, output, params
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.cli.open_library import has_library, open_library_at, require_library
from talktree.cli.unfinished_erasures import report_unfinished
from talktree.home import config_file
from talktree.library.temporary import tidy_leftovers
from talktree.library.unsaved_edits import find_kept_edits
from talktree.text.json.value import Json
from talktree.views.library import (
    build_info_shape,
    build_problem_shape,
    build_unsaved_shape,
    format_info_lines,
    format_problem_line,
    format_unsaved_lines,
)
from talktree.views.shapes import format_document
from talktree.views.width import format_count


@click.command("info", cls=Verb)
@params.as_json
@library_arguments.at
@params.color
def info(as_json: bool, library: str | None, color: str) -> None:  # noqa: FBT001
    """Tell where the library is, how much it holds, and which configuration file is read.

    Unsaved edits that `talktree studio PATH` has kept are listed, with the command that opens or
    discards them, also where there is no library.
    """
    if not library and not has_library(None):
        tidy_leftovers()
        edits = find_kept_edits()
        if not edits:
            require_library(None)
        if as_json:
            shape: dict[str, Json] = {"root": None, "config_file": str(config_file())}
            output.print_text([format_document({**shape, "unsaved": build_unsaved_shape(edits)})])
        else:
            print_stderr("talktree: there is no library yet, but edits that are not saved")
            output.print_lines(format_unsaved_lines(edits), color=output.use_color(color))
        return
    with open_library_at(library) as kept:
        found = kept.info()
    edits = [] if library else find_kept_edits()
    if as_json:
        shape = build_info_shape(found, config_file())
        output.print_text([format_document({**shape, "unsaved": build_unsaved_shape(edits)})])
        return
    lines = [*format_info_lines(found, config_file()), *format_unsaved_lines(edits)]
    output.print_lines(lines, color=output.use_color(color))


info.examples = ("talktree library info", "talktree library info --json | jq .archive_bytes")


@click.command("check", cls=Verb)
@click.option(
    "--read-data",
    is_flag=True,
    help="Also hash every archived byte, and compare facts and full text with a rebuild.",
)
@params.as_json
@library_arguments.at
@params.color
def check(as_json: bool, read_data: bool, library: str | None, color: str) -> int:  # noqa: FBT001
    """Look for damage in the database, the archive and the full text.

    What cannot be made again from the archive has checksums, which are always compared. Nothing is
    changed, except that an erasure that was interrupted is finished. Exit code 1 if something is
    wrong or left to erase; each line says whether `reindex` repairs it.
    """
    with open_library_at(library) as kept:
        is_pending = kept.has_pending_erasure()
    left: tuple[str, ...] = ()
    if is_pending:
        with open_library_at(library, write=True) as kept:
            left = kept.finish_erasure().left
    with open_library_at(library) as kept:
        troubles = kept.check(read_data=read_data)
    if as_json:
        shapes: list[Json] = [build_problem_shape(each) for each in troubles]
        output.print_text([format_document({"troubles": shapes, "left": [*left]})])
    else:
        output.print_lines(map(format_problem_line, troubles), color=output.use_color(color))
        data = "" if read_data else "; contents were not read (--read-data)"
        print_stderr(f"talktree: {format_count(len(troubles), 'trouble')}{data}")
        report_unfinished(left)
    return 1 if troubles or left else 0


check.examples = ("talktree library check", "talktree library check --read-data --json")


@click.command("reindex", cls=Verb)
@params.as_json
@library_arguments.at
def reindex(as_json: bool, library: str | None) -> None:  # noqa: FBT001
    """Make the full text and the facts again from the archive; no source is needed for it."""
    with open_library_at(library, write=True) as kept:
        pieces = kept.reindex()
    if as_json:
        output.print_text([format_document({"pieces": pieces})])
        return
    print_stderr(f"talktree: {format_count(pieces, 'piece')} can be found")


reindex.examples = ("talktree library reindex",)
