"""The two JSON documents of Sage: a session's metadata, and the older session file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from talktree.errors import WouldLose
from talktree.files import Content
from talktree.formats.format import Format, Record
from talktree.formats.json_sheet import JsonSheet
from talktree.formats.nested_file import Piece
from talktree.formats.record_file import Item
from talktree.formats.sage.lens import get
from talktree.formats.sage.native import native
from talktree.formats.sage.shapes import LEGACY
from talktree.model.entries import Opaque
from talktree.model.findings import Finding, finding
from talktree.model.message import Message
from talktree.text.json.value import Json, equal
from talktree.text.json_style import PRETTY


class MetadataSheet(JsonSheet):
    """metadata.json: one object that speaks of the session."""

    def __init__(self, path: str, content: Content, format: Format, *, group: str) -> None:
        super().__init__(path, content, format, group=group, hole=_no_hole, links="own")
        if not content.size:
            self.style = PRETTY
        self.ruined = self._ruin(content)
        """Why this is no metadata.json; empty if it is one."""
        self.lost = not any(isinstance(piece.value, dict) for piece in self.pieces)
        """Whether nothing at all is told of the session here."""
        if self.ruined and self.lost:
            self.pieces = [replace(piece, usable=False) for piece in self.pieces]
            self.findings = []
        if self.ruined:
            self.findings.append(finding("ruined-metadata", self.ruined, path=path))

    def _ruin(self, content: Content) -> str:
        if not content.read().strip(b"\0 \t\r\n"):
            return "nothing but NULs stands here" if content.size else "the file is empty"
        if self.listed or len(self.pieces) != 1 or not isinstance(self.pieces[0].value, dict):
            return "this is not one object that describes a session"
        return ""

    def inspect(self) -> Iterator[Finding]:
        # A file that has to be made anew is told once, whatever is odd about its bytes.
        return iter(self.findings) if self.ruined and self.lost else super().inspect()

    def rewritten(self, items: Sequence[Item]) -> Iterator[bytes]:
        if sum(item.at is None for item in items) and len(items) > 1:
            raise WouldLose(
                "a Sage session has one metadata.json",
                hint="change the head that is there instead of adding another",
            )
        return super().rewritten(items)

    def joint(self, container: Piece | None, *, depth: int, first: bool) -> bytes:
        return b""


class SessionSheet(JsonSheet):
    """The older session file: one object with its messages in a list."""

    def __init__(self, path: str, content: Content, format: Format, *, group: str) -> None:
        super().__init__(path, content, format, group=group, hole=_messages, links="chain")

    def fresh(self, value: Json, depth: int) -> Piece:
        return super().fresh(_as_legacy(value), depth)


class ContinuedSheet(SessionSheet):
    """The older file of a session that goes on in a folder; new messages go to that folder."""

    def __init__(
        self, path: str, content: Content, format: Format, *, group: str, main_path: str
    ) -> None:
        super().__init__(path, content, format, group=group)
        self.main_path = main_path


def _no_hole(value: Json, depth: int) -> None:
    return None


def _messages(value: Json, depth: int) -> str | None:
    return "messages" if depth == 0 else None


def _as_legacy(value: Json) -> Json:
    """A new record in the older form, which knows no order but that of its list."""
    entry = get(Record(value))
    if isinstance(entry, Opaque):
        return value
    if isinstance(entry, Message):
        entry = replace(entry, parent=None, todos=entry.todos or None)
        made = native(entry, LEGACY)
        if equal(get(Record(made, id=entry.id)), entry):
            return made
    raise WouldLose(
        "the older Sage session file has no place for this entry",
        hint="nothing was written; make it a session folder first",
    )
