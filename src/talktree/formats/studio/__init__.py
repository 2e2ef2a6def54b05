"""Conversation Studio's JSON: a list of comments, each with its replies nested in its `children`.

The text and XML encodings of the same comments are formats of their own and share the lens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from talktree.files import Content, MemoryContent, Source, stem_of
from talktree.formats.format import ConversationInfo, Detection, FormatInfo, Probe, SplitSource
from talktree.formats.json_file import JsonSheet
from talktree.formats.record_file import Item
from talktree.formats.studio.detect import detect_comments
from talktree.formats.studio.encodings import Comments
from talktree.formats.studio.write import pre_encode_comment, write_json
from talktree.model.findings import make_finding
from talktree.text.json.encode import PRETTY
from talktree.text.json.value import Json


class StudioJson(Comments):
    """Comments as JSON."""

    info = FormatInfo(
        slug="studio",
        title="Conversation Studio (JSON)",
        layout="file",
        suffixes=(".json",),
        origin="JSON export of Conversation Studio (Conversation Format Documentation)",
        aliases=("conversation-studio",),
        docs="formats/studio.md",
    )

    copies_carry = True
    empty_text = b"[]"

    def detect(self, probe: Probe) -> Detection | None:
        return None if probe.folder else detect_comments(probe.read_head())

    def split(self, source: Source) -> SplitSource:
        return SplitSource([self._sheet(path, content) for path, content in source.files.items()])

    def blank_sheet(self, path: str) -> JsonSheet:
        return self._sheet(path, MemoryContent(b"[]\n"))

    def make_blank_files(self, about: ConversationInfo) -> Mapping[str, bytes]:
        return {self.path_for(about, about.id): b"[]\n"}

    def compose(
        self, path: str, about: ConversationInfo, items: Iterator[Item], *, first: bool
    ) -> Iterable[bytes]:
        return write_json(items)

    def pre_encode(self, values: Sequence[Json]) -> Sequence[Json]:
        return list(map(pre_encode_comment, values))

    def _sheet(self, path: str, content: Content) -> JsonSheet:
        group = stem_of(path)
        sheet = JsonSheet(path, content, self, group=group, hole="children", links="nested")
        if not sheet.pieces:
            sheet.style = PRETTY
        sheet.findings += [
            make_finding(
                "unknown-record", "not a comment but a bare value", path=path, line=piece.line
            )
            for piece in sheet.pieces
            if not isinstance(piece.value, dict)
        ]
        return sheet


FORMAT = StudioJson()
