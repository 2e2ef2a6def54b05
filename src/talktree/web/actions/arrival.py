"""Where an edit leads: the message to look at then, and the branch that goes through it."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.errors import NotFound
from talktree.model.conversation import Conversation
from talktree.model.operations import Operation, Reply
from talktree.views.edits import edited_message
from talktree.web.documents.desk import Opened


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
