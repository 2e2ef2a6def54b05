"""The files that Claude Code writes: sessions, sub-agents, project folders, web exports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from talktree.files import Content, Source, read_plain_head
from talktree.formats.claude_code.adopt import adopt_message, has_place
from talktree.formats.claude_code.agents import link_agents
from talktree.formats.claude_code.detect import (
    BOOKKEEPING,
    WITHOUT_UUID,
    ClaudeCodeDialect,
    identity_of,
    judge_record,
)
from talktree.formats.claude_code.lens import (
    adopt_other,
    describe_line,
    get,
    make_name_line,
    make_opening_entries,
    move_title_last,
)
from talktree.formats.claude_code.places import (
    SUB_AGENTS,
    Groups,
    SessionFiles,
    detect_kind,
    find_path_owner,
    sort_for_reading,
)
from talktree.formats.claude_code.replies import find_record_ids, find_replies
from talktree.formats.claude_code.write import put
from talktree.formats.detect_sample import iterate_sample
from talktree.formats.evidence import collect_evidence, weigh_file, weigh_folder
from talktree.formats.format import (
    CARRY,
    ConversationInfo,
    Detection,
    Format,
    FormatCapabilities,
    FormatInfo,
    Lens,
    Probe,
    SplitSource,
)
from talktree.formats.json_file import JsonSheet
from talktree.formats.jsonl_file import LineSheet
from talktree.formats.jsonl_format import HEAD, compose_lines, make_sheet
from talktree.formats.message_defaults import fill_by_adopting
from talktree.formats.record_file import Item, Sheet
from talktree.model.conversation import Conversation, Reading
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.habits import WriterHabits
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
"""Maximum number of sessions of a folder that detection reads."""


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
    can = FormatCapabilities(
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
    habits = WriterHabits(sequential=True, replays=True, latest=True, walk=True)
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
    # Everything else is the program's own bookkeeping, repeated on every line.
    telling = frozenset({"retryAttempt", "maxRetries", "teamName"})
    silent = BOOKKEEPING
    dialect = ClaudeCodeDialect()

    def detect(self, probe: Probe) -> Detection | None:
        if probe.folder:
            return self._detect_folder(probe)
        if _is_export(probe.read_head()):
            return Detection(0.95, f"an object with {LOGLINES}, as the web export writes it")
        return weigh_file(probe, judge_record)

    def _detect_folder(self, probe: Probe) -> Detection | None:
        sessions = [name for name in probe.names if detect_kind(name) in ("session", "agent")]
        best = weigh_folder(probe, judge_record, sessions[:LOOKED_AT])
        if best is None or not best.confidence:
            return best
        return Detection(best.confidence, f"{len(sessions)} session files; {best.reason}")

    def split(self, source: Source) -> SplitSource:
        groups = Groups(source.files)
        if not source.folder:
            ((path, content),) = source.files.items()
            return SplitSource([self._sheet(path, content, groups.find_conversation(path))])
        named = [path for path in source.files if detect_kind(path) in ("session", "agent")]
        foreign = {path for path in named if _is_foreign(path, source.files[path])}
        if len(foreign) == len(named):
            # If the format of such a folder is named explicitly, what can be read of it is read.
            foreign = set()
        mine = [path for path in named if path not in foreign]
        sheets = [
            self._sheet(path, source.files[path], groups.find_conversation(path))
            for path in sort_for_reading(mine)
        ]
        foreign_files = [
            path for path in source.files if detect_kind(path) == "foreign" or path in foreign
        ]
        return SplitSource(sheets, foreign_files)

    def find_owner(self, path: str, conversations: Mapping[str, Sequence[str]]) -> str | None:
        return find_path_owner(path, conversations)

    def _sheet(self, path: str, content: Content, group: str) -> Sheet:
        if _is_export(content.read(0, HEAD)):
            names = (LOGLINES,)
            return JsonSheet(
                path, content, self, group=group, hole=_children_key, links="chain", names=names
            )
        return make_sheet(path, content, self, self.dialect, group=group)

    def blank_sheet(self, path: str) -> Sheet:
        return LineSheet(path, Source.of_bytes(b"").files["input"], self.dialect, group=path)

    def has_place(self, part: Part) -> bool:
        return has_place(part)

    def adopt(self, message: Message, about: ConversationInfo, *, moment: int) -> Message:
        return adopt_message(message, about, moment=moment)

    def fill(self, message: Message, conversation: Conversation) -> Message:
        traits = conversation.skeleton.traits
        if message.context is not None and len(traits) - traits.count(0) == 1:
            # The version is Claude Code's, not that of the program that writes instead of it.
            message = replace(message, context=replace(message.context, version=None))
        return fill_by_adopting(self, message, conversation)

    def make_blank_files(self, about: ConversationInfo) -> Mapping[str, bytes]:
        return {self.path_for(about, about.id): b"".join(compose_lines(make_name_line(about)))}

    def adopt_other(self, entry: Head | Snapshot | Opaque, about: ConversationInfo) -> Entry | None:
        return adopt_other(entry, about)

    def make_opening_entries(self, about: ConversationInfo) -> Sequence[Entry]:
        return make_opening_entries(about)

    def compose(
        self, path: str, about: ConversationInfo, items: Iterator[Item], *, first: bool
    ) -> Iterable[bytes]:
        return compose_lines(move_title_last(items, about))

    def path_for(self, about: ConversationInfo, stem: str) -> str:
        return f"{about.session}.jsonl"

    def identity_of(self, value: Json) -> Json:
        return identity_of(value)

    def read_content(self, value: Json) -> Json:
        return describe_line(value)

    def find_related_folders(self, folder: str) -> Sequence[str]:
        return (".", "../..") if folder == SUB_AGENTS else (".",)

    def link(self, skeleton: Skeleton, read: Reading) -> None:
        link_agents(skeleton, read)

    def replies(self, message: Message, own: str) -> Iterator[ReplyUsage]:
        return find_replies(message, own)

    def record_ids(self, message: Message) -> Iterator[str]:
        return find_record_ids(message)

    def rules(self) -> Sequence[Rule]:
        from talktree.formats.claude_code.rules import RULES

        return RULES


def _is_export(head: bytes) -> bool:
    # A quote may be missing or duplicate.
    if f"{LOGLINES}:".encode() not in _QUOTES.sub(b"", head[:4096]):
        return False
    return not any(ClaudeCodeDialect().is_record(value) for value in iterate_sample(head, most=1))


def _is_foreign(path: str, content: Content) -> bool:
    """Whether a file is named like a session but holds records of another program."""
    # A folder is split before its compressed files are decompressed.
    head = read_plain_head(path, content, HEAD)
    if _is_export(head):
        return False
    records = list(iterate_sample(head))
    found = collect_evidence(records, judge_record)
    if len(found.misfits) > len(found.bodies):
        return True
    # A line may embed only what has no place elsewhere.
    own = (each.get("type") == CARRY or ClaudeCodeDialect().is_record(each) for each in records)
    return bool(records) and not any(own)


def _children_key(value: Json, depth: int) -> str | None:
    return LOGLINES if depth == 0 and isinstance(value, dict) and LOGLINES in value else None


FORMAT = ClaudeCode()
