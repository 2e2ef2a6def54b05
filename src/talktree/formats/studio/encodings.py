"""The common base of the three encodings of comments."""

from __future__ import annotations

from collections.abc import Sequence
from secrets import token_bytes
from typing import TYPE_CHECKING

from talktree.formats.format import ConversationInfo, Format
from talktree.formats.studio.adopt import adopt_comment, make_id
from talktree.formats.studio.hashing import DERIVED
from talktree.formats.studio.ids import RANDOM_BYTES, new_id
from talktree.formats.studio.lens import CAN, LENS
from talktree.model.message import Message
from talktree.text.times import to_millis

if TYPE_CHECKING:
    from talktree.formats.rule import Rule


class Comments(Format):
    """Comments in any encoding."""

    can = CAN
    derived = DERIVED
    optional_rules = frozenset({"TIM103"})
    lens = LENS
    nests = True
    faithful = True
    stamp_key = "timestamp"
    words_at = ("content",)

    def new_id(self, moment: int) -> str:
        return new_id(to_millis(moment), token_bytes(RANDOM_BYTES))

    def id_for(self, name: str, conversation: str) -> str:
        # The time of a message can change on the way, so it is not part of its name.
        return make_id(0, conversation, name) if name.startswith("@") else name

    def adopt(self, message: Message, about: ConversationInfo, *, moment: int) -> Message:
        return adopt_comment(message, about, moment=moment)

    def rules(self) -> Sequence[Rule]:
        from talktree.formats.studio.rules import RULES

        return RULES
