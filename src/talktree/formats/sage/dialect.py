"""A quick look at a Sage line: just what the skeleton needs, by a typed partial decode."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from talktree.formats.format import Record
from talktree.formats.line_sheet import NO_NODE, LineDialect
from talktree.formats.sage.checksum import without_seal
from talktree.formats.sage.detect_kinds import CONTINUES, SNAPSHOT, TYPES, followed_message
from talktree.formats.sage.lens import get
from talktree.formats.sage.shapes import DOCUMENTED
from talktree.model.message import Usage
from talktree.model.outline import LineOutline, Trait, line_outline
from talktree.text.json.decode import decode
from talktree.text.json.value import Json

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
"""Types that tell all there is to know; of the others the whole line is read."""
_decode = msgspec.json.Decoder(_Line).decode


class Dialect(LineDialect):
    """What a line says of its place in the tree."""

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
        return line_outline(get(Record(value)))

    def rewritten(self, value: Json) -> Json:
        return without_seal(value)

    def is_record(self, value: Json) -> bool:
        if not isinstance(value, dict) or not isinstance(value.get("type"), str):
            return False
        return isinstance(value.get("uuid"), str) or value["type"] == SNAPSHOT


class _Continuing(Struct, gc=False):
    continues: Raw = NOTHING


_continuing = msgspec.json.Decoder(_Continuing).decode


class ContinuingDialect(Dialect):
    """Lines of a session that continues an older file, which is read before them.

    A line without a parent may follow a message of that file, which has no id of its own.
    """

    def skim(self, line: bytes | memoryview) -> LineOutline:
        found = super().skim(line)
        if found.id and found.parent is None:
            found.follows = found.follows or _followed(_continuing(line).continues)
        return found

    def outline(self, value: Json) -> LineOutline:
        found = super().outline(value)
        if found.id and found.parent is None and isinstance(value, dict):
            found.follows = found.follows or followed_message(value.get(CONTINUES))
        return found


def _followed(raw: Raw) -> str | None:
    return followed_message(decode(bytes(raw)).value) if raw else None
