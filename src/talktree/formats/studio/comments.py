"""What the three encodings of comments have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from talktree.formats.base import About, Format
from talktree.formats.studio.adopt import adopted
from talktree.formats.studio.hashing import DERIVED
from talktree.formats.studio.lens import CAN, LENS
from talktree.model.message import Message

if TYPE_CHECKING:
    from talktree.formats.rule import Rule


class Comments(Format):
    """Comments, however they are encoded."""

    can = CAN
    derived = DERIVED
    lens = LENS
    nests = True
    faithful = True
    stamp_key = "timestamp"
    words_at = ("content",)

    def adopt(self, message: Message, about: About, *, moment: int) -> Message:
        return adopted(message, about, moment=moment)

    def rules(self) -> Sequence[Rule]:
        from talktree.formats.studio.rules import RULES

        return RULES
