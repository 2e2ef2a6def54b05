"""Edits in words, as a list of them shows each."""

from __future__ import annotations

from talktree.model.operations import (
    AddArtifact,
    Attach,
    Clone,
    Delete,
    Move,
    Operation,
    Remove,
    Replace,
    Reply,
    Retype,
    Revise,
    Swap,
    Undelete,
)
from talktree.views.width import one_line

SHORT = 60


def edit_words(operation: Operation) -> str:
    """What an edit does, in a line."""
    match operation:
        case Reply(parent=None):
            return f"new beginning: {_brief(operation.text)}"
        case Reply():
            return f"reply: {_brief(operation.text)}"
        case Revise():
            return f"edited as a new branch: {_brief(operation.text)}"
        case Replace():
            return f"edited in place: {_brief(operation.text)}"
        case Clone():
            more = len(operation.ids) - 1
            return f"copied with {more:,} below it" if more else "copied"
        case Retype():
            return f"role changed to {_brief(operation.role)}"
        case Delete():
            return "marked as deleted"
        case Undelete():
            return "restored"
        case Remove():
            return "taken out"
        case Move(to=None):
            return "made a beginning"
        case Move():
            return "moved"
        case Swap():
            return "swapped with another message"
        case Attach():
            return f"attached {_brief(operation.name or operation.media_type)}"
        case AddArtifact():
            return f"added the artifact {_brief(operation.title)}"


def edited_message(operation: Operation) -> str:
    """The message an edit made, or the one it is about."""
    match operation:
        case Reply() | Revise():
            return operation.id
        case Clone():
            return operation.ids[operation.about]
        case _:
            return operation.about


def _brief(text: str) -> str:
    return one_line(text, SHORT)
