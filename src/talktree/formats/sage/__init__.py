"""Sage Agent sessions: folders of message lines, file snapshots and metadata, and older files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from talktree.errors import Refused, Unreadable
from talktree.files import Content, Memory, Source, stem_of
from talktree.formats.format import About, Can, Detection, Format, FormatInfo, Lens, Probe, Split
from talktree.formats.jsonl_file import LineSheet
from talktree.formats.jsonl_format import HEAD, composed_lines, sheet_for, written_lines
from talktree.formats.message_defaults import fill_by_adopting
from talktree.formats.record_file import Item, Sheet
from talktree.formats.rule import Rule
from talktree.formats.sage.adopt import adopted_message, adopted_snapshot, complete, session_head
from talktree.formats.sage.detect import layout_of, recognise, recognise_folder
from talktree.formats.sage.detect_kinds import METADATA, OPERATIONS
from talktree.formats.sage.lens import get
from talktree.formats.sage.lens_members import FULL, NESTED
from talktree.formats.sage.parse import Dialect, MetadataSheet, SessionSheet
from talktree.formats.sage.places import (
    MESSAGES,
    OPERATIONS_LOG,
    ROOT_NAME,
    SNAPSHOTS,
    beside,
    copy_path,
    fleeting,
    name_of,
    owner_of,
    settings,
)
from talktree.formats.sage.session_ids import is_id
from talktree.formats.sage.sessions import message_before, split_folder
from talktree.formats.sage.write import put
from talktree.formats.sage.write_counts import counted
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import Message
from talktree.model.parts import Event, Part
from talktree.text.json.encode import PRETTY, encode
from talktree.text.json.value import Json

if TYPE_CHECKING:
    from talktree.formats.rule_context import Talk


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
    can = Can(
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
    dialect = Dialect()
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
        # New tool results stand where the document has them, or where the program looks for them.
        fresh = NESTED if nested_results else FULL
        self.lens = Lens(get, partial(put, fresh=fresh), complete)

    def fill(self, message: Message, conversation: Conversation) -> Message:
        return fill_by_adopting(self, message, conversation)

    def settled(self, conversation: Conversation, before: Conversation | None) -> Conversation:
        return counted(conversation, before)

    def withheld(self, source: Source) -> Collection[str]:
        return settings(source.files, source.name)

    def may_withhold(self, name: str) -> bool:
        return bool(settings([name], ROOT_NAME))

    def fleeting(self, source: Source) -> Collection[str]:
        return fleeting(source.files)

    def detect(self, probe: Probe) -> Detection | None:
        return recognise_folder(probe) if probe.folder else recognise(probe)

    def split(self, source: Source) -> Split:
        if source.folder:
            return split_folder(source, self, self.dialect)
        ((path, content),) = source.files.items()
        return Split([self._lone_sheet(path, content)])

    def owner(self, path: str, conversations: Mapping[str, Sequence[str]]) -> str | None:
        return owner_of(path, conversations)

    def _lone_sheet(self, path: str, content: Content) -> Sheet:
        group = stem_of(path)
        match layout_of(path, content.read(0, HEAD)):
            case "trajectory":
                raise Refused(
                    f"{path}: a trajectory, Sage's recording of an agent run, not a conversation",
                    hint="the conversation itself is the session's folder in .sage/sessions",
                )
            case "metadata":
                return MetadataSheet(path, content, self, group=group)
            case "session":
                return SessionSheet(path, content, self, group=group)
            case "lines":
                return sheet_for(path, content, self, self.dialect, group=group)

    def home(self, entry: Entry, main_file: str, *, before: str | None) -> str:
        if name_of(main_file) not in (MESSAGES, SNAPSHOTS, METADATA):
            return main_file
        match entry:
            case Message():
                return beside(main_file, MESSAGES)
            case Snapshot():
                return beside(main_file, SNAPSHOTS)
            case Head():
                return beside(main_file, METADATA)
            case Opaque():
                return before or main_file

    def adopt(self, message: Message, about: About, *, moment: int) -> Message:
        return adopted_message(message, about, moment=moment)

    def adopt_other(self, entry: Head | Snapshot | Opaque, about: About) -> Entry | None:
        # A session has one metadata.json, and `opening` makes it.
        return adopted_snapshot(entry, about) if isinstance(entry, Snapshot) else None

    def opening(self, about: About) -> Sequence[Entry]:
        return (session_head(about),)

    def has_place(self, part: Part) -> bool:
        if isinstance(part, Event):
            return part.kind in OPERATIONS.values()
        return super().has_place(part)

    def stem_for(self, id: str) -> str | None:
        return id if is_id(id) else None

    def path_for(self, about: About, stem: str) -> str:
        return MESSAGES

    def compose(
        self, path: str, about: About, items: Iterator[Item], *, first: bool
    ) -> Iterable[bytes]:
        if name_of(path) == METADATA:
            return (encode(item.value, PRETTY) + b"\n" for item in items)
        return composed_lines(items)

    def readied(self, values: Sequence[Json]) -> Sequence[Json]:
        return [written_lines(values)]

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

    def active_message(self, source: Source, main_file: str, newest: str) -> str | None:
        log = source.files.get(beside(main_file, OPERATIONS_LOG))
        if log is None or not source.folder:
            return None
        from talktree.formats.sage.operations_log import message_after_moves

        try:
            found = message_after_moves(log, newest)
            return message_before(source, main_file) if found is None else found
        except Unreadable:
            # The messages themselves can be shown without it.
            return None

    def means_branches(self, talk: Talk) -> bool:
        # Talktree's own store tells every move from one branch to another.
        return beside(talk.conversation.main_file, OPERATIONS_LOG) in talk.origin.source.files

    def rules(self) -> Sequence[Rule]:
        from talktree.formats.sage.rules import RULES

        return RULES

    def remade(self, path: str, talk: Talk) -> bytes | None:
        from talktree.formats.sage.repair import metadata_bytes

        return metadata_bytes(talk) if name_of(path) == METADATA else None

    def blank_sheet(self, path: str) -> Sheet:
        if name_of(path) == METADATA:
            return MetadataSheet(path, Memory(b""), self, group="")
        return LineSheet(path, Memory(b""), self.dialect, group="")


FORMAT = Sage()
