"""`talktree library scrub`: remove a secret from everything that is kept."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from talktree.cli import library_arguments, output, params
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.cli.open_library import has_library, open_library_at, require_library
from talktree.errors import UsageError
from talktree.library.erasure.scrub import combine_results, refuse_faults
from talktree.library.temporary import scrub_copies
from talktree.text.json.value import Json
from talktree.views.shapes import format_document
from talktree.views.width import format_count

if TYPE_CHECKING:
    from talktree.library.erasure.scrub import ScrubResult


@click.command("scrub", cls=Verb)
@click.argument("word", metavar="[SECRET]", required=False)
@click.option(
    "--secret-from-stdin", "from_stdin", is_flag=True, help="Read the secret from standard input."
)
@click.option(
    "--pattern", metavar="REGEX", help="Scrub all that matches a regular expression (of bytes)."
)
@click.option("-y", "--yes", is_flag=True, help="Do it; otherwise only say what would be done.")
@click.option(
    "--force", is_flag=True, help="Do it although some records could not be read any more."
)
@params.as_json
@library_arguments.at
def scrub(
    word: str | None,
    from_stdin: bool,  # noqa: FBT001
    pattern: str | None,
    yes: bool,  # noqa: FBT001
    force: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
    library: str | None,
) -> int:
    """Replace a secret by stars in everything that is kept: versions, edits, titles, full text.

    It says in how many places the secret is, shows some of them, and asks on a terminal; elsewhere
    it needs --yes. It is refused if stars would change more than words: the names of members,
    numbers, ids, roles or links (--force does it nevertheless). Later imports look for what was
    found now, and for anything with --force.

    Without SECRET it is asked for, and not shown while it is typed. Give it as an argument only if
    others may see it: arguments are visible to all processes and end up in the shell's history.

    The conversations stay, with all their versions. Files on the disk are never changed; those that
    still hold the secret are listed, and later imports of them leave it out.
    Exit code 1 if the library still holds it somewhere.
    """
    if (word is not None) + from_stdin + (pattern is not None) > 1:
        raise UsageError(
            "name the secret once", hint="an argument, --secret-from-stdin or --pattern"
        )
    secret = None if pattern is not None else _read_secret(word, from_stdin=from_stdin)

    def run(*, preview: bool) -> ScrubResult:
        """Scrub the library, and those of files that a studio was opened on."""
        done = []
        # With force, later imports look for a secret that does not occur yet, also before the first
        # import.
        create = force and not preview and not library
        if library or create or has_library(None):
            with open_library_at(library, write=True, create=create) as kept:
                done.append(kept.scrub(secret, pattern=pattern, preview=preview, force=force))
        if not library:
            done += scrub_copies(secret, pattern, preview=preview, force=force)
        if not done:
            require_library(None)
        return combine_results(done)

    if not yes:
        found = run(preview=True)
        if as_json:
            output.print_text([format_document(_build_shape(found))])
        else:
            _report_plan(found)
        refuse_faults(found.faults, force=force)
        if as_json or not _confirm():
            return 0
    done = run(preview=False)
    if as_json:
        output.print_text([format_document(_build_shape(done))])
    else:
        _report_result(done, force=force)
    return 1 if done.left else 0


scrub.examples = (
    "talktree library scrub",
    "pass show old/token | talktree library scrub --secret-from-stdin --yes",
    "talktree library scrub --pattern 'sk-[A-Za-z0-9]{32}'",
)


def _report_plan(found: ScrubResult) -> None:
    """Report what would be done."""
    print_stderr(f"talktree: {_format_places(found)} would be replaced by stars")
    for example in found.examples:
        name = library_arguments.display_path(example.path) if example.path else "an edit"
        print_stderr(f"  {name}: {example.text}")
    if found.places > len(found.examples):
        print_stderr(f"  and {found.places - len(found.examples)} more")
    for each in found.left:
        print_stderr(f"talktree: it would still be in {each}")


def _confirm() -> bool:
    """Ask the user at a terminal, and return whether they agree."""
    if sys.stdin is None or not sys.stdin.isatty() or not sys.stderr.isatty():
        print_stderr("talktree: nothing was changed; --yes does it")
        return False
    return bool(click.confirm("Replace them? This cannot be undone.", err=True))


def _format_places(found: ScrubResult) -> str:
    where = f"{format_count(found.sources, 'conversation')} ({format_count(found.files, 'file')})"
    return f"{format_count(found.places, 'occurrence')} in {where}"


def _read_secret(word: str | None, *, from_stdin: bool) -> str:
    if word is not None:
        return word
    if from_stdin:
        if sys.stdin is None:
            raise UsageError("stdin is closed", hint="pipe the secret into the command")
        return sys.stdin.buffer.read().decode("utf-8", "surrogateescape").rstrip("\r\n")
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError("cannot prompt: stdin is not a terminal", hint="use --secret-from-stdin")
    return str(click.prompt("Secret", hide_input=True, err=True))


def _report_result(done: ScrubResult, *, force: bool) -> None:
    if done.places or force:
        print_stderr(f"talktree: {_format_places(done)} replaced by stars")
    else:
        print_stderr(
            "talktree: not found, so later imports do not look for it (--force makes them)"
        )
    if done.on_disk:
        print_stderr(
            f"talktree: {format_count(len(done.on_disk), 'file')} on the disk still hold it:"
        )
        for path in done.on_disk:
            print_stderr(f"  {library_arguments.display_path(path)}")
    for each in done.left:
        print_stderr(f"talktree: not finished; it is still in {each}")


def _build_shape(done: ScrubResult) -> dict[str, Json]:
    return {
        "scrubbed": done.is_done,
        "occurrences": done.places,
        "conversations": done.sources,
        "files": done.files,
        "examples": [
            {"path": library_arguments.display_path(each.path), "text": each.text}
            for each in done.examples
        ],
        "faults": [*done.faults],
        "on_disk": [library_arguments.display_path(path) for path in done.on_disk],
        "left": [*done.left],
    }
