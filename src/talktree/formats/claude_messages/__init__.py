"""The documented Claude message types: user, assistant, system and compact_system lines.

This is the dialect of the Message Type Specification. The files that Claude Code writes are
`claude_code`; the two differ in how messages, tools and compactions are recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from talktree.files import MemoryContent, Source, stem_of
from talktree.formats.claude_messages.adopt import adopt_message, has_place
from talktree.formats.claude_messages.detect import ClaudeMessagesDialect, judge_record
from talktree.formats.claude_messages.lens import UNTYPED, get, put
from talktree.formats.evidence import SURE, Evidence, collect_from_probe
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
from talktree.formats.jsonl_file import LineSheet
from talktree.formats.jsonl_format import compose_lines, make_sheet
from talktree.formats.message_defaults import fill_by_adopting
from talktree.formats.record_file import Item
from talktree.model.conversation import Conversation
from talktree.model.findings import Severity
from talktree.model.habits import WriterHabits
from talktree.model.message import Message
from talktree.model.parts import Part

if TYPE_CHECKING:
    from talktree.formats.rule import Rule

API_OBJECTS = 3
"""Maximum number of API objects in a file for each record of another kind."""
WRITTEN = SURE + 0.01
"""The confidence for a matching file that was converted to this format."""


def _is_mixed(found: Evidence) -> bool:
    """Whether enough records are not API objects: a single one may be there by accident."""
    own = len(found.bodies) + len(found.envelopes)
    return own * API_OBJECTS >= len(found.misfits)


class ClaudeMessages(Format):
    """The documented message types."""

    info = FormatInfo(
        slug="claude-messages",
        title="Claude message types (documented)",
        layout="file",
        suffixes=(".jsonl", ".json"),
        origin="JSON Lines in the types of the Message Type Specification for Claude Code",
        aliases=("claude-spec",),
        docs="formats/claude-messages.md",
        assistant="Claude",
    )
    can = FormatCapabilities(
        branches=True,
        roles=("user", "assistant", "system"),
        parts=frozenset({"text", "thinking", "tool_call", "tool_result", "event"}),
        fields=frozenset({"time_ns", "session", "context"}),
        flags=frozenset({"sidechain", "deleted", "meta", "error", "aborted"}),
        time="ns",
        extra="json",
        ids="uuid",
        texts="one",
    )
    habits = WriterHabits(sequential=True)
    optional_rules = frozenset({"TIM104"})
    lens = Lens(get, put)
    record_per_line = True
    keeper = "line"
    severities: Mapping[str, Severity] = {
        "IDS101": "error",
        "IDS105": "error",
        "IDS109": "error",
        "TRE107": "error",
        "TRE111": "error",
    }
    demands_ids = True
    checks_sides = True
    only_replies_leave = True
    faithful = True
    stamp_key = "timestamp"
    words_at = ("message",)
    compaction_names: Mapping[str, str] = {
        "totalMessages": "messages_total",
        "preservedMessages": "messages_kept",
        "compressionRatio": "ratio",
    }
    known_kinds = frozenset({UNTYPED})

    def detect(self, probe: Probe) -> Detection | None:
        if probe.folder:
            return None
        found = collect_from_probe(probe, judge_record)
        # Files in which every message is an API object also look like Claude Code's.
        if (
            not found.bodies
            and not any(found.misfits)
            and probe.find_embedded_format() == self.info.slug
        ):
            return Detection(WRITTEN, "the source data embedded in it says so, and nothing differs")
        if found.bodies and not any(found.misfits) and _is_mixed(found):
            # The documented types may also hold API objects; Claude Code writes nothing else.
            found = found._replace(envelopes=[*found.envelopes, *found.misfits], misfits=[])
        return found.make_detection()

    def blank_sheet(self, path: str) -> LineSheet:
        return LineSheet(path, MemoryContent(b""), ClaudeMessagesDialect(), group=path)

    def has_place(self, part: Part) -> bool:
        return has_place(part) and super().has_place(part)

    def adopt(self, message: Message, about: ConversationInfo, *, moment: int) -> Message:
        return adopt_message(message, about, moment=moment)

    def fill(self, message: Message, conversation: Conversation) -> Message:
        return fill_by_adopting(self, message, conversation)

    def compose(
        self, path: str, about: ConversationInfo, items: Iterator[Item], *, first: bool
    ) -> Iterable[bytes]:
        return compose_lines(items)

    def split(self, source: Source) -> SplitSource:
        dialect = ClaudeMessagesDialect()
        return SplitSource(
            [
                make_sheet(path, content, self, dialect, group=stem_of(path))
                for path, content in source.files.items()
            ]
        )

    def rules(self) -> Sequence[Rule]:
        from talktree.formats.claude_messages.rules import RULES

        return RULES


FORMAT = ClaudeMessages()
