"""Conversation Studio's JSON: a list of comments, each with the replies nested in its `children`.

The text and XML encodings of the same comments are formats of their own and share the lens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from talktree.files import Content, Memory, Source, stem_of
from talktree.formats.format import About, Detection, FormatInfo, Probe, Split
from talktree.formats.json_file import JsonSheet
from talktree.formats.record_file import Item
from talktree.formats.studio.detect import looks_like_comments
from talktree.formats.studio.encodings import Comments
from talktree.formats.studio.write import composed, readied
from talktree.model.findings import finding
from talktree.text.json.encode import PRETTY
from talktree.text.json.value import Json


class Studio(Comments):
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
        return None if probe.folder else looks_like_comments(probe.head())

    def split(self, source: Source) -> Split:
        return Split([self._sheet(path, content) for path, content in source.files.items()])

    def blank_sheet(self, path: str) -> JsonSheet:
        return self._sheet(path, Memory(b"[]\n"))

    def blank(self, about: About) -> Mapping[str, bytes]:
        return {self.path_for(about, about.id): b"[]\n"}

    def compose(
        self, path: str, about: About, items: Iterator[Item], *, first: bool
    ) -> Iterable[bytes]:
        return composed(items)

    def readied(self, values: Sequence[Json]) -> Sequence[Json]:
        return list(map(readied, values))

    def _sheet(self, path: str, content: Content) -> JsonSheet:
        group = stem_of(path)
        sheet = JsonSheet(path, content, self, group=group, hole="children", links="nested")
        if not sheet.pieces:
            sheet.style = PRETTY
        sheet.findings += [
            finding("unknown-record", "not a comment but a bare value", path=path, line=piece.line)
            for piece in sheet.pieces
            if not isinstance(piece.value, dict)
        ]
        return sheet


FORMAT = Studio()
