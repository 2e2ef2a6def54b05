"""Conversation Studio's XML: comments as elements, replies nested in `<children>`.

The app, its worker and its older versions each write a dialect of their own; all are read. New
elements follow the dialect of the file, and keep everything that the JSON form holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from talktree.files import Content, MemoryContent, Source, stem_of
from talktree.formats.format import ConversationInfo, Detection, FormatInfo, Probe, SplitSource
from talktree.formats.record_file import Item
from talktree.formats.studio.encodings import Comments
from talktree.formats.studio.lens import CAN
from talktree.formats.studio.write import link_comments
from talktree.formats.studio_xml.detect import detect_comments
from talktree.formats.studio_xml.parse import BLANK, XmlSheet

if TYPE_CHECKING:
    from talktree.formats.rule import Rule


class StudioXml(Comments):
    """Comments as XML."""

    info = FormatInfo(
        slug="studio-xml",
        title="Conversation Studio (XML)",
        layout="file",
        suffixes=(".xml",),
        origin="XML export of Conversation Studio",
        docs="formats/studio-xml.md",
    )
    can = replace(CAN, spelling=("xml", "text", "json", "ascii"))

    def detect(self, probe: Probe) -> Detection | None:
        return None if probe.folder else detect_comments(probe.read_head())

    def split(self, source: Source) -> SplitSource:
        return SplitSource([self._sheet(path, content) for path, content in source.files.items()])

    def blank_sheet(self, path: str) -> XmlSheet:
        return self._sheet(path, MemoryContent(BLANK))

    def compose(
        self, path: str, about: ConversationInfo, items: Iterator[Item], *, first: bool
    ) -> Iterable[bytes]:
        return self.blank_sheet(path).rewrite(list(link_comments(items)))

    def _sheet(self, path: str, content: Content) -> XmlSheet:
        return XmlSheet(path, content, self, group=stem_of(path))

    def rules(self) -> Sequence[Rule]:
        from talktree.formats.rule import find_rules
        from talktree.formats.studio_xml import rules

        return [*super().rules(), *find_rules(rules)]


FORMAT = StudioXml()
