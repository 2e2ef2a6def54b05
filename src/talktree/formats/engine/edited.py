"""A document after an edit, if its format can say what the edit means."""

from __future__ import annotations

from talktree.errors import WouldLose
from talktree.formats import by_slug
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.message import DELETED
from talktree.model.operations import Delete, Operation, done
from talktree.model.skeleton import ROOT


def edited(document: Document, conversation: str, operation: Operation) -> Document:
    """The document with one edit made; whether it can be written, writing it tells."""
    can = by_slug(document.format).can
    if isinstance(operation, Delete) and DELETED not in can.flags:
        raise WouldLose(
            f"{document.format} has no mark for deleted messages",
            hint="take the message out instead, or write it to a format that has one",
        )
    changed = done(document.find(conversation), operation)
    if not can.branches:
        _refuse_beginnings(changed)
    return document.with_conversation(changed)


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
