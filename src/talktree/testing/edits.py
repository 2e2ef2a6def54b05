"""Which edits a format can hold: each is made, written, read again and compared.

An edit that works must be there after reading; one that does not must be refused with a clear
message before anything is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple

from talktree import api
from talktree.errors import TalktreeError, UsageError
from talktree.files import Source
from talktree.formats import get_format
from talktree.formats.blocks import make_attach_operation
from talktree.formats.engine import DocumentOrigin
from talktree.formats.engine.write import apply_edit
from talktree.model import operations
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.message import DELETED, Message
from talktree.model.operations import Operation
from talktree.model.parts import Attachment

PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
TEXT = "Other words, with <marks> & “quotes”.\nAnd a second line"
MOST_TRIED = 12
"""Maximum number of messages on which an edit is tried."""
Maker = Callable[[Conversation, Message], Operation]

KINDS: dict[str, Maker] = {
    "reply": lambda talk, each: operations.reply(talk, each.id, TEXT),
    "new beginning": lambda talk, _: operations.reply(talk, None, TEXT),
    "edit as a branch": lambda talk, each: operations.revise(talk, each.id, TEXT),
    "edit in place": lambda talk, each: operations.replace(talk, each.id, TEXT),
    "clone": lambda talk, each: operations.clone(talk, each.id),
    "clone with replies": lambda talk, each: operations.clone(talk, each.id, below=True),
    "move": lambda talk, each: operations.move(talk, each.id, next(talk.messages()).id),
    "pop up": lambda talk, each: operations.move_up(talk, each.id),
    "swap": lambda talk, each: operations.swap(talk, each.id, next(talk.messages()).id),
    "change role": lambda talk, each: operations.retype(
        talk, each.id, _choose_other_role(talk, each)
    ),
    "delete": lambda talk, each: operations.delete(talk, each.id),
    "restore": lambda talk, each: operations.undelete(talk, each.id),
    "remove": lambda talk, each: operations.remove(talk, each.id),
    "attach": lambda talk, each: make_attach_operation(
        get_format(talk.format), each.id, "dot.gif", "image/gif", PIXEL
    ),
}
"""Every kind of edit, and how to make one for a message."""


class EditOutcome(NamedTuple):
    """The outcome of an edit."""

    operation: Operation | None
    edited: Document | None
    refusal: str | None
    lost: bool = False
    """Whether it was written but missing when the file was read again: a bug."""
    senseless: bool = False
    """Whether it has no meaning at that message, such as a move to its current place."""


def try_edit(document: Document, conversation: Conversation, kind: str) -> Iterator[EditOutcome]:
    """Try a kind of edit on the first messages of a conversation, one after the other."""
    for message in islice(conversation.messages(), MOST_TRIED):
        before = document
        if kind == "restore":
            # Only a deleted message can be restored.
            deleted = compute_outcome(document, conversation, message, KINDS["delete"])
            if deleted.edited is None:
                yield deleted
                continue
            before = deleted.edited
        yield compute_outcome(before, before.find(conversation.id), message, KINDS[kind])


def compute_outcome(
    document: Document, conversation: Conversation, about: Message, make: Maker
) -> EditOutcome:
    """Return the outcome of one edit."""
    operation: Operation | None = None
    try:
        operation = make(conversation, about)
        after = apply_edit(document, conversation.id, operation)
        found = _read_again(after).find(conversation.id)
    except UsageError as error:
        return EditOutcome(None, None, error.message, senseless=True)
    except TalktreeError as error:
        return EditOutcome(operation, None, error.message)
    lost = content_shape(found) != content_shape(after.find(conversation.id))
    return EditOutcome(operation, after, None, lost=lost)


def content_shape(conversation: Conversation) -> Counter[bytes]:
    """Return the content by its place in the tree, without its order in the file."""
    skeleton, keys = conversation.skeleton, dict[int, bytes]()
    for position in conversation.tree.order:
        entry = conversation.entry(position)
        if isinstance(entry, Message):
            # Inferred links may be inferred differently.
            linked = position in skeleton.linked
            above = b"" if linked else keys.get(skeleton.parents[position], b"")
            keys[position] = blake2b(above + _content_of(entry), digest_size=16).digest()
    return Counter(keys.values())


def _content_of(message: Message) -> bytes:
    files = [part.url for part in message.parts if isinstance(part, Attachment)]
    details = (message.role, message.text, DELETED in message.flags, files)
    return repr(details).encode("utf-8", "surrogatepass")


def _read_again(document: Document) -> Document:
    files = api.to_bytes(document)
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    if origin.source.folder:
        source = Source.of_files(files, name=origin.source.name)
    else:
        ((name, data),) = files.items()
        source = Source.of_bytes(data, name=name)
    return api.read(source, format=document.format)


def _choose_other_role(conversation: Conversation, message: Message) -> str:
    roles = get_format(conversation.format).can.roles or ("user", "assistant", "system")
    return next(role for role in roles if role != message.role)
