"""`talktree library find`: search for a text in everything that is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from talktree.cli import library_arguments, output, params
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.cli.open_library import has_library, open_library_at, require_library
from talktree.errors import UsageError
from talktree.files import OutputGate
from talktree.library.temporary import find_in_copies, list_roots
from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.shapes import format_document
from talktree.views.width import format_count

if TYPE_CHECKING:
    from talktree.library.erasure.text_finder import FoundText, TextMatch

NOTHING_FOUND = 1
"""Exit code if the text is not found."""


@click.command("find", cls=Verb)
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@click.option("--pattern", metavar="REGEX", help="Find what matches a regular expression.")
@click.option(
    "--restore-into",
    "into",
    metavar="DIR",
    type=params.FOLDER,
    help="Also write everything there that `library forget --found` erases.",
)
@params.as_json
@library_arguments.at
def find(
    texts: tuple[str, ...],
    pattern: str | None,
    into: str | None,
    as_json: bool,  # noqa: FBT001
    library: str | None,
) -> int:
    """Find each TEXT in everything that is kept, not only in messages as `talktree search` does.

    It reads all versions of all files, with tool calls, their results and what no message shows,
    unsaved edits, the names of branches, and paths. Case, spacing and the Unicode form of letters
    do not matter. A space is also found as `-`, `_`, `.`, `+` or `%20`. Images, and other data that
    is encoded, are not read. A --pattern is matched with the bytes of a file, in UTF-8. For each
    conversation it says which versions hold the text. Exit code 1 if the text is nowhere.

    With --restore-into, all versions of each conversation are written, byte for byte, together with
    its sub-agents, its other files, copies of it, unsaved edits and the names of branches.
    """
    if bool(texts) == (pattern is not None):
        raise UsageError("give a text or a pattern", hint="talktree library find 'Ana Lopes'")
    found: dict[str | None, FoundText] = {}
    if library or has_library(None) or not list_roots():
        with open_library_at(library) as kept:
            if into is not None:
                OutputGate([kept.root]).check_into(into)
            found[library] = kept.find(*texts, pattern=pattern)
    if not library:
        copies = find_in_copies(texts, pattern)
        found.update((str(root), each) for root, each in copies.items())
    if not found:
        require_library(None)  # leftovers of a studio contained no edits
    written = [] if into is None else _restore_found(found, Path(into))
    if as_json:
        output.print_text(
            [format_document({**_build_shape(found), "written": [*map(str, written)]})]
        )
    else:
        _print_matches(found)
        if written:
            print_stderr(f"talktree: wrote {into} ({format_count(len(written), 'file')})")
    return 0 if any(found.values()) else NOTHING_FOUND


find.examples = (
    "talktree library find 'Ana Lopes' ana@example.org",
    "talktree library find --pattern '(?i)invoice-[0-9]+'",
    "talktree library find 'Ana Lopes' --json --restore-into ana > found.json",
)


def _restore_found(found: dict[str | None, FoundText], into: Path) -> list[Path]:
    """Write everything that is forgotten with the found conversations."""
    from talktree.library.erasure.before_erasure import find_groups, restore_groups

    written: list[Path] = []
    for number, (root, each) in enumerate(found.items()):
        if each.matches:
            with open_library_at(root) as kept:
                groups = find_groups(kept, [match.source for match in each.matches])
                written += restore_groups(kept, groups, into, f"studio-{number}-" if number else "")
    return written


def _print_matches(found: dict[str | None, FoundText]) -> None:
    """Print a line for each conversation, then other matches."""
    lines: list[Line] = []
    for root, each in found.items():
        lines += [line(_describe_match(match)) for match in each.matches]
        lines += [
            line(f"{library_arguments.display_path(path)}: in the path")
            for path in each.other_paths
        ]
        lines += [
            line(f"{library_arguments.display_path(path)}: dropped into the studio")
            for path in each.dropped_files
        ]
        if root and each.matches:
            print_stderr(
                f"talktree: of these, some are in the library of an open or unsaved file: {root}"
            )
    if lines:
        output.print_lines(lines, color=False)
    else:
        print_stderr("talktree: found nowhere")


def _describe_match(match: TextMatch) -> str:
    places = [format_count(match.occurrences, "occurrence")] if match.occurrences else []
    if match.versions:
        places.append(f"in version {', '.join(map(str, match.versions))}")
    if match.edits:
        places.append(format_count(len(match.edits), "unsaved or undone edit"))
    if match.is_in_name:
        places.append("in a name or the path")
    return f"{library_arguments.display_path(match.path)}: {', '.join(places)}"


def _build_shape(found: dict[str | None, FoundText]) -> dict[str, Json]:
    return {
        "found": [
            {"library": root, **_build_match_shape(match)}
            for root, each in found.items()
            for match in each.matches
        ],
        "other_paths": [
            library_arguments.display_path(path)
            for each in found.values()
            for path in each.other_paths
        ],
        "dropped_files": [
            library_arguments.display_path(path)
            for each in found.values()
            for path in each.dropped_files
        ],
    }


def _build_match_shape(match: TextMatch) -> dict[str, Json]:
    return {
        "source": match.source,
        "id": match.id,
        "path": library_arguments.display_path(match.path),
        "format": match.format,
        "state": match.state,
        "occurrences": match.occurrences,
        "versions": [*match.versions],
        "kept_versions": [*match.kept_versions],
        "edits": [json.loads(edit) for edit in match.edits],
        "in_name": match.is_in_name,
    }
