"""Talktree's own format: the complete model as JSON Lines, with a version.

Every other format can be dumped into it (`dump`) and read back as the same conversations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from talktree.files import Source, stem_of
from talktree.formats.evidence import collect_evidence
from talktree.formats.format import (
    CARRY,
    ConversationInfo,
    Detection,
    Format,
    FormatCapabilities,
    FormatInfo,
    Lens,
    Probe,
    Record,
    SplitSource,
)
from talktree.formats.native.lens import get, put, relink
from talktree.formats.native.lens_entries import PARTS
from talktree.formats.native.parse import VERSION, NativeSheet, judge_record
from talktree.formats.native.write import with_place, write_lines
from talktree.formats.record_file import Item
from talktree.formats.rule import Rule
from talktree.model.entries import Entry, Head
from talktree.model.message import ABORTED, DELETED, ERROR, META, SIDECHAIN, Message
from talktree.model.skeleton import Skeleton
from talktree.text.json.value import Json


class Native(Format):
    """The model as JSON Lines."""

    info = FormatInfo(
        slug="native",
        title="Talktree native",
        layout="file",
        suffixes=(".jsonl",),
        version=str(VERSION),
        origin="Talktree's own JSON Lines files, which hold everything",
        docs="formats/native.md",
    )
    can = FormatCapabilities(
        branches=True,
        parts=frozenset(PARTS),
        fields=frozenset(Message.__struct_fields__) - {"id", "role", "parts", "parent", "flags"},
        flags=frozenset({SIDECHAIN, DELETED, META, ERROR, ABORTED}),
        time="ns",
        snapshots=True,
        heads=True,
        extra="json",
        everything=True,
    )
    lens = Lens(get, put)
    record_per_line = True
    keeper = "line"
    faithful = True

    def detect(self, probe: Probe) -> Detection | None:
        if probe.folder:
            return None
        seen = probe.sample(most=20)
        if not seen:
            return None
        found = collect_evidence(seen, judge_record)
        about = seen[0].get("talktree")
        if isinstance(about, dict) and "version" in about:
            if len(found.misfits) > len(found.bodies):
                return found.make_detection()
            return Detection(0.99, f"the first line says talktree version {about['version']}")
        own = len(found.bodies) + len(found.envelopes)
        if not own or len(found.misfits) > len(found.bodies):
            return None
        confidence = 0.4 + 0.3 * own / len(seen)
        return Detection(confidence, f"{own} of {len(seen)} lines are conversations or messages")

    many_in_one = True

    def rules(self) -> Sequence[Rule]:
        from talktree.formats.native.rules import RULES

        return RULES

    def make_carrier_record(self, carry: Json) -> Json:
        return {CARRY: carry}

    def place_adopted(self, value: Json, skeleton: Skeleton, position: int) -> Json:
        assert isinstance(value, dict)
        return with_place(value, skeleton, position)

    def relink(
        self, entry: Entry, record: Record, above: str | None, *, follows: bool = False
    ) -> Json:
        moved = relink(record.value, above, follows=follows)
        return super().relink(entry, record, above, follows=follows) if moved is None else moved

    def make_blank_files(self, about: ConversationInfo) -> Mapping[str, bytes]:
        path = self.path_for(about, about.id)
        head = () if about.title is None else (Head(kind="title", title=about.title),)
        items = (Item(None, self.put(entry, None), changed=True) for entry in head)
        return {path: b"".join(self.compose(path, about, items, first=True))}

    def compose(
        self, path: str, about: ConversationInfo, items: Iterator[Item], *, first: bool
    ) -> Iterable[bytes]:
        return write_lines(about, items, first=first)

    def split(self, source: Source) -> SplitSource:
        homes: dict[str, str] = {}
        return SplitSource(
            [
                NativeSheet(path, content, group=stem_of(path), homes=homes)
                for path, content in source.files.items()
            ]
        )


FORMAT = Native()
