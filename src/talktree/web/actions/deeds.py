"""What the page asks for, as an operation on a conversation."""

from __future__ import annotations

from typing import assert_never

from talktree.errors import UsageError
from talktree.formats import by_slug
from talktree.formats.blocks import attach_file
from talktree.formats.engine.write import refuse_role
from talktree.model import operations
from talktree.model.operations import Attach, Clone, Operation
from talktree.web.actions.attaching import content_of
from talktree.web.actions.uploads import Uploads
from talktree.web.documents.desk import Opened
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
