"""The place of a message: its branch and its row."""

from __future__ import annotations

from talktree.web.documents.open_conversation import OpenConversation
from talktree.web.schemas.transcript import MessagePlace


def find_place(opened: OpenConversation, id: str, leaf: str | None) -> MessagePlace:
    """Return the branch of a message, the named one or its own, and its row."""
    position = opened.conversation.find_position(id)
    for branch in dict.fromkeys((leaf, None, opened.conversation.skeleton.ids[position])):
        rows = opened.get_rows(branch)
        number = rows.number_at(position)
        if number is not None:
            shown = opened.conversation.skeleton.ids[rows.positions[number]]
            return MessagePlace(leaf=rows.leaf, number=number, id=shown)
    raise AssertionError("a message is on the branch through it")
