"""The exporters' dialects, which leave out members, and incomplete comments."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.record_file import Sheet
from talktree.formats.studio.migrate import CommentRenewal
from talktree.formats.studio_text.parse_text_file import TextSheet


class TextRenewal(CommentRenewal):
    """Detects and migrates older text files."""

    def describe_old_sheet(self, sheet: Sheet) -> Iterator[str]:
        if isinstance(sheet, TextSheet) and sheet.cut.dialect not in ("own", "none"):
            yield f"the {sheet.cut.dialect} dialect, which has no place for all members"


RENEWAL = TextRenewal
