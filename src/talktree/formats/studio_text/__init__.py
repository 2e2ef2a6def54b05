"""Conversation Studio as text: comments as the parts of a MIME message.

It reads what the app's exporters wrote over time, and Talktree's own dialect, which keeps
everything that the JSON holds. The comments themselves are those of `studio`; this is only another
encoding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from talktree.files import MemoryContent, Source, stem_of
from talktree.formats.format import ConversationInfo, Detection, FormatInfo, Probe, SplitSource
from talktree.formats.record_file import Item, Sheet
from talktree.formats.studio.encodings import Comments
from talktree.formats.studio.lens import CAN
from talktree.formats.studio.write import link_comments
from talktree.formats.studio_text import parse_own
from talktree.formats.studio_text.parse_flat import find_first_head
from talktree.formats.studio_text.parse_text_file import TextSheet
from talktree.formats.studio_text.write_own import make_boundary, make_frame
from talktree.text.json.value import Json
from talktree.text.utf8 import BOM

if TYPE_CHECKING:
    from talktree.formats.rule import Rule

_COMMENT = re.compile(
    rb"^--\S[^\n]*\n(?:[A-Za-z-]+:[^\n]*\n){0,8}?User-Id:[^\n]*\n"
    rb"(?:[A-Za-z-]+:[^\n]*\n){0,4}?Timestamp:",
    re.MULTILINE,
)


class StudioText(Comments):
    """Conversation Studio's text exports, and Talktree's own."""

    info = FormatInfo(
        slug="studio-text",
        title="Conversation Studio (text)",
        layout="file",
        suffixes=(".text", ".txt", ".eml"),
        origin="MIME text export of Conversation Studio",
        docs="formats/studio-text.md",
    )
    can = replace(CAN, spelling=("text", "json", "ascii"))

    def detect(self, probe: Probe) -> Detection | None:
        if probe.folder:
            return None
        head = probe.read_head().removeprefix(BOM)
        if find_first_head(head) is not None:
            return Detection(0.98, f"a {parse_own.MARK} header, or a boundary like ours")
        if b"User-Id:" not in head or _COMMENT.search(head) is None:
            return None
        named = probe.name.lower().endswith(self.info.suffixes)
        reason = "a boundary line, then a comment's headers (User-Id, Timestamp)"
        return Detection(0.95 if named else 0.85, reason)

    def split(self, source: Source) -> SplitSource:
        return SplitSource(
            [
                TextSheet(path, content, self, group=stem_of(path))
                for path, content in source.files.items()
            ]
        )

    def blank_sheet(self, path: str) -> Sheet:
        return TextSheet(path, MemoryContent(b""), self, group=stem_of(path))

    def make_blank_files(self, about: ConversationInfo) -> Mapping[str, bytes]:
        start, end = make_frame(make_boundary([about.session]))
        return {self.path_for(about, about.id): start + end}

    def compose(
        self, path: str, about: ConversationInfo, items: Iterator[Item], *, first: bool
    ) -> Iterable[bytes]:
        return self.blank_sheet(path).rewrite(list(link_comments(items)))

    def rules(self) -> Sequence[Rule]:
        from talktree.formats.rule import find_rules
        from talktree.formats.studio_text import rules

        return [*super().rules(), *find_rules(rules)]


FORMAT = StudioText()


def render_comments(comments: Iterable[tuple[Json, int]]) -> Iterator[bytes]:
    """Yield a conversation in our own dialect, from comments in reading order with their depth."""
    items = [Item(None, value, changed=True, depth=depth) for value, depth in comments]
    return FORMAT.blank_sheet("conversation.text").rewrite(items)
