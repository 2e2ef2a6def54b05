"""Edits of an open conversation: made on the state that was seen, or not at all."""

from __future__ import annotations

from typing import Literal

from talktree.library.library import Library
from talktree.library.versions.edit_history import Edit
from talktree.library.versions.edit_history import History as Edits
from talktree.library.versions.editing import Versions
from talktree.model.operations import Operation
from talktree.views.edits import edit_words, edited_message
from talktree.web.actions.arrival import arrived, near
from talktree.web.actions.attaching import require_harmless
from talktree.web.actions.deeds import operation_of
from talktree.web.actions.summary import summary_of
from talktree.web.actions.uploads import Uploads
from talktree.web.documents.desk import Desk, Opened
from talktree.web.documents.open_conversation import Paper
from talktree.web.documents.row_place import place_of
from talktree.web.documents.stamp import edits_of, stamp_of
from talktree.web.errors import Stale
from talktree.web.schemas.edits_and_moves import Deed, DoAttach, Edited, EditLine, History
from talktree.web.studio import Studio

MILLISECOND = 1_000_000


def edits_on(library: Library, source: int, stamp: str) -> Versions:
    """The edits of a source; nothing is written if its state is not the one that was seen.

    An import may come in between any two steps here, so that is asked last of all.
    """

    def sure() -> None:
        """Raise if it is another state by now."""
        refuse_stale(library, source, stamp)

    return Versions(library, source, sure)


def refuse_stale(library: Library, source: int, stamp: str) -> None:
    """Raise if the state of a source is not the one that was seen."""
    now = stamp_of(library.db, source)
    if now != stamp:
        raise Stale(now)


def done(studio: Studio, cid: str, stamp: str, deed: Deed) -> Edited:
    """One more edit."""
    desk = studio.desk
    if isinstance(deed, DoAttach):
        # Before anything is locked: a virus scanner may take its time.
        require_harmless(Uploads(studio.scratch).get(deed.upload), deed)
    with desk.writing() as library:
        # Asked when nobody else can write: who comes second finds another stamp.
        before = desk.require(cid, stamp)
        operation = operation_of(before, deed, Uploads(studio.scratch))
        edit = _do(desk, library, before, operation)
        after = desk.open(cid)
    words = edit_words(operation)
    return _edited(studio, after, edit, near(operation, before.as_read), words)


def _do(desk: Desk, library: Library, before: Opened, operation: Operation) -> int:
    """An edit on what lies open, and its number.

    What it makes of that lies open then, if nothing came between.
    """
    source, stamp, db = before.kept.source, before.stamp, library.db
    was = edits_of(db, source)
    known = None if before.paper.notice else before.document
    made = edits_on(library, source, stamp).do(before.as_read.id, operation, known)
    with db.snapshot():
        now, unmoved = edits_of(db, source), stamp_of(db, source, was) == stamp
        state = stamp_of(db, source, now)
    last = now.counting()[-1:]
    alone = now.standing[:-1] == was.standing and [each.operation for each in last] == [operation]
    if known is not None and unmoved and alone:
        titles, is_edited = before.paper.titles, not now.is_saved
        desk.lay_out(Paper(before.kept, made, state, edited=is_edited, notice=None, titles=titles))
    return now.standing[-1]


def undone(studio: Studio, cid: str, stamp: str, wanted: int | None = None) -> Edited:
    """The last edit that counts, taken back."""
    return _turned(studio, cid, stamp, wanted, redo=False)


def redone(studio: Studio, cid: str, stamp: str, wanted: int | None = None) -> Edited:
    """The edit that was taken back last, done again."""
    return _turned(studio, cid, stamp, wanted, redo=True)


def _turned(studio: Studio, cid: str, stamp: str, wanted: int | None, *, redo: bool) -> Edited:
    desk = studio.desk
    with desk.writing() as library:
        before = desk.require(cid, stamp)
        edits = edits_on(library, before.kept.source, stamp)
        if wanted is not None and wanted != _next(edits.history, redo=redo):
            raise Stale(stamp)
        edit = edits.redo() if redo else edits.undo()
        after = desk.open(cid)
    verb = "redone" if redo else "undone"
    what = f"{verb}: {edit_words(edit.operation)}"
    return _edited(studio, after, edit.id, near(edit.operation, before.as_read), what)


def _next(history: Edits, *, redo: bool) -> int | None:
    """The edit that the next undo or redo is about."""
    edits = history.redoable if redo else history.standing
    return edits[-1] if edits else None


def _edited(studio: Studio, after: Opened, edit: int, wanted: tuple[str, ...], what: str) -> Edited:
    leaf, id = arrived(after, wanted)
    place = None if id is None else place_of(after, id, leaf)
    return Edited(
        stamp=after.stamp,
        edit=edit,
        leaf=leaf,
        id=id,
        number=None if place is None else place.number,
        what=what,
        conversation=summary_of(studio, after),
        history=history(studio, after.cid),
    )


def history(studio: Studio, cid: str) -> History:
    """All edits of the source of a conversation."""
    library = studio.desk.library()
    kept, _ = studio.desk.kept(cid)
    edits = Versions(library, kept.source)
    with library.db.snapshot():
        found = edits.history
        return History(
            stamp=studio.desk.stamp(cid),
            edits=tuple(_line(each, found) for each in found.edits),
            can_undo=edits.can_undo,
            can_redo=found.can_redo,
            saved=found.is_saved,
        )


def _line(edit: Edit, history: Edits) -> EditLine:
    return EditLine(
        id=edit.id,
        time=edit.time // MILLISECOND,
        what=edit_words(edit.operation),
        state=_state(edit, history),
        about=edited_message(edit.operation),
    )


def _state(edit: Edit, history: Edits) -> Literal["done", "undone", "settled", "dropped"]:
    """What can become of an edit: an undo reaches what counts, a redo what was undone last."""
    if edit.id in history.standing:
        return "done"
    if edit.id in history.redoable:
        return "undone"
    return "settled" if edit.state == "done" else "dropped"
