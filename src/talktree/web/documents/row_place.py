"""Where a message is shown: on which branch, and in which row."""

from __future__ import annotations

from talktree.web.documents.open_conversation import Opened
from talktree.web.schemas.transcript import Place


def place_of(opened: Opened, id: str, leaf: str | None) -> Place:
    """On which branch a message is, the named one or else its own, and in which row."""
    position = opened.conversation.position(id)
    for branch in dict.fromkeys((leaf, None, opened.conversation.skeleton.ids[position])):
        rows = opened.rows(branch)
        number = rows.number_at(position)
        if number is not None:
            shown = opened.conversation.skeleton.ids[rows.positions[number]]
            return Place(leaf=rows.leaf, number=number, id=shown)
    raise AssertionError("a message is on the branch through it")
