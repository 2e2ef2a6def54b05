"""The two JSON documents of Sage: a session's metadata, and the older session file.

It also reads the outline of a Sage line, by a typed partial decode of only these fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from talktree.errors import WouldLose
from talktree.files import Content
from talktree.formats.format import Format, Record
from talktree.formats.json_file import JsonSheet
from talktree.formats.jsonl_file import NO_NODE, LineDialect
from talktree.formats.nested_file import FilePiece
from talktree.formats.record_file import Item
from talktree.formats.sage.checksum import without_seal
from talktree.formats.sage.detect_kinds import CONTINUES, SNAPSHOT, TYPES, get_followed_message
from talktree.formats.sage.lens import get
from talktree.formats.sage.lens_members import DOCUMENTED, LEGACY
from talktree.formats.sage.write import write_entry
from talktree.model.entries import Opaque
from talktree.model.findings import Finding, make_finding
from talktree.model.message import Message, Usage
from talktree.model.outline import LineOutline, Trait, outline_line
from talktree.text.json.decode import decode
from talktree.text.json.encode import PRETTY
from talktree.text.json.value import Json, is_equal


class MetadataSheet(JsonSheet):
    """metadata.json: one object that describes the session."""

    def __init__(self, path: str, content: Content, format: Format, *, group: str) -> None:
        super().__init__(path, content, format, group=group, hole=_no_children_key, links="own")
        if not content.size:
            self.style = PRETTY
        self.ruined = self._describe_ruin(content)
        """Why the file is not a metadata.json; empty if it is one."""
        self.lost = not any(isinstance(piece.value, dict) for piece in self.pieces)
        """Whether the file has no data of the session at all."""
        if self.ruined and self.lost:
            self.pieces = [replace(piece, usable=False) for piece in self.pieces]
            self.findings = []
        if self.ruined:
            self.findings.append(make_finding("ruined-metadata", self.ruined, path=path))

    def _describe_ruin(self, content: Content) -> str:
        if not content.read().strip(b"\0 \t\r\n"):
            return "nothing but NULs stands here" if content.size else "the file is empty"
        if self.listed or len(self.pieces) != 1 or not isinstance(self.pieces[0].value, dict):
            return "this is not one object that describes a session"
        return ""

    def inspect(self) -> Iterator[Finding]:
        # A file that must be rebuilt is reported once, however many oddities its bytes have.
        return iter(self.findings) if self.ruined and self.lost else super().inspect()

    def rewrite(self, items: Sequence[Item]) -> Iterator[bytes]:
        if sum(item.at is None for item in items) and len(items) > 1:
            raise WouldLose(
                "a Sage session has one metadata.json",
                hint="change the head that is there instead of adding another",
            )
        return super().rewrite(items)

    def make_separator(self, container: FilePiece | None, *, depth: int, first: bool) -> bytes:
        return b""


class SessionSheet(JsonSheet):
    """The older session file: one object with its messages in a list."""

    def __init__(self, path: str, content: Content, format: Format, *, group: str) -> None:
        super().__init__(path, content, format, group=group, hole=_messages_key, links="chain")

    def make_piece(self, value: Json, depth: int) -> FilePiece:
        return super().make_piece(_to_legacy(value), depth)


class ContinuedSheet(SessionSheet):
    """The older file of a session that continues in a folder; new messages go to that folder."""

    def __init__(
        self, path: str, content: Content, format: Format, *, group: str, main_path: str
    ) -> None:
        super().__init__(path, content, format, group=group)
        self.main_path = main_path


def _no_children_key(value: Json, depth: int) -> None:
    return None


def _messages_key(value: Json, depth: int) -> str | None:
    return "messages" if depth == 0 else None


def _to_legacy(value: Json) -> Json:
    """Return a new record in the older form, whose only order is that of its list."""
    entry = get(Record(value))
    if isinstance(entry, Opaque):
        return value
    if isinstance(entry, Message):
        entry = replace(entry, parent=None, todos=entry.todos or None)
        made = write_entry(entry, LEGACY)
        if is_equal(get(Record(made, id=entry.id)), entry):
            return made
    raise WouldLose(
        "the older Sage session file has no place for this entry",
        hint="nothing was written; make it a session folder first",
    )


NOTHING = Raw()
_NAMES = {
    "id": "uuid",
    "parent": "parentUuid",
    "stamp": "timestamp",
    "role": "type",
    "sidechain": "isSidechain",
    "follows": "branchParentUuid",
    "usage": "usage",
    "speaker": "role",
    "subtype": "subtype",
}
_TOKENS = dict(
    zip(("input", "output", "cache_read", "cache_write"), DOCUMENTED.tokens, strict=True)
)


class _Tokens(Usage, frozen=True, gc=False, rename=_TOKENS):
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


class _Line(LineOutline, gc=False, rename=_NAMES):
    id: str | None = None
    parent: str | None = None
    stamp: str | None = None
    role: str = ""
    sidechain: bool = False
    follows: str | None = None
    usage: _Tokens | None = None
    speaker: Raw = NOTHING
    subtype: Raw = NOTHING


_USUAL = {
    "user": ("user", int(Trait.SAID)),
    "assistant": ("assistant", int(Trait.REPLY)),
    "tool_result": ("tool", int(Trait.RESULT)),
    "system": ("system", int(Trait.SAID)),
}
"""Types that are enough to know the role; for other types the whole line is read."""
_decode = msgspec.json.Decoder(_Line).decode


class SageDialect(LineDialect):
    """Reads where a line belongs in the tree."""

    def skim(self, line: bytes | memoryview) -> LineOutline:
        found = _decode(line)
        usual = _USUAL.get(found.role)
        if usual is not None and found.subtype is NOTHING:
            found.role, found.trait = usual
            return found
        if not found.id and found.role not in TYPES and found.speaker is NOTHING:
            return NO_NODE
        return self.outline(decode(bytes(line)).value)

    def outline(self, value: Json) -> LineOutline:
        return outline_line(get(Record(value)))

    def strip_stale_fields(self, value: Json) -> Json:
        return without_seal(value)

    def is_record(self, value: Json) -> bool:
        if not isinstance(value, dict) or not isinstance(value.get("type"), str):
            return False
        return isinstance(value.get("uuid"), str) or value["type"] == SNAPSHOT


class _Continuing(Struct, gc=False):
    continues: Raw = NOTHING


_continuing = msgspec.json.Decoder(_Continuing).decode


class ContinuingDialect(SageDialect):
    """Lines of a session that continues an older file, which is read before them.

    A line without a parent may follow a message of that file, which has no id of its own.
    """

    def skim(self, line: bytes | memoryview) -> LineOutline:
        found = super().skim(line)
        if found.id and found.parent is None:
            found.follows = found.follows or _read_followed_message(_continuing(line).continues)
        return found

    def outline(self, value: Json) -> LineOutline:
        found = super().outline(value)
        if found.id and found.parent is None and isinstance(value, dict):
            found.follows = found.follows or get_followed_message(value.get(CONTINUES))
        return found


def _read_followed_message(raw: Raw) -> str | None:
    return get_followed_message(decode(bytes(raw)).value) if raw else None
