"""`talktree library versions`, `restore`, `places`: what is kept, and where it comes from."""

from __future__ import annotations

from pathlib import Path

import click

from talktree.cli import library_arguments, output, params
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.cli.open_library import open_library_at
from talktree.errors import UsageError
from talktree.files import OutputGate
from talktree.text.json.value import Json
from talktree.views.library import build_version_shape, format_version_lines
from talktree.views.lines import line
from talktree.views.shapes import format_document

which = click.argument("which", metavar="ID|PATH", type=params.PATH)


@click.command("versions", cls=Verb)
@which
@params.as_json
@library_arguments.at
@params.color
def versions(which: str, as_json: bool, library: str | None, color: str) -> None:  # noqa: FBT001
    """List the versions of a conversation that are kept, the oldest first."""
    with open_library_at(library) as kept:
        found = kept.versions(kept.conversation(which))
    if as_json:
        shapes: list[Json] = [build_version_shape(each) for each in found]
        output.print_text([format_document({"versions": shapes})])
        return
    output.print_lines(format_version_lines(found), color=output.use_color(color))


versions.examples = ("talktree library versions 3f2a",)


@click.command("restore", cls=Verb)
@which
@click.option(
    "--into",
    metavar="DIR",
    required=True,
    type=params.FOLDER,
    help="The folder to write to; nothing that is there is overwritten.",
)
@click.option(
    "--version",
    type=click.IntRange(min=1),
    metavar="N",
    help="As it was then (`library versions`); else the newest.",
)
@params.as_json
@library_arguments.at
def restore(
    which: str,
    into: str,
    version: int | None,
    as_json: bool,  # noqa: FBT001
    library: str | None,
) -> None:
    """Write the files of a conversation as they were, byte for byte, also if they are gone.

    A session comes with its sub-agents, tool results and all else that belongs to it, in the
    folders that they were in.
    """
    with open_library_at(library) as kept:
        OutputGate([kept.root]).check_into(into)
        written = kept.restore(kept.conversation(which), Path(into), version=version)
    if as_json:
        output.print_text([format_document({"written": [str(path) for path in written]})])
        return
    output.print_lines([line(str(path)) for path in written], color=False)


restore.examples = (
    "talktree library restore 3f2a --into was",
    "talktree library restore ~/.claude/projects/app/SESSION.jsonl --into was --version 2",
)


@click.command("places", cls=Verb)
@click.argument("verb", type=click.Choice(["list", "add", "remove"]), default="list")
@click.argument("paths", type=params.FOLDER, nargs=-1, metavar="[PATH]...")
@params.as_json
@library_arguments.at
def places(
    verb: str,
    paths: tuple[str, ...],
    as_json: bool,  # noqa: FBT001
    library: str | None,
) -> int:
    """List, add or remove the places that `import` and `watch` look at when none is named.

    What was taken in from a place stays when the place is removed.
    """
    if (verb == "list") == bool(paths):
        raise UsageError("say what to add or remove", hint="talktree library places add PATH")
    code = 0
    with open_library_at(library, write=verb != "list", create=verb == "add") as kept:
        for path in paths:
            if verb == "add":
                kept.add_place(path)
            elif not kept.remove_place(path):
                print_stderr(f"talktree: {path}: not a place of the library")
                print_stderr("hint: `talktree library places` lists them")
                code = 1
        found = [str(each) for each in kept.places()]
    if as_json:
        output.print_text([format_document({"places": [*found]})])
    elif verb == "list":
        output.print_lines([line(each) for each in found], color=False)
    return code


places.examples = (
    "talktree library places",
    "talktree library places add ~/exports",
    "talktree library places remove ~/exports",
)
