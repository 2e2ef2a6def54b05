"""The exporters' dialects, which leave out members, and incomplete comments."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.record_file import Sheet
from talktree.formats.studio.migrate import CommentRenewal
from talktree.formats.studio_xml.parse import XmlSheet


class XmlRenewal(CommentRenewal):
    """Detects and migrates older XML files."""

    def describe_old_sheet(self, sheet: Sheet) -> Iterator[str]:
        if not isinstance(sheet, XmlSheet) or not sheet.pieces:
            return
        if not sheet.listed:
            yield "a comment without <comments> around it"
        if sheet.writer.habits.attributes:
            yield "members of comments stand in attributes"


RENEWAL = XmlRenewal
