"""`talktree edit`: change a conversation, as a new branch wherever possible.

Turns the options into an operation, and applies it to a file, or to a conversation of the library:
there, edits can be undone, and saved later.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import click
import msgspec

from talktree import api
from talktree.cli import library_arguments, output, params
from talktree.cli.companions import add_companion_hint, report_left_out
from talktree.cli.errors import print_stderr
from talktree.cli.group import Verb
from talktree.cli.open_library import open_library_at
from talktree.cli.params import choose_conversations
from talktree.errors import SuspiciousAttachment, Unreadable, UsageError
from talktree.files import OutputGate
from talktree.files.safe_replace import find_differing_files
from talktree.formats import get_format
from talktree.formats.attachment_review import refuse_size, review_attachment
from talktree.formats.blocks import make_attach_file_operation
from talktree.formats.engine.new_document import with_conversation
from talktree.formats.engine.write import apply_edit
from talktree.model import operations
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.operations import Operation, ReplyTo, ReviseMessage
from talktree.text.json.value import Json
from talktree.views.edits import describe_edit, find_edited_message
from talktree.views.lines import Line, line
from talktree.views.shapes import format_document
from talktree.views.width import format_count, format_moment, format_stamp

if TYPE_CHECKING:
    from talktree.library.versions.edit_history import Edit
    from talktree.library.versions.editing import Versions


BEGINNING = "root"
"""The name of the missing parent of a root message."""
VERBS = (
    "reply",
    "replace",
    "clone",
    "delete",
    "undelete",
    "remove",
    "move",
    "swap",
    "retype",
    "attach",
)


class EditArguments:
    """The options of one call."""

    def __init__(self, verb: str, about: str, more: Mapping[str, object]) -> None:
        self.verb = verb
        self.about = about
        self._more = more

    def make_operation(self, conversation: Conversation) -> Operation:
        """Return the operation for the options; everything new gets its id and time here."""
        about = self.about
        new_id = get_format(conversation.format).new_id
        if self.verb == "reply":
            parent = None if about == BEGINNING else about
            role = str(self._more.get("role") or "user")
            return operations.reply(conversation, parent, self._read_text(), role, new_id=new_id)
        about = conversation[about].id
        match self.verb:
            case "replace" if self._more.get("here"):
                return operations.replace(conversation, about, self._read_text())
            case "replace":
                return operations.revise(conversation, about, self._read_text(), new_id=new_id)
            case "clone":
                below = bool(self._more.get("with_replies"))
                return operations.clone(conversation, about, below=below, new_id=new_id)
            case "delete":
                return operations.delete(conversation, about)
            case "undelete":
                return operations.undelete(conversation, about)
            case "remove":
                return operations.remove(conversation, about)
            case "move":
                to = self._require("to", "--to ID, or --to root")
                return operations.move(conversation, about, None if to == BEGINNING else to)
            case "swap":
                return operations.swap(conversation, about, self._require("other", "--with ID"))
            case "attach":
                return self._make_attach(conversation, about)
            case _:
                return operations.retype(conversation, about, self._require("role", "--role ROLE"))

    def _make_attach(self, conversation: Conversation, about: str) -> Operation:
        file = Path(self._require("file", "--file FILE"))
        try:
            refuse_size(file.stat().st_size, file.name)
            data = file.read_bytes()
        except OSError as error:
            raise Unreadable(f"{file}: {error.strerror or error}") from None
        review = review_attachment(data, file.name)
        accept = bool(self._more.get("accept_suspicious"))
        for warning in review.warnings if accept else ():
            print_stderr(f"talktree: {file}: {warning}")
        try:
            review.require(str(file), accept=accept)
        except SuspiciousAttachment as error:
            hint = "use --accept-suspicious if you know where it comes from"
            raise SuspiciousAttachment(error.message, hint=hint) from None
        return make_attach_file_operation(get_format(conversation.format), about, file.name, data)

    def _read_text(self) -> str:
        given, file = self._more.get("text"), self._more.get("text_file")
        if (given is None) == (file is None):
            raise UsageError("say what the message says", hint="--text TEXT or --text-file FILE")
        return str(given) if file is None else _read_file(str(file))

    def _require(self, name: str, hint: str) -> str:
        value = self._more.get(name)
        if value is None:
            raise UsageError(f"--{self.verb} needs one thing more", hint=hint)
        return str(value)


def _read_file(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode().removesuffix("\n")
    except OSError as error:
        raise Unreadable(f"{file}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise Unreadable(f"{file}: is not UTF-8", hint="a message is a text") from None


class LibraryEditRequest(NamedTuple):
    """The edit of a conversation in the library."""

    named: str
    library: str | None
    asked: EditArguments | None
    turn: Literal["undo", "redo"] | None
    history: bool
    save: bool
    conversation: str | None
    as_json: bool
    color: str = "auto"


def edit_library_conversation(wish: LibraryEditRequest) -> None:
    """Edit the conversation, and report the result."""
    if sum((wish.asked is not None, wish.turn is not None, wish.history)) > 1 or (
        wish.history and wish.save
    ):
        raise UsageError("say one thing to do", hint="an edit, --undo, --redo or --history")
    with open_library_at(wish.library) as library:
        # Read-only: opening for writing would create a missing library.
        edits = library.edits(wish.named)
        if wish.history:
            _print_edits(edits, wish)
            return
    with open_library_at(wish.library, write=True) as library:
        kept = library.conversation(wish.named)
        if wish.conversation is None and kept.several > 1 and kept.id.startswith(wish.named):
            wish = wish._replace(conversation=kept.key)
        edits = library.edits(kept)
        details = _apply_edit(edits, wish)
        written = [str(path) for path in edits.save()] if wish.save else []
        _report_edit(edits, wish, details, written)


def _apply_edit(edits: Versions, wish: LibraryEditRequest) -> Edit | None:
    """Return the edit that was made, undone or redone; None if the command only saves."""
    if wish.turn is not None:
        return edits.undo() if wish.turn == "undo" else edits.redo()
    if wish.asked is None:
        return None
    found = choose_conversations(edits.document(), wish.conversation)
    if len(found) != 1:
        count = f"{len(found)} conversations are in it"
        raise UsageError(count, hint="choose one with --conversation ID")
    edits.do(found[0].id, wish.asked.make_operation(found[0]))
    return edits.history.edits[-1]


def _report_edit(
    edits: Versions, wish: LibraryEditRequest, edit: Edit | None, written: list[str]
) -> None:
    saved = edits.history.is_saved
    if wish.as_json:
        shape: dict[str, Json] = {
            "edit": None if edit is None else _build_edit_shape(edits.history.find_edit(edit.id)),
            "saved": saved,
            "written": [*written],
        }
        output.print_text([format_document(shape)])
        return
    if edit is not None:
        verb = {"undo": "undone: ", "redo": "redone: ", None: ""}[wish.turn]
        state = "" if saved else "; not saved yet"
        print_stderr(f"talktree: {wish.named}: {verb}{describe_edit(edit.operation)}{state}")
    for path in written:
        print_stderr(f"talktree: {path}: saved")
    if wish.save and not written:
        print_stderr(f"talktree: {wish.named}: there was nothing to save")


def _print_edits(edits: Versions, wish: LibraryEditRequest) -> None:
    history = edits.history
    if wish.as_json:
        shapes: list[Json] = [_build_edit_shape(each) for each in history.edits]
        output.print_text([format_document({"saved": history.is_saved, "edits": shapes})])
        return
    output.print_lines(_format_edit_lines(history.edits), color=output.use_color(wish.color))


def _format_edit_lines(edits: list[Edit]) -> Iterator[Line]:
    if not edits:
        yield line(("no edits", "faint"))
    for edit in edits:
        style = "active" if edit.state == "done" else "faint"
        yield line(
            (f"{format_moment(edit.time) or '?':19}  ", "faint"),
            (f"{edit.state:6}  ", style),
            describe_edit(edit.operation),
        )


def _build_edit_shape(edit: Edit) -> dict[str, Json]:
    operation: dict[str, Json] = msgspec.to_builtins(edit.operation)
    return {
        "id": edit.id,
        "time": format_stamp(edit.time) or None,
        "state": edit.state,
        "what": describe_edit(edit.operation),
        "message": find_edited_message(edit.operation),
        "conversation": edit.conversation,
        "operation": operation,
    }


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
@library_arguments.at
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
    if library is not None or turn is not None or history or library_arguments.is_in_library(path):
        if out is not None:
            raise UsageError("edits of the library stay in it", hint="leave out -o; --save saves")
        edit = None if turn or history or _is_only_saving(more, save=save) else _parse_edit(more)
        edit_library_conversation(
            LibraryEditRequest(path, library, edit, turn, history, save, conversation, as_json)
        )
        return
    asked = _parse_edit(more)
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
    found = choose_conversations(document, conversation)
    if len(found) != 1:
        count = f"{len(found)} conversations are in it"
        raise UsageError(count, hint="choose one with --conversation ID")
    with add_companion_hint(path, asked.about, source_format):
        after = apply_edit(document, found[0].id, operation := asked.make_operation(found[0]))
    if save:
        _report_result(operation, _replace_source(after, path), as_json=as_json)
        return
    if out == "-":
        gate.check_stdout()
        output.write_file(api.write_pieces(after), folder=api.source_of(after).folder)
    else:
        _report_result(operation, _write_copy(document, after, str(out), gate), as_json=as_json)
    if not as_json:
        report_left_out(path, document)


def _replace_source(after: Document, path: str) -> EditReport:
    changed, backups = api.save_edited(after, path)
    return EditReport(path, changed, changed, backups)


def _write_copy(before: Document, after: Document, out: str, gate: OutputGate) -> EditReport:
    written = api.save_written(after, out, gate=gate)
    return EditReport(
        out, written, find_differing_files(api.source_of(before), Path(out), written), []
    )


def _is_only_saving(more: dict[str, object], *, save: bool) -> bool:
    return save and not any(more[verb] is not None for verb in VERBS)


def _parse_edit(more: dict[str, object]) -> EditArguments:
    verbs = [(verb, more[verb]) for verb in VERBS if more[verb] is not None]
    if len(verbs) != 1:
        raise UsageError(
            "say one thing to do", hint=f"one of {', '.join(f'--{verb}' for verb in VERBS)}"
        )
    verb, about = verbs[0]
    return EditArguments(verb, str(about), more)


class EditReport(NamedTuple):
    """What was written."""

    out: str
    written: list[Path]
    changed: list[Path]
    """The files that are not copies of the input."""
    backups: list[Path]


def _report_result(operation: Operation, result: EditReport, *, as_json: bool) -> None:
    if as_json:
        shape = {
            "operation": msgspec.to_builtins(operation),
            "written": [str(path) for path in result.written],
            "changed": [str(path) for path in result.changed],
            "backups": [str(path) for path in result.backups],
        }
        output.print_text([format_document(shape)])
        return
    made = (
        getattr(operation, "id", None) if isinstance(operation, ReplyTo | ReviseMessage) else None
    )
    if made and len(result.changed) > 1:
        print_stderr(f"talktree: {result.out}: message {made} is new")
        made = None
    for path in result.changed:
        print_stderr(f"talktree: {path}: {f'message {made} is new' if made else 'edited'}")
    copied = len(result.written) - len(result.changed)
    if copied:
        print_stderr(
            f"talktree: {result.out}: {format_count(copied, 'other file')} copied unchanged"
        )
    for path in result.backups:
        print_stderr(f"talktree: {path}: backup")


command.examples = (
    "talktree edit session.jsonl --reply 3f2a --text 'And in winter?' -o longer.jsonl",
    "talktree edit chat.json --replace 81cc --text-file better.md --save",
    "talktree edit chat.json --move 81cc --to root --save",
    "talktree edit chat.json --attach 81cc --file plan.pdf --save",
    "talktree edit 3f2a81cc --reply 9b1c --text 'And in winter?'",
    "talktree edit 3f2a81cc --undo",
    "talktree edit 3f2a81cc --save",
)
