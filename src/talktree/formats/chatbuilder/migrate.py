"""Message files with an older header: a comment, bare lines, a bare UUID, fields missing, none."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from talktree.formats.chatbuilder.parse import MessageLayout, parse_layout
from talktree.formats.chatbuilder.parse_header import BARE_ID, REQUIRED, ROLE, UUID, HeaderLine
from talktree.formats.format import ConversationInfo, Record
from talktree.formats.migration import Renewal
from talktree.model.entries import Entry, Head, Opaque
from talktree.model.message import Message
from talktree.text import utf8
from talktree.text.json.decode import decode
from talktree.text.json.encode import Style, encode_json
from talktree.text.json.value import Json

KEY = "X-Talktree-Was"
"""The header line that keeps the older form of a message: one line of JSON in ASCII."""


class FileRenewal(Renewal):
    """Detects and migrates older message files."""

    def describe_old_record(
        self, record: Record, entry: Entry, about: ConversationInfo
    ) -> Iterator[str]:
        if not isinstance(entry, Message) or not isinstance(record.value, str):
            return
        layout = parse_layout(record.value)
        if not layout.lines:
            yield "no header"
            return
        yield from _describe_old_style(layout)
        there = {line.name for line in layout.lines}
        required = [name for name in REQUIRED if name.lower() != UUID]
        yield from (f"no {name}" for name in required if name.lower() not in there)
        if ROLE not in there:
            yield "no role"

    def migrate_message(self, message: Message, about: ConversationInfo, *, moment: int) -> Message:
        adopted = super().migrate_message(message, about, moment=moment)
        # Text read from invalid UTF-8 stays unchanged; `adopt` would replace characters in it.
        return replace(adopted, parts=message.parts) if utf8.can_encode(message.text) else adopted

    def migrate_other(
        self, record: Record, entry: Entry, about: ConversationInfo, *, depth: int
    ) -> Json:
        kept = isinstance(entry, Head) or (isinstance(entry, Opaque) and record.usable)
        return record.value if kept and isinstance(record.value, dict) else None

    def extract_source(self, value: Json) -> tuple[Json, Json]:
        if not isinstance(value, str):
            return super().extract_source(value)
        return _extract_source(value)

    def embed_source(self, value: Json, carried: Json) -> Json:
        if not isinstance(value, str):
            return super().embed_source(value, carried)
        return _embed_source(value, carried)


def _describe_old_style(layout: MessageLayout) -> Iterator[str]:
    if layout.prefix:
        yield "something stands before the header"
    if layout.comment:
        yield "the header is an HTML comment"
    if not layout.has_separator:
        yield "no three newlines behind the header"
    for line in layout.lines[layout.comment :]:
        what = _describe_old_line(line)
        if what:
            yield what


def _describe_old_line(line: HeaderLine) -> str | None:
    if line.key == BARE_ID:
        return "a bare UUID instead of Block-UUID"
    if line.has_semicolon or not line.text.strip():
        return None
    return "header lines without a semicolon"


def _embed_source(text: str, carried: Json) -> str:
    """Return a current message file with the line, above the blank comment line and the role."""
    layout = parse_layout(text)
    lines = list(layout.lines)
    at = next(at for at, line in enumerate(lines) if line.name == ROLE)
    if at and lines[at - 1].key is None:
        at -= 1
    diagnostic = encode_json(carried, Style(ascii=True)).decode()
    lines.insert(at, HeaderLine("; ", KEY, ": ", diagnostic, layout.newline))
    return layout._replace(lines=tuple(lines)).text


def _extract_source(text: str) -> tuple[Json, Json]:
    if KEY not in text:
        return None, text
    layout = parse_layout(text)
    for line in layout.lines:
        if line.key == KEY:
            found = decode(line.value.encode("utf-8", "surrogatepass"))
            if found.usable and isinstance(found.value, dict):
                rest = tuple(each for each in layout.lines if each is not line)
                return found.value, layout._replace(lines=rest).text
    return None, text


RENEWAL = FileRenewal
