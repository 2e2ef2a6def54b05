"""`talktree new`: create a conversation in any format."""

from __future__ import annotations

from collections.abc import Sequence

import click

from talktree import api
from talktree.authoring import Draft, new
from talktree.cli import output, params
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.errors import UsageError
from talktree.files import OutputGate
from talktree.text.json.value import Json
from talktree.views.shapes import format_document
from talktree.views.width import format_count


@click.command("new", cls=Verb)
@click.option(
    "-t", "--to", "target", type=params.FORMAT, required=True, help="The format to write."
)
@click.option(
    "-o",
    "--output",
    "out",
    type=params.PATH,
    required=True,
    help="The file or folder to write; - is stdout.",
)
@click.option("--title", help="The title, in formats that have one.")
@click.option(
    "-m",
    "--message",
    "messages",
    metavar="ROLE:TEXT",
    multiple=True,
    help="A message, after those before it; may be repeated.",
)
@params.force
@params.as_json
def command(
    target: str,
    out: str,
    title: str | None,
    messages: Sequence[str],
    force: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Start a conversation: an empty one, or one with messages.

    Ids, times, hashes, parents and every field that the format requires are filled in. `talktree
    edit` goes on with it: --reply root writes the first message of an empty conversation. Some
    formats have nothing by which an empty conversation can be detected; name them with --from.
    An output that exists is replaced only with --force.
    """
    if out == "-" and as_json:
        raise UsageError("--json and -o - both want stdout", hint="write to a file with -o")
    gate = OutputGate(force=force)
    if out == "-":
        gate.check_stdout()
    else:
        gate.claim(out)
    draft = new(target, title=title)
    for given in messages:
        role, text = _split_role(given)
        draft.reply(text, role=role)
    if out == "-":
        output.write_file(api.write_pieces(draft), folder=api.source_of(draft).folder)
        return
    written = api.save_written(draft, out, gate=gate)
    if as_json:
        shape: dict[str, Json] = {
            "format": draft.format,
            "written": [str(path) for path in written],
            "messages": [message.id for message in draft],
        }
        output.print_text([format_document(shape)])
        return
    print_stderr(f"talktree: {out}: {_describe_draft(draft)}")


def _split_role(given: str) -> tuple[str, str]:
    """Split an argument into the role and the text of a message."""
    role, colon, text = given.partition(":")
    if not colon or not role.strip():
        raise UsageError(
            f"say who speaks: {given[:40]!r} has no role", hint="-m 'user:What is a hash?'"
        )
    return role.strip(), text.lstrip(" ")


def _describe_draft(draft: Draft) -> str:
    count = format_count(len(draft), "message") if len(draft) else "no messages yet"
    return f"a new conversation ({draft.format}, {count})"


command.examples = (
    "talktree new -t studio -o chat.json -m 'user:What is a hash?'",
    "talktree new -t sage -o session --title 'The evening test'",
    "talktree new -t claude-messages -o - -m user:Hello -m 'assistant:Good morning.'",
)
