"""Edits of an open conversation: made on the state that was seen, or not at all.

A file that is to go with a message: whether it may, and what must be confirmed.

What the page asks for, as an operation on a conversation.

Where an edit leads: the message to look at then, and the branch that goes through it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, assert_never

from talktree.errors import NotFound, UsageError
from talktree.formats import by_slug
from talktree.formats.attachment_review import refuse_size, review_attachment
from talktree.formats.blocks import attach_file
from talktree.formats.engine.write import refuse_role
from talktree.library.library import Library
from talktree.library.versions.edit_history import Edit
from talktree.library.versions.edit_history import History as Edits
from talktree.library.versions.editing import Versions
from talktree.model import operations
from talktree.model.conversation import Conversation
from talktree.model.operations import Attach, Clone, Operation, Reply
from talktree.views.edits import edit_words, edited_message
from talktree.web.actions.summary import summary_of
from talktree.web.actions.upload import Brought, Uploads
from talktree.web.documents.cache import Desk, Opened, edits_of, stamp_of
from talktree.web.documents.open_conversation import Paper
from talktree.web.documents.row_place import place_of
from talktree.web.errors import Stale
from talktree.web.schemas.edits_and_moves import (
    Deed,
    DoAttach,
    DoClone,
    DoDelete,
    DoMove,
    DoPopUp,
    DoRemove,
    DoReplace,
    DoReply,
    DoRetype,
    DoRevise,
    DoSwap,
    DoUndelete,
    Edited,
    EditLine,
    History,
)
from talktree.web.schemas.library import Upload
from talktree.web.studio import Studio

NO_CONVERSATION = "a file to attach"


def content_of(file: Brought) -> tuple[bytes, str]:
    """The bytes of a file and a name it may have; a file that is too large is not read."""
    if file.files is not None:
        raise UsageError("a folder cannot go with a message", hint="attach its files")
    refuse_size(file.size, file.plain_name)
    return file.path.read_bytes(), file.plain_name


def require_harmless(file: Brought, deed: DoAttach) -> None:
    """Raise if a file is dangerous, or suspicious and that is not accepted."""
    data, name = content_of(file)
    review_attachment(data, name, claimed=deed.type).require(name, accept=deed.accept)


def reviewed(file: Brought, claimed: str) -> Upload:
    """What the page shows of a file before it is attached; a dangerous one is refused."""
    data, name = content_of(file)
    review = review_attachment(data, name, claimed=claimed)
    review.require(name, accept=True)
    return Upload(
        upload=file.id,
        name=name,
        size=file.size,
        format=None,
        confidence=0.0,
        reason=NO_CONVERSATION,
        conversations=0,
        messages=0,
        findings=None,
        warnings=review.warnings,
    )


MOST_COPIES = 20_000
"""How many messages may be copied at once."""


def operation_of(opened: Opened, deed: Deed, uploads: Uploads) -> Operation:
    """The operation that a deed means; ids and times are made here."""
    talk = opened.as_read
    new_id = by_slug(opened.document.format).new_id
    match deed:
        case DoReply(parent=parent, text=text, role=role):
            return operations.reply(talk, parent, text, _role(opened, role), new_id=new_id)
        case DoRevise(about=about, text=text):
            return operations.revise(talk, about, text, new_id=new_id)
        case DoReplace(about=about, text=text):
            return operations.replace(talk, about, text)
        case DoClone(about=about, below=below):
            return _few(operations.clone(talk, about, below=below, new_id=new_id))
        case DoMove(about=about, to=to):
            return operations.move(talk, about, to)
        case DoSwap(about=about, other=other):
            return operations.swap(talk, about, other)
        case DoPopUp(about=about):
            # As it is shown: links that were inferred count as well.
            return operations.pop_up(opened.conversation, about)
        case DoRetype(about=about, role=role):
            return operations.retype(talk, about, _role(opened, role))
        case DoAttach(about=about):
            return _attach(opened, talk[about].id, deed, uploads)
        case DoDelete(about=about):
            return operations.delete(talk, about)
        case DoUndelete(about=about):
            return operations.undelete(talk, about)
        case DoRemove(about=about):
            return operations.remove(talk, about)
        case _:
            assert_never(deed)


def _few(clone: Clone) -> Clone:
    if len(clone.ids) > MOST_COPIES:
        raise UsageError(
            f"{len(clone.ids):,} messages are too many to copy at once",
            hint="copy the message alone, or one further below",
        )
    return clone


def _role(opened: Opened, role: str) -> str:
    """A role, if the format knows it."""
    refuse_role(by_slug(opened.document.format), role)
    return role


def _attach(opened: Opened, about: str, deed: DoAttach, uploads: Uploads) -> Attach:
    data, name = content_of(uploads.get(deed.upload))
    return attach_file(by_slug(opened.document.format), about, name, data)


def near(operation: Operation, before: Conversation) -> tuple[str, ...]:
    """The messages an edit concerns, the nearest first; some may not be there afterwards."""
    return tuple(dict.fromkeys(_near(operation, before)))


def _near(operation: Operation, before: Conversation) -> Iterator[str]:
    yield edited_message(operation)
    if isinstance(operation, Reply):
        if operation.parent is not None:
            yield operation.parent
        return
    yield operation.about
    try:
        parent = before[operation.about].parent
    except NotFound:
        return
    if parent is not None:
        yield parent


def arrived(opened: Opened, wanted: tuple[str, ...]) -> tuple[str | None, str | None]:
    """The leaf of the branch to show, and the message on it: the first of these that is there."""
    bones = opened.conversation.skeleton
    for id in wanted:
        position = bones.by_id.get(id)
        if position is not None:
            end = opened.conversation.tree.end_of(position)
            return bones.ids[end], bones.ids[position]
    return opened.leaf, None


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
