"""The neighbours of a message in the tree: its siblings, and sub-agents that begin at it.

Also labels of messages in one line: the text, or else the action.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from itertools import takewhile

from talktree.model.compaction import COMPACTIONS
from talktree.model.conversation import Conversation
from talktree.model.message import Message
from talktree.model.parts import (
    Artifact,
    Attachment,
    Event,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    UnknownPart,
)
from talktree.model.skeleton import ROOT
from talktree.views.compactions import format_compaction_facts
from talktree.views.tools import format_call_title
from talktree.views.width import to_one_line
from talktree.web.schemas.transcript import SiblingMessages, SidechainLink

LABEL = 80
"""Maximum number of characters of a label."""
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|[_-]")
_HAPPENED = {
    "summary": "summary",
    "command": "command",
    "command_output": "output of a command",
}
_COMPACTIONS = {"compaction": "compacted", "microcompacted": "old results left out"}


EMPTY = "empty message"


def make_label(entry: object) -> str:
    """Return a one-line label of an entry, never empty: an unreadable one is named by its kind."""
    if not isinstance(entry, Message):
        return _to_words(str(getattr(entry, "kind", ""))) or type(entry).__name__.lower()
    words = to_one_line(entry.text[: 8 * LABEL], LABEL)
    if words:
        return words
    for part in entry.parts:
        if isinstance(part, ToolCall):
            return to_one_line(format_call_title(part), LABEL)
    details = dict.fromkeys(filter(None, map(_describe_part, entry.parts)))
    return to_one_line(", ".join(details), LABEL) or EMPTY


def _describe_part(part: Part) -> str:
    match part:
        case Text(text=text) | Thinking(text=text):
            return _append_words("thinking" if isinstance(part, Thinking) else "", text)
        case ToolCall():
            return format_call_title(part)
        case ToolResult():
            said = next((each.text for each in part.output if isinstance(each, Text)), "")
            return _append_words("failed tool result" if part.error else "tool result", said)
        case Attachment(name=name, media_type=media_type):
            return name or ("image" if _is_image(media_type) else "attachment")
        case Artifact(title=title):
            return title or "artifact"
        case Event():
            return _describe_event(part)
        case UnknownPart(kind=kind):
            return _to_words(kind)


def _is_image(media_type: str | None) -> bool:
    return (media_type or "").startswith("image/")


def _describe_event(event: Event) -> str:
    if event.kind == "command" and isinstance(event.data, Mapping):
        words = [event.data.get(key) for key in ("name", "args")]
        details = " ".join(word for word in words if isinstance(word, str) and word)
        if details:
            return to_one_line(details, LABEL)
    if event.kind in COMPACTIONS:
        what = _COMPACTIONS.get(event.kind, event.kind)
        facts = format_compaction_facts(event)
        return to_one_line(f"{what}: {facts}" if facts else what, LABEL)
    known = _HAPPENED.get(event.kind)
    return _append_words(known or _to_words(event.kind), event.text or "")


def _append_words(what: str, text: str) -> str:
    """Append a thing and its first words."""
    words = to_one_line(text[: 8 * LABEL], LABEL)
    return f"{what}: {words}" if what and words else what or words


def _to_words(name: str) -> str:
    """Return the name of a kind as words."""
    return to_one_line(_HUMP.sub(" ", name).lower(), LABEL)


MOST_SIBLINGS = 100
MOST_SIDES = 20


class NeighbourFinder:
    """Finds neighbours in one tree and caches the results."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._ends: dict[int, tuple[int, int]] = {}
        """For the first node of a line: its last position and its number of messages."""

    def find_siblings(self, position: int, leaf: str) -> SiblingMessages | None:
        """Return the siblings of a message on the path to a leaf."""
        tree, skeleton = self._conversation.tree, self._conversation.skeleton
        if tree.is_sidechain_start(position):
            return None
        same = tree.continuations(skeleton.parents[position])
        if len(same) < 2 or position not in same:
            return None
        return SiblingMessages(
            number=same.index(position),
            leaves=tuple(
                leaf if each == position else skeleton.ids[self.find_end(each)[0]]
                for each in same[:MOST_SIBLINGS]
            ),
            total=len(same),
        )

    def find_sidechains(self, position: int) -> tuple[SidechainLink, ...]:
        """Return the conversations of sub-agents that begin at a message."""
        starts = self._conversation.tree.sidechains(position)[:MOST_SIDES]
        return tuple(self._build_sidechain(start) for start in starts)

    def _build_sidechain(self, start: int) -> SidechainLink:
        end, count = self.find_end(start)
        return SidechainLink(
            leaf=self._conversation.skeleton.ids[end], messages=count, label=self.make_label(start)
        )

    def find_leaf_of_call(self, call: ToolCall) -> str:
        """Return the leaf of the sub-agent that a call started; empty if it started none."""
        start = self._starts_by_call.get(call.id or "")
        return "" if start is None else self._conversation.skeleton.ids[self.find_end(start)[0]]

    @cached_property
    def _starts_by_call(self) -> Mapping[str, int]:
        return {call: start for start, call in self._conversation.skeleton.spawned.items()}

    def find_end(self, start: int) -> tuple[int, int]:
        """Return where the line from a node ends, and its number of messages."""
        found = self._ends.get(start)
        if found is None:
            tree = self._conversation.tree
            end = tree.end_of(start)
            count = sum(1 for _ in takewhile(lambda each: each != end, tree.line(start))) + 1
            found = self._ends[start] = (end, count)
        return found

    def make_label(self, position: int) -> str:
        """Return a one-line label of a message."""
        return make_label(self._conversation.entry(position))

    def find_parent_id(self, position: int) -> str | None:
        """Return the id of the parent of a message."""
        above = self._conversation.skeleton.parents[position]
        return None if above == ROOT else self._conversation.skeleton.ids[above]
