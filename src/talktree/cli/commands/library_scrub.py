"""`talktree library scrub`: take a secret out of everything that is kept."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from talktree.cli import libraries, output, params
from talktree.cli.failures import tell
from talktree.cli.opening import opened
from talktree.cli.verbs import Verb
from talktree.errors import UsageError
from talktree.library.temporary import scrub_copies
from talktree.text.json_value import Json
from talktree.views.measure import counted
from talktree.views.shapes import document_text

if TYPE_CHECKING:
    from talktree.library.erasure.scrub import Scrubbed


@click.command("scrub", cls=Verb)
@click.argument("word", metavar="[SECRET]", required=False)
@click.option(
    "--secret-from-stdin", "from_stdin", is_flag=True, help="Read the secret from standard input."
)
@click.option(
    "--pattern", metavar="REGEX", help="Scrub all that matches a regular expression (of bytes)."
)
@params.as_json
@libraries.at
def scrub(
    word: str | None,
    from_stdin: bool,  # noqa: FBT001
    pattern: str | None,
    as_json: bool,  # noqa: FBT001
    library: str | None,
) -> int:
    """Replace a secret by stars in everything that is kept: versions, edits, titles, full text.

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
    secret = None if pattern is not None else _secret(word, from_stdin=from_stdin)
    with opened(library, write=True) as kept:
        done = kept.scrub(secret, pattern=pattern)
    copies = [] if library else scrub_copies(secret, pattern)
    done = done._replace(left=(*done.left, *(each for copy in copies for each in copy.left)))
    if as_json:
        output.print_text([document_text(_shape(done))])
    else:
        _report(done)
    return 1 if done.left else 0


scrub.examples = (
    "talktree library scrub",
    "pass show old/token | talktree library scrub --secret-from-stdin",
    "talktree library scrub --pattern 'sk-[A-Za-z0-9]{32}'",
)


def _secret(word: str | None, *, from_stdin: bool) -> str:
    if word is not None:
        return word
    if from_stdin:
        return sys.stdin.read().rstrip("\r\n")
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError("cannot prompt: stdin is not a terminal", hint="use --secret-from-stdin")
    return str(click.prompt("Secret", hide_input=True, err=True))


def _report(done: Scrubbed) -> None:
    where = f"in {counted(done.sources, 'conversation')}"
    tell(f"talktree: {counted(done.places, 'occurrence')} replaced by stars {where}")
    if done.on_disk:
        tell(f"talktree: {counted(len(done.on_disk), 'file')} on the disk still hold it:")
        for path in done.on_disk:
            tell(f"  {libraries.name(path)}")
    for each in done.left:
        tell(f"talktree: not finished; it is still in {each}")


def _shape(done: Scrubbed) -> dict[str, Json]:
    return {
        "occurrences": done.places,
        "conversations": done.sources,
        "on_disk": [libraries.name(path) for path in done.on_disk],
        "left": [*done.left],
    }
