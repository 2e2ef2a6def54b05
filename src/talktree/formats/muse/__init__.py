"""Muse message histories: one JSON object a conversation, its messages in a list.

Files hold one conversation, a list of them, or one a line as a database export writes them.
"""

from __future__ import annotations

from collections.abc import Sequence

from talktree.files import Memory, Source
from talktree.formats.base import About, Can, Detection, Format, FormatInfo, Lens, Probe, Split
from talktree.formats.json_lines import sample
from talktree.formats.muse.lens import complete, get, put
from talktree.formats.muse.records import MuseSheet, looks_like
from talktree.formats.muse.updated import settled
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry, Head


class Muse(Format):
    """Conversations with message_history or history."""

    info = FormatInfo(
        slug="muse",
        title="Muse message history",
        layout="file",
        suffixes=(".json", ".jsonl"),
        docs="formats/muse.md",
    )
    can = Can(
        parts=frozenset({"text"}),
        fields=frozenset({"time", "authors", "tags"}),
        time="ms",
        heads=True,
        extra="json",
        roles=("user", "assistant", "system"),
        texts="one",
    )
    lens = Lens(get, put, complete)

    def detect(self, probe: Probe) -> Detection | None:
        if probe.folder:
            return None
        seen = list(sample(probe.head()))
        votes = [found for value in seen if (found := looks_like(value))]
        if not votes:
            return None
        best = max(votes)
        share = len(votes) / len(seen)
        return Detection(best.confidence * (0.5 + share / 2), best.reason)

    def split(self, source: Source) -> Split:
        return Split(
            [
                MuseSheet(path, content, self, group=path.rsplit(".", 1)[0])
                for path, content in source.files.items()
            ]
        )

    depth_inside = 1

    def blank_sheet(self, path: str) -> MuseSheet:
        return MuseSheet(path, Memory(b""), self, group=path)

    def opening(self, about: About) -> Sequence[Entry]:
        head = Head(id=about.session, title=about.title, updated=about.updated)
        return (head,)

    def settled(self, conversation: Conversation) -> Conversation:
        return settled(conversation)


FORMAT = Muse()
