"""Where a message is shown: on which branch, and in which row."""

from __future__ import annotations

from talktree.web.documents.open_conversation import OpenConversation
from talktree.web.schemas.transcript import MessagePlace


def find_place(opened: OpenConversation, id: str, leaf: str | None) -> MessagePlace:
    """On which branch a message is, the named one or else its own, and in which row."""
    position = opened.conversation.find_position(id)
    for branch in dict.fromkeys((leaf, None, opened.conversation.skeleton.ids[position])):
        rows = opened.get_rows(branch)
        number = rows.number_at(position)
        if number is not None:
            shown = opened.conversation.skeleton.ids[rows.positions[number]]
            return MessagePlace(leaf=rows.leaf, number=number, id=shown)
    raise AssertionError("a message is on the branch through it")
