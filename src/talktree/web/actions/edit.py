"""Edit open conversations: an edit applies to the state the page saw, or is refused.

Also: checking files before they are attached, turning the page's requests into operations, and
finding the message and branch to show after an edit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, assert_never

from talktree.errors import NotFound, UsageError
from talktree.formats import get_format
from talktree.formats.attachment_review import refuse_size, review_attachment
from talktree.formats.blocks import make_attach_file_operation
from talktree.formats.engine.write import refuse_role
from talktree.library.library import Library
from talktree.library.versions.edit_history import Edit
from talktree.library.versions.edit_history import EditHistory as Edits
from talktree.library.versions.editing import Versions
from talktree.model import operations
from talktree.model.conversation import Conversation
from talktree.model.operations import AttachFile, CloneMessage, Operation, ReplyTo
from talktree.views.edits import describe_edit, find_edited_message
from talktree.web.actions.summary import build_summary
from talktree.web.actions.upload import UploadedFiles, Uploads
from talktree.web.documents.cache import (
    DocumentCache,
    OpenConversation,
    compute_edit_stamp,
    read_edit_history,
)
from talktree.web.documents.open_conversation import LoadedSource
from talktree.web.documents.row_place import find_place
from talktree.web.errors import StaleState
from talktree.web.schemas.edits_and_moves import (
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
    EditAction,
    EditLine,
    EditResult,
    HistoryState,
)
from talktree.web.schemas.library import Upload
from talktree.web.studio import StudioContext

NO_CONVERSATION = "a file to attach"


def read_content(file: UploadedFiles) -> tuple[bytes, str]:
    """Return the bytes of a file and its plain name; a file that is too large is not read."""
    if file.files is not None:
        raise UsageError("a folder cannot go with a message", hint="attach its files")
    refuse_size(file.size, file.plain_name)
    return file.path.read_bytes(), file.plain_name


def require_harmless(file: UploadedFiles, edit: DoAttach) -> None:
    """Raise if a file is dangerous, or suspicious and that is not accepted."""
    data, name = read_content(file)
    review_attachment(data, name, claimed=edit.type).require(name, accept=edit.accept)


def review_upload(file: UploadedFiles, claimed: str) -> Upload:
    """Return what the page shows of a file before it is attached; a dangerous one is refused."""
    data, name = read_content(file)
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
"""Maximum number of messages in one copy."""


def make_operation(opened: OpenConversation, edit: EditAction, uploads: Uploads) -> Operation:
    """Return the operation for an edit action; ids and times are made here."""
    talk = opened.original_conversation
    new_id = get_format(opened.document.format).new_id
    match edit:
        case DoReply(parent=parent, text=text, role=role):
            return operations.reply(talk, parent, text, _check_role(opened, role), new_id=new_id)
        case DoRevise(about=about, text=text):
            return operations.revise(talk, about, text, new_id=new_id)
        case DoReplace(about=about, text=text):
            return operations.replace(talk, about, text)
        case DoClone(about=about, below=below):
            return _check_clone_size(operations.clone(talk, about, below=below, new_id=new_id))
        case DoMove(about=about, to=to):
            return operations.move(talk, about, to)
        case DoSwap(about=about, other=other):
            return operations.swap(talk, about, other)
        case DoPopUp(about=about):
            # As shown, so inferred links count as well.
            return operations.move_up(opened.conversation, about)
        case DoRetype(about=about, role=role):
            return operations.retype(talk, about, _check_role(opened, role))
        case DoAttach(about=about):
            return _make_attach(opened, talk[about].id, edit, uploads)
        case DoDelete(about=about):
            return operations.delete(talk, about)
        case DoUndelete(about=about):
            return operations.undelete(talk, about)
        case DoRemove(about=about):
            return operations.remove(talk, about)
        case _:
            assert_never(edit)


def _check_clone_size(clone: CloneMessage) -> CloneMessage:
    if len(clone.ids) > MOST_COPIES:
        raise UsageError(
            f"{len(clone.ids):,} messages are too many to copy at once",
            hint="copy the message alone, or one further below",
        )
    return clone


def _check_role(opened: OpenConversation, role: str) -> str:
    """Return a role if the format knows it, else raise."""
    refuse_role(get_format(opened.document.format), role)
    return role


def _make_attach(
    opened: OpenConversation, about: str, edit: DoAttach, uploads: Uploads
) -> AttachFile:
    data, name = read_content(uploads.get(edit.upload))
    return make_attach_file_operation(get_format(opened.document.format), about, name, data)


def find_near_messages(operation: Operation, before: Conversation) -> tuple[str, ...]:
    """Return the messages an edit concerns, nearest first; an edit may have removed some."""
    return tuple(dict.fromkeys(_find_near(operation, before)))


def _find_near(operation: Operation, before: Conversation) -> Iterator[str]:
    yield find_edited_message(operation)
    if isinstance(operation, ReplyTo):
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


def find_landing(
    opened: OpenConversation, wanted: tuple[str, ...]
) -> tuple[str | None, str | None]:
    """Return the leaf of the branch to show, and the first of these messages that exists."""
    skeleton = opened.conversation.skeleton
    for id in wanted:
        position = skeleton.by_id.get(id)
        if position is not None:
            end = opened.conversation.tree.end_of(position)
            return skeleton.ids[end], skeleton.ids[position]
    return opened.leaf, None


MILLISECOND = 1_000_000


def open_edits(library: Library, source: int, stamp: str) -> Versions:
    """Open the edits of a source for writing; refuse if its state is not the one the page saw.

    An import may run between any two steps here, so the state is checked last.
    """

    def sure() -> None:
        """Raise if the state has changed."""
        refuse_stale(library, source, stamp)

    return Versions(library, source, sure)


def refuse_stale(library: Library, source: int, stamp: str) -> None:
    """Raise if the state of a source is not the one the page saw."""
    now = compute_edit_stamp(library.db, source)
    if now != stamp:
        raise StaleState(now)


def apply_edit(studio: StudioContext, cid: str, stamp: str, action: EditAction) -> EditResult:
    """Apply one more edit."""
    cache = studio.cache
    if isinstance(action, DoAttach):
        # Before anything is locked: a virus scanner may be slow.
        require_harmless(Uploads(studio.scratch).get(action.upload), action)
    with cache.open_for_writing() as library:
        # Checked under the lock: a concurrent edit has changed the stamp.
        before = cache.require(cid, stamp)
        operation = make_operation(before, action, Uploads(studio.scratch))
        edit = _add_edit(cache, library, before, operation)
        after = cache.open(cid)
    words = describe_edit(operation)
    return _build_result(
        studio, after, edit, find_near_messages(operation, before.original_conversation), words
    )


def _add_edit(
    cache: DocumentCache, library: Library, before: OpenConversation, operation: Operation
) -> int:
    """Apply an edit to the loaded source and return its number.

    The loaded source is replaced by the result if nothing else changed in between.
    """
    source, stamp, db = before.kept.source, before.stamp, library.db
    was = read_edit_history(db, source)
    known = None if before.paper.notice else before.document
    made = open_edits(library, source, stamp).do(before.original_conversation.id, operation, known)
    with db.snapshot():
        now, unmoved = read_edit_history(db, source), compute_edit_stamp(db, source, was) == stamp
        state = compute_edit_stamp(db, source, now)
    last = now.list_counting()[-1:]
    alone = now.standing[:-1] == was.standing and [each.operation for each in last] == [operation]
    if known is not None and unmoved and alone:
        titles, is_edited = before.paper.titles, not now.is_saved
        cache.cache_source(
            LoadedSource(before.kept, made, state, edited=is_edited, notice=None, titles=titles)
        )
    return now.standing[-1]


def undo_edit(studio: StudioContext, cid: str, stamp: str, wanted: int | None = None) -> EditResult:
    """Undo the last edit that is in effect."""
    return _undo_or_redo(studio, cid, stamp, wanted, redo=False)


def redo_edit(studio: StudioContext, cid: str, stamp: str, wanted: int | None = None) -> EditResult:
    """Redo the edit that was undone last."""
    return _undo_or_redo(studio, cid, stamp, wanted, redo=True)


def _undo_or_redo(
    studio: StudioContext, cid: str, stamp: str, wanted: int | None, *, redo: bool
) -> EditResult:
    cache = studio.cache
    with cache.open_for_writing() as library:
        before = cache.require(cid, stamp)
        edits = open_edits(library, before.kept.source, stamp)
        if wanted is not None and wanted != _find_next(edits.history, redo=redo):
            raise StaleState(stamp)
        edit = edits.redo() if redo else edits.undo()
        after = cache.open(cid)
    verb = "redone" if redo else "undone"
    what = f"{verb}: {describe_edit(edit.operation)}"
    return _build_result(
        studio,
        after,
        edit.id,
        find_near_messages(edit.operation, before.original_conversation),
        what,
    )


def _find_next(history: Edits, *, redo: bool) -> int | None:
    """Return the edit that the next undo or redo applies to."""
    edits = history.redoable if redo else history.standing
    return edits[-1] if edits else None


def _build_result(
    studio: StudioContext, after: OpenConversation, edit: int, wanted: tuple[str, ...], what: str
) -> EditResult:
    leaf, id = find_landing(after, wanted)
    place = None if id is None else find_place(after, id, leaf)
    return EditResult(
        stamp=after.stamp,
        edit=edit,
        leaf=leaf,
        id=id,
        number=None if place is None else place.number,
        what=what,
        conversation=build_summary(studio, after),
        history=read_history(studio, after.cid),
    )


def read_history(studio: StudioContext, cid: str) -> HistoryState:
    """Return all edits of the source of a conversation."""
    library = studio.cache.get_library()
    kept, _ = studio.cache.find_library_entry(cid)
    edits = Versions(library, kept.source)
    with library.db.snapshot():
        found = edits.history
        return HistoryState(
            stamp=studio.cache.compute_stamp(cid),
            edits=tuple(_build_line(each, found) for each in found.edits),
            can_undo=edits.can_undo,
            can_redo=found.can_redo,
            saved=found.is_saved,
        )


def _build_line(edit: Edit, history: Edits) -> EditLine:
    return EditLine(
        id=edit.id,
        time=edit.time // MILLISECOND,
        what=describe_edit(edit.operation),
        state=_find_state(edit, history),
        about=find_edited_message(edit.operation),
    )


def _find_state(edit: Edit, history: Edits) -> Literal["done", "undone", "settled", "dropped"]:
    """Return whether an edit can be undone or redone: undo applies to edits in effect, redo to the
    edit undone last."""
    if edit.id in history.standing:
        return "done"
    if edit.id in history.redoable:
        return "undone"
    return "settled" if edit.state == "done" else "dropped"
