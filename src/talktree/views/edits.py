"""Descriptions of edits, as lists show them."""

from __future__ import annotations

from talktree.model.operations import (
    AddArtifact,
    AttachFile,
    ChangeRole,
    CloneMessage,
    DeleteMessage,
    MoveMessage,
    Operation,
    RemoveMessage,
    ReplaceText,
    ReplyTo,
    ReviseMessage,
    SwapMessages,
    UndeleteMessage,
)
from talktree.views.width import to_one_line

SHORT = 60


def describe_edit(operation: Operation) -> str:
    """Describe what an edit does, in one line."""
    match operation:
        case ReplyTo(parent=None):
            return f"new beginning: {_shorten(operation.text)}"
        case ReplyTo():
            return f"reply: {_shorten(operation.text)}"
        case ReviseMessage():
            return f"edited as a new branch: {_shorten(operation.text)}"
        case ReplaceText():
            return f"edited in place: {_shorten(operation.text)}"
        case CloneMessage():
            more = len(operation.ids) - 1
            return f"copied with {more:,} below it" if more else "copied"
        case ChangeRole():
            return f"role changed to {_shorten(operation.role)}"
        case DeleteMessage():
            return "marked as deleted"
        case UndeleteMessage():
            return "restored"
        case RemoveMessage():
            return "taken out"
        case MoveMessage(to=None):
            return "made a beginning"
        case MoveMessage():
            return "moved"
        case SwapMessages():
            return "swapped with another message"
        case AttachFile():
            return f"attached {_shorten(operation.name or operation.media_type)}"
        case AddArtifact():
            return f"added the artifact {_shorten(operation.title)}"


def find_edited_message(operation: Operation) -> str:
    """Return the message that an edit made or changed."""
    match operation:
        case ReplyTo() | ReviseMessage():
            return operation.id
        case CloneMessage():
            return operation.ids[operation.about]
        case _:
            return operation.about


def _shorten(text: str) -> str:
    return to_one_line(text, SHORT)
