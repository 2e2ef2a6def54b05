"""Content that exports leave out by default: deleted, or not shown to users."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from msgspec import Struct
from msgspec.structs import replace

from talktree.formats import get_format
from talktree.model.conversation import Conversation
from talktree.model.message import DELETED, META, Message, find_hiding_flag
from talktree.model.parts import Artifact, Part

FLAGS = {DELETED: "deleted message", META: "message not shown to the user"}
"""The names that a report has for messages with these flags."""
ARTIFACT = "hidden artifact"


class HiddenItems(Struct):
    """The messages and artifacts of a conversation that are left out."""

    flags: dict[int, str]
    """The positions of messages, each with the flag that hides it."""
    artifacts: Counter[int]
    """The positions of messages with hidden artifacts, and how many each has."""

    def count_kinds(self, positions: Collection[int]) -> Counter[str]:
        """Count what is left out of some messages, by kind."""
        found = Counter(FLAGS[self.flags[each]] for each in positions if each in self.flags)
        hidden = sum(self.artifacts[each] for each in positions if each not in self.flags)
        return found + Counter({ARTIFACT: hidden})


def find_hidden(conversation: Conversation) -> HiddenItems:
    """Read through a conversation, unless its format has nothing that could be hidden."""
    found = HiddenItems({}, Counter())
    can = get_format(conversation.format).can
    if can.flags.isdisjoint(FLAGS) and "artifact" not in can.parts:
        return found
    for position, entry in enumerate(conversation.entries):
        if not isinstance(entry, Message):
            continue
        flag = find_hiding_flag(entry)
        if flag is not None:
            found.flags[position] = flag
        if hidden := sum(map(is_hidden, entry.parts)):
            found.artifacts[position] = hidden
    return found


def is_hidden(part: Part) -> bool:
    """Whether it is an artifact that its author has hidden."""
    return isinstance(part, Artifact) and part.extra.get("status") == "hidden"


def without_hidden(message: Message) -> Message:
    """Return the message without its hidden artifacts."""
    if not any(map(is_hidden, message.parts)):
        return message
    return replace(message, parts=tuple(part for part in message.parts if not is_hidden(part)))
