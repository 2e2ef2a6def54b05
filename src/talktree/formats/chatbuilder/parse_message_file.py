"""A message file: one record, read when it is requested."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from talktree.files import Content
from talktree.formats.chatbuilder.lens import get
from talktree.formats.chatbuilder.repair import find_oddities, repair_message
from talktree.formats.format import Record
from talktree.formats.positions import RecordContext
from talktree.formats.record_file import ByteRepair, Item, Sheet, Sink
from talktree.model.findings import Finding, make_finding
from talktree.model.message import Message
from talktree.model.outline import LineOutline, outline_entry, outline_line
from talktree.text import utf8

Owners = dict[str, str]
"""Ids, each with the conversation that had it first."""


class MessageSheet(Sheet):
    """One message in one file."""

    links = "chain"

    def __init__(self, path: str, content: Content, *, group: str, owners: Owners) -> None:
        self.path = path
        self.content = content
        self.group = group
        self._owners = owners
        self._id = ""

    def __len__(self) -> int:
        return 1

    def index(self, sink: Sink) -> None:
        entry = get(self.record(0))
        self._id = entry.id
        if entry.id:
            self._owners.setdefault(entry.id, self.group)
        sink.add(self.group, outline_entry(entry), chain=isinstance(entry, Message))

    def outlines(self) -> Iterator[LineOutline]:
        yield outline_line(get(self.record(0)))

    def record(self, index: int) -> Record:
        raw = self.content.read()
        return Record(utf8.decode(raw), raw, path=self.path, line=1)

    def get_context(self, index: int) -> RecordContext:
        return RecordContext()

    def get_outer_bytes(self) -> tuple[bytes, bytes]:
        return b"", b""

    def rewrite(self, items: Sequence[Item]) -> Iterator[bytes]:
        for item in items:
            if isinstance(item.value, str):
                yield utf8.encode(item.value)
            else:
                yield from self.content.blocks()

    def find_repairs(self, keys: Collection[str]) -> Iterator[ByteRepair]:
        return repair_message(self.content.read(), keys)

    def inspect(self) -> Iterator[Finding]:
        raw = self.content.read()
        yield from find_oddities(raw, self.path)
        owner = self._owners.get(self._id, self.group)
        if owner != self.group:
            # Duplicates within one conversation are reported where its ids are assigned.
            yield make_finding(
                "duplicate-id", f"the id {self._id[:60]} stands in {owner} too", path=self.path
            )
