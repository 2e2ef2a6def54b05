"""Muse message histories: one JSON object for each conversation, its messages in a list.

Files hold one conversation, a list of them, or one on each line as a database export writes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from talktree.files import MemoryContent, Source, stem_of
from talktree.formats.format import (
    ConversationInfo,
    Detection,
    Format,
    FormatCapabilities,
    FormatInfo,
    Lens,
    Probe,
    SplitSource,
)
from talktree.formats.muse.adopt import adopt_message, make_history_head, with_request
from talktree.formats.muse.citations import make_citations_readable
from talktree.formats.muse.detect import MuseSheet, detect_record
from talktree.formats.muse.lens import BARE, complete, get, put
from talktree.formats.muse.measures import MEASURED, read_measures, read_replies
from talktree.formats.muse.write import raise_updated, write_json
from talktree.formats.record_file import Item
from talktree.formats.rule import Rule
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry
from talktree.model.measures import MessageMeasures
from talktree.model.message import Message
from talktree.model.replies import ReplyUsage


class Muse(Format):
    """Conversations with message_history or history."""

    info = FormatInfo(
        slug="muse",
        title="Muse message history",
        layout="file",
        suffixes=(".json", ".jsonl"),
        origin="JSON conversations of Unity Muse (Message History File Format)",
        aliases=("message-history",),
        docs="formats/muse.md",
    )
    can = FormatCapabilities(
        parts=frozenset({"text"}),
        fields=frozenset({"time_ns", "authors", "tags"}),
        time="ms",
        heads=True,
        extra="json",
        roles=("user", "assistant", "system"),
        texts="one",
    )
    optional_rules = frozenset({"ROL102"})
    lens = Lens(get, put, complete)
    keeper = "opening"
    faithful = True
    words_at = ("content",)
    measured = MEASURED
    readable = staticmethod(make_citations_readable)
    known_kinds = frozenset({"context", BARE})

    def detect(self, probe: Probe) -> Detection | None:
        if probe.folder:
            return None
        seen = probe.sample()
        answers = [found for value in seen if (found := detect_record(value))]
        votes = [found for found in answers if found.confidence]
        refused = [found for found in answers if not found.confidence]
        if len(refused) > len(votes):
            return refused[0]
        if not votes:
            return None
        best = max(votes)
        share = len(votes) / len(seen)
        return Detection(best.confidence * (0.5 + share / 2), best.reason)

    def split(self, source: Source) -> SplitSource:
        return SplitSource(
            [
                MuseSheet(path, content, self, group=stem_of(path))
                for path, content in source.files.items()
            ]
        )

    def blank_sheet(self, path: str) -> MuseSheet:
        return MuseSheet(path, MemoryContent(b""), self, group=path)

    depth_inside = 1

    def adopt(self, message: Message, about: ConversationInfo, *, moment: int) -> Message:
        return adopt_message(message, about, moment=moment)

    def make_opening_entries(self, about: ConversationInfo) -> Sequence[Entry]:
        return (make_history_head(about),)

    def compose(
        self, path: str, about: ConversationInfo, items: Iterator[Item], *, first: bool
    ) -> Iterable[bytes]:
        return write_json(items)

    def rules(self) -> Sequence[Rule]:
        from talktree.formats.muse.rules import RULES

        return RULES

    def replies(self, message: Message, own: str) -> Iterator[ReplyUsage]:
        return read_replies(message, own)

    def measures(self, message: Message) -> MessageMeasures:
        return read_measures(message)

    def fill(self, message: Message, conversation: Conversation) -> Message:
        return with_request(message, conversation)

    def on_edit(self, conversation: Conversation, before: Conversation | None) -> Conversation:
        return raise_updated(conversation)


FORMAT = Muse()
