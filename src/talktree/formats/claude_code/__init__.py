"""The files Claude Code really writes: sessions, sub-agents, project folders, web exports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from talktree.files import Content, Source, plain_head
from talktree.formats.claude_code.adopt import adopt, has_place
from talktree.formats.claude_code.agents import link_agents
from talktree.formats.claude_code.detect import (
    BOOKKEEPING,
    WITHOUT_UUID,
    Dialect,
    identity_of,
    judge,
)
from talktree.formats.claude_code.lens import adopt_other, get, name_line, opening, said, title_last
from talktree.formats.claude_code.places import (
    SUB_AGENTS,
    Groups,
    SessionFiles,
    kind_of,
    owner_of,
    reading_order,
)
from talktree.formats.claude_code.replies import record_ids_of, replies_of
from talktree.formats.claude_code.write import put
from talktree.formats.detect_sample import sample
from talktree.formats.evidence import collect, weigh, weigh_folder
from talktree.formats.format import (
    CARRY,
    About,
    Can,
    Detection,
    Format,
    FormatInfo,
    Lens,
    Probe,
    Split,
)
from talktree.formats.json_file import JsonSheet
from talktree.formats.jsonl_file import LineSheet
from talktree.formats.jsonl_format import HEAD, composed_lines, sheet_for
from talktree.formats.message_defaults import fill_by_adopting
from talktree.formats.record_file import Item, Sheet
from talktree.model.conversation import Conversation, Reading
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.habits import Habits
from talktree.model.message import Message
from talktree.model.parts import Part
from talktree.model.replies import ReplyUsage
from talktree.model.skeleton import Skeleton
from talktree.text.json.value import Json

if TYPE_CHECKING:
    from talktree.formats.rule import Rule

LOGLINES = "loglines"
_QUOTES = re.compile(rb'"|\s(?=:)')
LOOKED_AT = 5
"""How many sessions of a folder detection looks into."""


class ClaudeCode(Format):
    """Claude Code sessions."""

    info = FormatInfo(
        slug="claude-code",
        title="Claude Code session",
        layout="either",
        suffixes=(".jsonl",),
        origin="session files that Claude Code writes in ~/.claude/projects",
        docs="formats/claude-code.md",
        assistant="Claude",
    )
    can = Can(
        branches=True,
        parts=frozenset({"text", "thinking", "tool_call", "tool_result", "attachment", "event"}),
        fields=frozenset(
            {
                "time_ns",
                "session",
                "model",
                "usage",
                "api_message",
                "follows",
                "agent",
                "context",
                "todos",
                "thinking",
            }
        ),
        flags=frozenset({"sidechain", "meta", "error"}),
        time="ns",
        snapshots=True,
        heads=True,
        extra="json",
        roles=("user", "assistant", "system"),
        ids="uuid",
        calls="named",
    )
    habits = Habits(sequential=True, replays=True, latest=True, walk=True)
    optional_rules = frozenset({"SYN503", "TIM104", "TIM105"})
    lens = Lens(get, put)
    compaction_names: Mapping[str, str] = {
        "preTokens": "tokens_before",
        "postTokens": "tokens_after",
    }
    companions = SessionFiles()
    record_per_line = True
    keeper = "line"
    faithful = True
    records_place = True
    copies_carry = True
    stamp_key = "timestamp"
    known_kinds = WITHOUT_UUID | BOOKKEEPING
    # All else is the program's own bookkeeping, and stands on every line.
    telling = frozenset({"retryAttempt", "maxRetries", "teamName"})
    silent = BOOKKEEPING
    dialect = Dialect()

    def detect(self, probe: Probe) -> Detection | None:
        if probe.folder:
            return self._detect_folder(probe)
        if _is_export(probe.head()):
            return Detection(0.95, f"an object with {LOGLINES}, as the web export writes it")
        return weigh(probe, judge)

    def _detect_folder(self, probe: Probe) -> Detection | None:
        sessions = [name for name in probe.names if kind_of(name) in ("session", "agent")]
        best = weigh_folder(probe, judge, sessions[:LOOKED_AT])
        if best is None or not best.confidence:
            return best
        return Detection(best.confidence, f"{len(sessions)} session files; {best.reason}")

    def split(self, source: Source) -> Split:
        groups = Groups(source.files)
        if not source.folder:
            ((path, content),) = source.files.items()
            return Split([self._sheet(path, content, groups.of(path))])
        named = [path for path in source.files if kind_of(path) in ("session", "agent")]
        foreign = {path for path in named if _is_foreign(path, source.files[path])}
        if len(foreign) == len(named):
            # Whoever names the format for such a folder wants what can be read of it.
            foreign = set()
        mine = [path for path in named if path not in foreign]
        sheets = [
            self._sheet(path, source.files[path], groups.of(path)) for path in reading_order(mine)
        ]
        foreign_files = [
            path for path in source.files if kind_of(path) == "foreign" or path in foreign
        ]
        return Split(sheets, foreign_files)

    def owner(self, path: str, conversations: Mapping[str, Sequence[str]]) -> str | None:
        return owner_of(path, conversations)

    def _sheet(self, path: str, content: Content, group: str) -> Sheet:
        if _is_export(content.read(0, HEAD)):
            names = (LOGLINES,)
            return JsonSheet(
                path, content, self, group=group, hole=_hole, links="chain", names=names
            )
        return sheet_for(path, content, self, self.dialect, group=group)

    def blank_sheet(self, path: str) -> Sheet:
        return LineSheet(path, Source.of_bytes(b"").files["input"], self.dialect, group=path)

    def has_place(self, part: Part) -> bool:
        return has_place(part)

    def adopt(self, message: Message, about: About, *, moment: int) -> Message:
        return adopt(message, about, moment=moment)

    def fill(self, message: Message, conversation: Conversation) -> Message:
        traits = conversation.skeleton.traits
        if message.context is not None and len(traits) - traits.count(0) == 1:
            # The version is that of Claude Code, not of the program that writes in its place.
            message = replace(message, context=replace(message.context, version=None))
        return fill_by_adopting(self, message, conversation)

    def blank(self, about: About) -> Mapping[str, bytes]:
        return {self.path_for(about, about.id): b"".join(composed_lines(name_line(about)))}

    def adopt_other(self, entry: Head | Snapshot | Opaque, about: About) -> Entry | None:
        return adopt_other(entry, about)

    def opening(self, about: About) -> Sequence[Entry]:
        return opening(about)

    def compose(
        self, path: str, about: About, items: Iterator[Item], *, first: bool
    ) -> Iterable[bytes]:
        return composed_lines(title_last(items, about))

    def path_for(self, about: About, stem: str) -> str:
        return f"{about.session}.jsonl"

    def identity_of(self, value: Json) -> Json:
        return identity_of(value)

    def said(self, value: Json) -> Json:
        return said(value)

    def kin(self, folder: str) -> Sequence[str]:
        return (".", "../..") if folder == SUB_AGENTS else (".",)

    def link(self, skeleton: Skeleton, read: Reading) -> None:
        link_agents(skeleton, read)

    def replies(self, message: Message, own: str) -> Iterator[ReplyUsage]:
        return replies_of(message, own)

    def record_ids(self, message: Message) -> Iterator[str]:
        return record_ids_of(message)

    def rules(self) -> Sequence[Rule]:
        from talktree.formats.claude_code.rules import RULES

        return RULES


def _is_export(head: bytes) -> bool:
    # A quote may be lost or too many.
    if f"{LOGLINES}:".encode() not in _QUOTES.sub(b"", head[:4096]):
        return False
    return not any(Dialect().is_record(value) for value in sample(head, most=1))


def _is_foreign(path: str, content: Content) -> bool:
    """Whether a file is named like a session, but holds records of another program."""
    # A folder is split before its compressed files are unpacked.
    head = plain_head(path, content, HEAD)
    if _is_export(head):
        return False
    records = list(sample(head))
    found = collect(records, judge)
    if len(found.misfits) > len(found.bodies):
        return True
    # A line may only embed what has no place elsewhere.
    own = (each.get("type") == CARRY or Dialect().is_record(each) for each in records)
    return bool(records) and not any(own)


def _hole(value: Json, depth: int) -> str | None:
    return LOGLINES if depth == 0 and isinstance(value, dict) and LOGLINES in value else None


FORMAT = ClaudeCode()
