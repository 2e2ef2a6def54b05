"""`talktree edit` on a conversation of the library: edits that can be undone, and saved later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from talktree.cli import output
from talktree.cli.choose import chosen
from talktree.cli.edits import Asked
from talktree.cli.errors import tell
from talktree.cli.opening import opened
from talktree.errors import UsageError
from talktree.text.json.value import Json
from talktree.views.edits import edit_words, edited_message
from talktree.views.lines import Line, line
from talktree.views.shapes import document_text
from talktree.views.when import moment, stamp

if TYPE_CHECKING:
    from talktree.library.versions.edit_history import Edit
    from talktree.library.versions.editing import Versions


class Wish(NamedTuple):
    """What is to be done with a conversation of the library."""

    named: str
    library: str | None
    asked: Asked | None
    turn: Literal["undo", "redo"] | None
    history: bool
    save: bool
    conversation: str | None
    as_json: bool
    color: str = "auto"


def edit_kept(wish: Wish) -> None:
    """Do it, and tell what came of it."""
    if sum((wish.asked is not None, wish.turn is not None, wish.history)) > 1 or (
        wish.history and wish.save
    ):
        raise UsageError("say one thing to do", hint="an edit, --undo, --redo or --history")
    with opened(wish.library) as library:
        # Only to look: whoever writes would make a library where there is none.
        edits = library.edits(wish.named)
        if wish.history:
            _list(edits, wish)
            return
    with opened(wish.library, write=True) as library:
        kept = library.conversation(wish.named)
        if wish.conversation is None and kept.several > 1 and kept.id.startswith(wish.named):
            wish = wish._replace(conversation=kept.key)
        edits = library.edits(kept)
        told = _done(edits, wish)
        written = [str(path) for path in edits.save()] if wish.save else []
        _tell(edits, wish, told, written)


def _done(edits: Versions, wish: Wish) -> Edit | None:
    """The edit that was made, undone or redone; None if nothing but saving is asked for."""
    if wish.turn is not None:
        return edits.undo() if wish.turn == "undo" else edits.redo()
    if wish.asked is None:
        return None
    found = chosen(edits.document(), wish.conversation)
    if len(found) != 1:
        raise UsageError(
            f"{len(found)} conversations are in it", hint="choose one with --conversation ID"
        )
    edits.do(found[0].id, wish.asked.operation(found[0]))
    return edits.history.edits[-1]


def _tell(edits: Versions, wish: Wish, edit: Edit | None, written: list[str]) -> None:
    saved = edits.history.is_saved
    if wish.as_json:
        shape: dict[str, Json] = {
            "edit": None if edit is None else _shape(edits.history.edit(edit.id)),
            "saved": saved,
            "written": [*written],
        }
        output.print_text([document_text(shape)])
        return
    if edit is not None:
        verb = {"undo": "undone: ", "redo": "redone: ", None: ""}[wish.turn]
        state = "" if saved else "; not saved yet"
        tell(f"talktree: {wish.named}: {verb}{edit_words(edit.operation)}{state}")
    for path in written:
        tell(f"talktree: {path}: saved")
    if wish.save and not written:
        tell(f"talktree: {wish.named}: there was nothing to save")


def _list(edits: Versions, wish: Wish) -> None:
    history = edits.history
    if wish.as_json:
        shapes: list[Json] = [_shape(each) for each in history.edits]
        output.print_text([document_text({"saved": history.is_saved, "edits": shapes})])
        return
    output.print_lines(_lines(history.edits), color=output.use_color(wish.color))


def _lines(edits: list[Edit]) -> Iterator[Line]:
    if not edits:
        yield line(("no edits", "faint"))
    for edit in edits:
        style = "active" if edit.state == "done" else "faint"
        yield line(
            (f"{moment(edit.time) or '?':19}  ", "faint"),
            (f"{edit.state:6}  ", style),
            edit_words(edit.operation),
        )


def _shape(edit: Edit) -> dict[str, Json]:
    operation: dict[str, Json] = msgspec.to_builtins(edit.operation)
    return {
        "id": edit.id,
        "time": stamp(edit.time) or None,
        "state": edit.state,
        "what": edit_words(edit.operation),
        "message": edited_message(edit.operation),
        "conversation": edit.conversation,
        "operation": operation,
    }
