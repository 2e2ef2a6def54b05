"""Sage Agent sessions: folders of message lines, file snapshots and metadata, and older files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from talktree.errors import RefusedInput, Unreadable
from talktree.files import Content, MemoryContent, Source, stem_of
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
from talktree.formats.jsonl_format import HEAD, compose_lines, make_sheet, pre_encode_lines
from talktree.formats.message_defaults import fill_by_adopting
from talktree.formats.record_file import Item, Sheet
from talktree.formats.rule import Rule
from talktree.formats.sage.adopt import (
    adopt_message,
    adopt_snapshot,
    complete_entry,
    make_session_head,
)
from talktree.formats.sage.detect import detect_file, detect_folder, detect_layout
from talktree.formats.sage.detect_kinds import METADATA, OPERATIONS
from talktree.formats.sage.lens import get
from talktree.formats.sage.lens_members import FULL, NESTED
from talktree.formats.sage.parse import MetadataSheet, SageDialect, SessionSheet
from talktree.formats.sage.places import (
    MESSAGES,
    OPERATIONS_LOG,
    ROOT_NAME,
    SNAPSHOTS,
    copy_path,
    find_path_owner,
    list_secret_files,
    list_transient_files,
    name_of,
    sibling_path,
)
from talktree.formats.sage.session_ids import is_id
from talktree.formats.sage.sessions import find_message_before, split_folder
from talktree.formats.sage.write import put
from talktree.formats.sage.write_counts import update_counts
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import Message
from talktree.model.parts import Event, Part
from talktree.text.json.encode import PRETTY, encode_json
from talktree.text.json.value import Json

if TYPE_CHECKING:
    from talktree.formats.rule_context import CheckedConversation


class Sage(Format):
    """Sage Agent sessions."""

    info = FormatInfo(
        slug="sage",
        title="Sage Agent session",
        layout="either",
        suffixes=(".jsonl", ".json"),
        origin="session folders of Sage Agent (Sage Agent Chat History JSON Format Design)",
        aliases=("sage-agent",),
        docs="formats/sage.md",
        assistant="Sage",
    )
    optional_rules = frozenset({"ROL102"})
    can = FormatCapabilities(
        branches=True,
        roles=("user", "assistant", "system", "tool"),
        parts=frozenset({"text", "tool_call", "tool_result", "event"}),
        fields=frozenset(
            {"time_ns", "session", "usage", "follows", "context", "todos", "thinking"}
        ),
        flags=frozenset({"sidechain", "error"}),
        time="ns",
        snapshots=True,
        heads=True,
        extra="json",
        texts="one",
        ids="uuid",
    )
    dialect = SageDialect()
    starts_folder = True
    record_per_line = True
    keeper = "beside"
    faithful = True
    records_place = True
    copies_carry = True
    words_at = ("message", "content")
    compaction_names: Mapping[str, str] = {
        "messages": "messages_before",
        "tokens": "tokens_before",
        "messagesBefore": "messages_before",
        "messagesAfter": "messages_after",
        "tokensBefore": "tokens_before",
        "tokensAfter": "tokens_after",
        "ratio": "ratio",
    }

    def __init__(self, *, nested_results: bool = False) -> None:
        # New tool results are written in the specification's place, or where the program reads
        # them.
        fresh = NESTED if nested_results else FULL
        self.lens = Lens(get, partial(put, fresh=fresh), complete_entry)

    def fill(self, message: Message, conversation: Conversation) -> Message:
        return fill_by_adopting(self, message, conversation)

    def on_edit(self, conversation: Conversation, before: Conversation | None) -> Conversation:
        return update_counts(conversation, before)

    def find_withheld_files(self, source: Source) -> Collection[str]:
        return list_secret_files(source.files, source.name)

    def can_withhold(self, name: str) -> bool:
        return bool(list_secret_files([name], ROOT_NAME))

    def find_transient_files(self, source: Source) -> Collection[str]:
        return list_transient_files(source.files)

    def detect(self, probe: Probe) -> Detection | None:
        return detect_folder(probe) if probe.folder else detect_file(probe)

    def split(self, source: Source) -> SplitSource:
        if source.folder:
            return split_folder(source, self, self.dialect)
        ((path, content),) = source.files.items()
        return SplitSource([self._make_single_sheet(path, content)])

    def find_owner(self, path: str, conversations: Mapping[str, Sequence[str]]) -> str | None:
        return find_path_owner(path, conversations)

    def _make_single_sheet(self, path: str, content: Content) -> Sheet:
        group = stem_of(path)
        match detect_layout(path, content.read(0, HEAD)):
            case "trajectory":
                raise RefusedInput(
                    f"{path}: a trajectory, Sage's recording of an agent run, not a conversation",
                    hint="the conversation itself is the session's folder in .sage/sessions",
                )
            case "metadata":
                return MetadataSheet(path, content, self, group=group)
            case "session":
                return SessionSheet(path, content, self, group=group)
            case "lines":
                return make_sheet(path, content, self, self.dialect, group=group)

    def choose_file(self, entry: Entry, main_file: str, *, before: str | None) -> str:
        if name_of(main_file) not in (MESSAGES, SNAPSHOTS, METADATA):
            return main_file
        match entry:
            case Message():
                return sibling_path(main_file, MESSAGES)
            case Snapshot():
                return sibling_path(main_file, SNAPSHOTS)
            case Head():
                return sibling_path(main_file, METADATA)
            case Opaque():
                return before or main_file

    def adopt(self, message: Message, about: ConversationInfo, *, moment: int) -> Message:
        return adopt_message(message, about, moment=moment)

    def adopt_other(self, entry: Head | Snapshot | Opaque, about: ConversationInfo) -> Entry | None:
        # A session has one metadata.json, which `make_opening_entries` makes.
        return adopt_snapshot(entry, about) if isinstance(entry, Snapshot) else None

    def make_opening_entries(self, about: ConversationInfo) -> Sequence[Entry]:
        return (make_session_head(about),)

    def has_place(self, part: Part) -> bool:
        if isinstance(part, Event):
            return part.kind in OPERATIONS.values()
        return super().has_place(part)

    def stem_for(self, id: str) -> str | None:
        return id if is_id(id) else None

    def path_for(self, about: ConversationInfo, stem: str) -> str:
        return MESSAGES

    def compose(
        self, path: str, about: ConversationInfo, items: Iterator[Item], *, first: bool
    ) -> Iterable[bytes]:
        if name_of(path) == METADATA:
            return (encode_json(item.value, PRETTY) + b"\n" for item in items)
        return compose_lines(items)

    def pre_encode(self, values: Sequence[Json]) -> Sequence[Json]:
        return [pre_encode_lines(values)]

    def read_elsewhere(self, source: Source) -> str | None:
        if source.folder or source.place is None:
            return None
        copy = source.place.parent / copy_path(source.place.name)
        (content,) = source.files.values()
        try:
            same = copy.stat().st_size == content.size and copy.read_bytes() == content.read()
        except OSError:
            return None
        return copy.parent.name if same else None

    def find_active_message(self, source: Source, main_file: str, newest: str) -> str | None:
        log = source.files.get(sibling_path(main_file, OPERATIONS_LOG))
        if log is None or not source.folder:
            return None
        from talktree.formats.sage.operations_log import find_message_after_moves

        try:
            found = find_message_after_moves(log, newest)
            return find_message_before(source, main_file) if found is None else found
        except Unreadable:
            # The messages themselves can be shown without it.
            return None

    def has_branch_log(self, talk: CheckedConversation) -> bool:
        # Talktree's own store records every move from one branch to another.
        return sibling_path(talk.conversation.main_file, OPERATIONS_LOG) in talk.origin.source.files

    def rules(self) -> Sequence[Rule]:
        from talktree.formats.sage.rules import RULES

        return RULES

    def rebuild_file(self, path: str, talk: CheckedConversation) -> bytes | None:
        from talktree.formats.sage.repair import encode_metadata

        return encode_metadata(talk) if name_of(path) == METADATA else None

    def blank_sheet(self, path: str) -> Sheet:
        if name_of(path) == METADATA:
            return MetadataSheet(path, MemoryContent(b""), self, group="")
        return LineSheet(path, MemoryContent(b""), self.dialect, group="")


FORMAT = Sage()
