"""Message files: one Markdown file for each message, one folder for each conversation.

This is the format of the Message Format Specification (chat-builder `messages/`). Only files named
by a number, and the `config.json` beside them, are opened; all others stay unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from talktree.files import MemoryContent, Source, stem_of
from talktree.formats.chatbuilder import lens_embedded
from talktree.formats.chatbuilder.adopt import adopt_message, complete, make_folder_head
from talktree.formats.chatbuilder.detect import detect
from talktree.formats.chatbuilder.lens import get, put
from talktree.formats.chatbuilder.lens_authors import parse_authors
from talktree.formats.chatbuilder.parse_header import ROLES
from talktree.formats.chatbuilder.parse_message_file import MessageSheet, Owners
from talktree.formats.chatbuilder.write import (
    CONFIG,
    assign_names,
    folder_of,
    group_by_folder,
    is_config,
    name_of,
)
from talktree.formats.format import (
    BESIDE,
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
from talktree.formats.jsonl_format import compose_lines
from talktree.formats.record_file import Item, Sheet
from talktree.formats.sidecar import open_sidecar
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry
from talktree.model.message import Author, Message
from talktree.text import utf8
from talktree.text.json.encode import PRETTY, encode_json
from talktree.text.json.value import Json

if TYPE_CHECKING:
    from talktree.formats.rule import Rule


class ChatBuilder(Format):
    """Numbered message files."""

    info = FormatInfo(
        slug="chatbuilder",
        title="Chat builder message files",
        layout="either",
        suffixes=(".md",),
        origin="Markdown message files of the chat-builder tool (Message Format Specification)",
        aliases=("chat-builder",),
        docs="formats/chatbuilder.md",
    )
    can = FormatCapabilities(
        fields=frozenset({"time_ns", "authors"}),
        time="ns",
        heads=True,
        extra="text",
        any_text=False,
        roles=ROLES,
        texts="one",
        ids="uuid",
        spelling=("text", "json", "ascii"),
    )
    lens = Lens(get, put, complete)
    file_per_record = True
    starts_folder = True
    keeper = "beside"
    faithful = True

    def detect(self, probe: Probe) -> Detection | None:
        return detect(probe)

    def split(self, source: Source) -> SplitSource:
        owners: Owners = {}
        if not source.folder:
            return SplitSource(
                [
                    MessageSheet(path, content, group=stem_of(path), owners=owners)
                    for path, content in source.files.items()
                ]
            )
        folders = group_by_folder(source.files)
        for path in source.files:
            if name_of(path) == BESIDE:
                folders.setdefault(folder_of(path), [])
        if not folders and CONFIG in source.files:
            # A conversation that has a title and no messages.
            folders[""] = []
        sheets: list[Sheet] = []
        for folder, paths in folders.items():
            group = _group_name(folder, source.name, folders)
            settings = f"{folder}/{CONFIG}" if folder else CONFIG
            if settings in source.files:
                sheets.append(self._config_sheet(settings, source, group))
            sheets += [
                MessageSheet(path, source.files[path], group=group, owners=owners) for path in paths
            ]
            along = f"{folder}/{BESIDE}" if folder else BESIDE
            if along in source.files:
                sheets.append(open_sidecar(along, source.files[along], group=group))
        mine = {sheet.path for sheet in sheets}
        return SplitSource(sheets, [path for path in source.files if path not in mine])

    def _config_sheet(self, path: str, source: Source, group: str) -> Sheet:
        return JsonSheet(
            path, source.files[path], self, group=group, hole=lambda *_: None, links="chain"
        )

    def assign_file_names(self, order: Sequence[str | Entry], *, main_file: str) -> Sequence[str]:
        return assign_names(order, main_file=main_file)

    def adopt(self, message: Message, about: ConversationInfo, *, moment: int) -> Message:
        return adopt_message(message, about, moment=moment)

    def fill(self, message: Message, conversation: Conversation) -> Message:
        # `Ada, Robin (v1.0.0)` is two authors, as in a header.
        match message.authors:
            case (Author(name=name, version=None),):
                return replace(message, authors=parse_authors(name))
            case _:
                return message

    def make_opening_entries(self, about: ConversationInfo) -> Sequence[Entry]:
        head = make_folder_head(about)
        return () if head is None else (head,)

    def make_blank_files(self, about: ConversationInfo) -> Mapping[str, bytes]:
        head = make_folder_head(replace(about, count=1))
        return {} if head is None else {CONFIG: encode_json(put(head, None), PRETTY) + b"\n"}

    def path_for(self, about: ConversationInfo, stem: str) -> str:
        return "1.md"

    def compose(
        self, path: str, about: ConversationInfo, items: Iterator[Item], *, first: bool
    ) -> Iterable[bytes]:
        if is_config(path):
            return (encode_json(item.value, PRETTY) + b"\n" for item in items)
        if name_of(path) == BESIDE:
            return compose_lines(items)
        return (utf8.encode(item.value) for item in items if isinstance(item.value, str))

    def take_carry(self, value: Json) -> tuple[Json, Json]:
        if not isinstance(value, str):
            return super().take_carry(value)
        return lens_embedded.extract_source(value)

    def with_carry(self, value: Json, carried: Json) -> Json:
        if not isinstance(value, str):
            return super().with_carry(value, carried)
        return lens_embedded.embed_source(value, carried)

    def blank_sheet(self, path: str) -> Sheet:
        if is_config(path):
            return self._config_sheet(path, Source.of_files({path: b""}), path)
        return MessageSheet(path, MemoryContent(b""), group=path, owners={})

    def rules(self) -> Sequence[Rule]:
        from talktree.formats.chatbuilder.rules import RULES

        return RULES


def _group_name(folder: str, name: str, folders: dict[str, list[str]]) -> str:
    """Return the name of a folder's conversation; the top folder has the name of the source."""
    if folder:
        return folder
    return name if name and name not in folders else "."


FORMAT = ChatBuilder()
