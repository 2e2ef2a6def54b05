"""The files Claude Code really writes: sessions, sub-agents, project folders, web exports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from talktree.files import Content, Source
from talktree.formats.base import About, Can, Detection, Format, FormatInfo, Lens, Probe, Split
from talktree.formats.claude_code.adopt import adopt, has_place
from talktree.formats.claude_code.agents import link_agents
from talktree.formats.claude_code.layout import group_of, kind_of, reading_order
from talktree.formats.claude_code.lens import get
from talktree.formats.claude_code.native import put
from talktree.formats.claude_code.others import adopt_other, opening, title_last
from talktree.formats.claude_code.records import (
    BOOKKEEPING,
    WITHOUT_UUID,
    Dialect,
    looks_real,
)
from talktree.formats.claude_code.unread import said
from talktree.formats.json_lines import HEAD, composed_lines, sheet_for
from talktree.formats.json_sheet import JsonSheet
from talktree.formats.line_sheet import LineSheet
from talktree.formats.sample import sample
from talktree.formats.sheets import Item, Sheet
from talktree.model.conversation import Reading
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import Message
from talktree.model.parts import Part
from talktree.model.skeleton import Skeleton
from talktree.text.json_value import Json

if TYPE_CHECKING:
    from talktree.formats.rule import Rule

LOGLINES = "loglines"
SUB_AGENTS = "subagents"


class ClaudeCode(Format):
    """Claude Code sessions."""

    info = FormatInfo(
        slug="claude-code",
        title="Claude Code session",
        layout="either",
        suffixes=(".jsonl",),
        docs="formats/claude-code.md",
    )
    can = Can(
        branches=True,
        parts=frozenset({"text", "thinking", "tool_call", "tool_result", "attachment", "event"}),
        fields=frozenset(
            {
                "time",
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
    lens = Lens(get, put)
    keeper = "line"
    faithful = True
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
        return _vote(probe.sample())

    def _detect_folder(self, probe: Probe) -> Detection | None:
        sessions = [name for name in probe.names if kind_of(name) in ("session", "agent")]
        for name in sessions[:5]:
            found = _vote(probe.sample(name))
            if found is not None:
                count = len(sessions)
                return Detection(found.confidence, f"{count} session files; {found.reason}")
        return None

    def split(self, source: Source) -> Split:
        if not source.folder:
            ((path, content),) = source.files.items()
            return Split([self._sheet(path, content, group_of(path, source.files))])
        mine = [path for path in source.files if kind_of(path) in ("session", "agent")]
        sheets = [
            self._sheet(path, source.files[path], group_of(path, source.files))
            for path in reading_order(mine)
        ]
        strangers = [path for path in source.files if kind_of(path) == "stranger"]
        return Split(sheets, strangers)

    def _sheet(self, path: str, content: Content, group: str) -> Sheet:
        if _is_export(content.read(0, HEAD)):
            return JsonSheet(path, content, self, group=group, hole=_hole, links="chain")
        return sheet_for(path, content, self, self.dialect, group=group)

    def blank_sheet(self, path: str) -> Sheet:
        return LineSheet(path, Source.of_bytes(b"").files["input"], self.dialect, group=path)

    def has_place(self, part: Part) -> bool:
        return has_place(part)

    def adopt(self, message: Message, about: About, *, moment: int) -> Message:
        return adopt(message, about, moment=moment)

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

    def said(self, value: Json) -> Json:
        return said(value)

    def kin(self, folder: str) -> Sequence[str]:
        return (".", "../..") if folder == SUB_AGENTS else (".",)

    def link(self, skeleton: Skeleton, read: Reading) -> None:
        link_agents(skeleton, read)

    def rules(self) -> Sequence[Rule]:
        from talktree.formats.claude_code.rules import RULES

        return RULES


def _is_export(head: bytes) -> bool:
    if f'"{LOGLINES}"'.encode() not in head[:4096]:
        return False
    return not any(Dialect().is_record(value) for value in sample(head, most=1))


def _hole(value: Json, depth: int) -> str | None:
    return LOGLINES if depth == 0 and isinstance(value, dict) and LOGLINES in value else None


def _vote(seen: Sequence[dict[str, Json]]) -> Detection | None:
    votes = [reason for value in seen if (reason := looks_real(value))]
    if not votes:
        return None
    share = len(votes) / len(seen)
    return Detection(0.5 + 0.45 * share, f"{len(votes)} of {len(seen)} records: {votes[0]}")


FORMAT = ClaudeCode()
