"""A document after an edit, if its format can say what the edit means."""

from __future__ import annotations

from talktree.errors import UsageError, WouldLose
from talktree.formats import by_slug
from talktree.formats.engine.order import placed
from talktree.formats.engine.origin import Origin
from talktree.formats.engine.write_item import item_of
from talktree.formats.format import Format
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.message import DELETED, Message
from talktree.model.operations import AddArtifact, Delete, Operation, Reply, Retype, done
from talktree.model.skeleton import ROOT


def edited(document: Document, conversation: str, operation: Operation) -> Document:
    """The document with one edit made; whether it can be written, writing it tells."""
    format = by_slug(document.format)
    can = format.can
    if isinstance(operation, Delete) and DELETED not in can.flags:
        raise WouldLose(
            f"{document.format} has no mark for deleted messages",
            hint="take the message out instead, or write it to a format that has one",
        )
    if isinstance(operation, AddArtifact) and "artifact" not in can.parts:
        raise WouldLose(
            f"{document.format} has no place for artifacts",
            hint="put the content into the message, or write it to a format that has one",
        )
    if isinstance(operation, Reply | Retype):
        refuse_role(format, operation.role)
    changed = filled(document.find(conversation), operation)
    if not can.branches:
        _refuse_beginnings(changed)
    return document.with_conversation(changed)


def refuse_role(format: Format, role: str) -> None:
    """Raise if a format does not have a role."""
    known = format.can.roles
    if not role or (known is not None and role not in known):
        raise UsageError(
            f"{format.info.slug} has no role {role[:40]!r}",
            hint=f"it has {', '.join(known)}" if known else "a role is a word",
        )


def refuse_unwritable(before: Conversation, document: Document) -> None:
    """Raise what writing a document would raise for what changed since a conversation was edited.

    It is the conversation with the same id that is compared.
    """
    origin, after = document.origin, document.find(before.id)
    assert isinstance(origin, Origin)
    depths = dict(placed(after, origin))
    for number, entry in after.changed.items():
        if before.changed.get(number) is not entry and number in depths:
            item_of(after, number, depths[number], origin)


def filled(before: Conversation, operation: Operation) -> Conversation:
    """The conversation after an operation, with what its format says of the messages it makes."""
    format, after = by_slug(before.format), done(before, operation)
    changed = dict(after.changed)
    for number, entry in after.changed.items():
        if number < 0 and number not in before.changed and isinstance(entry, Message):
            changed[number] = format.fill(entry, after)
    return after if changed == after.changed else after.with_entries(after.members, changed)


def _refuse_beginnings(conversation: Conversation) -> None:
    """Raise if a message shall follow nobody where there is only one line of messages.

    Writing would put it behind the one before it, as conversions want it: not what was asked for.
    """
    bones = conversation.skeleton
    first = next((place for place, trait in enumerate(bones.traits) if trait), 0)
    for position, number in enumerate(conversation.members):
        if position <= first or number not in conversation.changed:
            continue
        if bones.traits[position] and bones.parents[position] == ROOT:
            raise WouldLose(
                f"{conversation.format} holds one line of messages, and so one beginning",
                hint="write it to a format that has branches",
            )
