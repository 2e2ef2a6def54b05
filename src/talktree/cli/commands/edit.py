"""`talktree edit`: change a conversation, as a new branch wherever that can be."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

import click
import msgspec

from talktree import api
from talktree.cli import libraries, output, params
from talktree.cli.choose import chosen
from talktree.cli.companions import pointing_to_companions, tell_left_out
from talktree.cli.edits import VERBS, Asked
from talktree.cli.errors import tell
from talktree.cli.library_edits import Wish, edit_kept
from talktree.cli.verbs import Verb
from talktree.errors import UsageError
from talktree.files import OutputGate
from talktree.files.safe_replace import differing
from talktree.formats.engine.edited import edited
from talktree.formats.engine.new_document import with_conversation
from talktree.model.document import Document
from talktree.model.operations import Operation, Reply, Revise
from talktree.views.measure import counted
from talktree.views.shapes import document_text


@click.command("edit", cls=Verb)
@params.one_path
@click.option("--reply", metavar="ID", help="A new message below this one; `root` for a beginning.")
@click.option("--replace", metavar="ID", help="Other words for a message, as a branch beside it.")
@click.option("--clone", metavar="ID", help="A copy of a message beside it.")
@click.option("--delete", metavar="ID", help="Mark a message as deleted; it stays in the file.")
@click.option("--undelete", metavar="ID", help="Take that mark away.")
@click.option("--remove", metavar="ID", help="Take a message out; what follows it moves up.")
@click.option("--move", metavar="ID", help="Hang a message and all below it elsewhere.")
@click.option("--swap", metavar="ID", help="Let two messages change places.")
@click.option("--retype", metavar="ID", help="Give a message another role.")
@click.option("--attach", metavar="ID", help="Put a file with a message.")
@click.option("--text", help="What the message says.")
@click.option("--text-file", metavar="FILE", type=params.PATH, help="The same from a file, or -.")
@click.option("--role", help="The role of a reply or of a retyped message.")
@click.option("--to", metavar="ID", help="Where to move it; `root` for a beginning.")
@click.option("--with", "other", metavar="ID", help="What to swap it with.")
@click.option("--file", metavar="FILE", type=params.PATH, help="The file to attach.")
@click.option(
    "--accept-suspicious",
    is_flag=True,
    help="Attach a file with macros or scripts, or of another type than its name says.",
)
@click.option("--here", is_flag=True, help="Replace in the message itself, not as a branch.")
@click.option("--with-replies", is_flag=True, help="Clone all that is below it, too.")
@click.option(
    "-o", "--output", "out", type=params.PATH, help="Where the edited copy goes; - is stdout."
)
@params.force
@click.option("--save", is_flag=True, help="Change PATH itself, after a verified backup.")
@click.option("--undo", "turn", flag_value="undo", help="Library: take the last edit back.")
@click.option("--redo", "turn", flag_value="redo", help="Library: do it again.")
@click.option("--history", is_flag=True, help="Library: list the edits.")
@libraries.at
@params.chosen_conversation
@params.source_format
@params.as_json
def command(
    path: str,
    out: str | None,
    force: bool,  # noqa: FBT001
    save: bool,  # noqa: FBT001
    turn: Literal["undo", "redo"] | None,
    history: bool,  # noqa: FBT001
    library: str | None,
    conversation: str | None,
    source_format: str | None,
    as_json: bool,  # noqa: FBT001
    **more: object,
) -> None:
    """Change one thing: reply, replace, clone, delete, move, swap, retype, attach.

    Only the records concerned change; all other bytes stay as they are. What the format cannot hold
    is refused. Of a session only the file that you name is changed: to edit a message of a
    sub-agent, name the sub-agent's file. An output that exists is replaced only with --force.
    --save replaces PATH itself if it is still what was read and no other program writes to it; a
    backup is made first.

    PATH may be the id of a conversation in the library. Then edits are kept there, can be undone
    and redone, and change the file when you --save.
    """
    if library is not None or turn is not None or history or libraries.is_kept(path):
        if out is not None:
            raise UsageError("edits of the library stay in it", hint="leave out -o; --save saves")
        asked_for = None if turn or history or _only_saving(more, save=save) else _asked(more)
        edit_kept(Wish(path, library, asked_for, turn, history, save, conversation, as_json))
        return
    asked = _asked(more)
    if (out is None) == (not save):
        raise UsageError("say where the result goes", hint="-o FILE, or --save to change PATH")
    if save and path == "-":
        raise UsageError("stdin cannot be changed", hint="use -o FILE")
    if out == "-" and as_json:
        raise UsageError("--json and -o - both want stdout", hint="write to a file with -o")
    read = [str(given) for given in (more.get("text_file"), more.get("file")) if given]
    gate = OutputGate([path, *read], force=force)
    if out is not None and out != "-":
        gate.claim(out)
    document = with_conversation(api.read(path, format=source_format, alone=True))
    found = chosen(document, conversation)
    if len(found) != 1:
        raise UsageError(
            f"{len(found)} conversations are in it", hint="choose one with --conversation ID"
        )
    with pointing_to_companions(path, asked.about, source_format):
        operation = asked.operation(found[0])
        after = edited(document, found[0].id, operation)
    if save:
        _tell(operation, _replace(after, path), as_json=as_json)
        return
    if out == "-":
        gate.check_stdout()
        output.write_file(api.write_pieces(after), folder=api.source_of(after).folder)
    else:
        _tell(operation, _write_copy(document, after, str(out), gate), as_json=as_json)
    if not as_json:
        tell_left_out(path, document)


def _replace(after: Document, path: str) -> Result:
    changed, backups = api.save_edited(after, path)
    return Result(path, changed, changed, backups)


def _write_copy(before: Document, after: Document, out: str, gate: OutputGate) -> Result:
    written = api.save_written(after, out, gate=gate)
    return Result(out, written, differing(api.source_of(before), Path(out), written), [])


def _only_saving(more: dict[str, object], *, save: bool) -> bool:
    return save and not any(more[verb] is not None for verb in VERBS)


def _asked(more: dict[str, object]) -> Asked:
    verbs = [(verb, more[verb]) for verb in VERBS if more[verb] is not None]
    if len(verbs) != 1:
        raise UsageError(
            "say one thing to do", hint=f"one of {', '.join(f'--{verb}' for verb in VERBS)}"
        )
    verb, about = verbs[0]
    return Asked(verb, str(about), more)


class Result(NamedTuple):
    """What was written."""

    out: str
    written: list[Path]
    changed: list[Path]
    """Those that are not copies of the input."""
    backups: list[Path]


def _tell(operation: Operation, result: Result, *, as_json: bool) -> None:
    if as_json:
        shape = {
            "operation": msgspec.to_builtins(operation),
            "written": [str(path) for path in result.written],
            "changed": [str(path) for path in result.changed],
            "backups": [str(path) for path in result.backups],
        }
        output.print_text([document_text(shape)])
        return
    made = getattr(operation, "id", None) if isinstance(operation, Reply | Revise) else None
    if made and len(result.changed) > 1:
        tell(f"talktree: {result.out}: message {made} is new")
        made = None
    for path in result.changed:
        tell(f"talktree: {path}: {f'message {made} is new' if made else 'edited'}")
    copied = len(result.written) - len(result.changed)
    if copied:
        tell(f"talktree: {result.out}: {counted(copied, 'other file')} copied unchanged")
    for path in result.backups:
        tell(f"talktree: {path}: backup")


command.examples = (
    "talktree edit session.jsonl --reply 3f2a --text 'And in winter?' -o longer.jsonl",
    "talktree edit chat.json --replace 81cc --text-file better.md --save",
    "talktree edit chat.json --move 81cc --to root --save",
    "talktree edit chat.json --attach 81cc --file plan.pdf --save",
    "talktree edit 3f2a81cc --reply 9b1c --text 'And in winter?'",
    "talktree edit 3f2a81cc --undo",
    "talktree edit 3f2a81cc --save",
)
