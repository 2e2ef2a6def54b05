"""Lines of the documented message types: what they are recognised by, and a quick look at them."""

from __future__ import annotations

import msgspec

from talktree.formats.lens import text_in
from talktree.formats.line_sheet import NO_NODE, LineDialect
from talktree.model.outline import LineOutline, Trait
from talktree.text.json_value import Json

TYPES = frozenset({"user", "assistant", "system", "compact_system"})


_NAMES = {
    "role": "type",
    "id": "uuid",
    "parent": "parentUuid",
    "stamp": "timestamp",
    "sidechain": "isSidechain",
    "meta": "isMeta",
}


class _Line(LineOutline, rename=_NAMES):
    id: str | None = None
    parent: str | None = None
    stamp: str | None = None
    role: str = ""
    sidechain: bool = False
    subtype: str | None = None
    meta: bool = False


_decode = msgspec.json.Decoder(_Line).decode


class Dialect(LineDialect):
    """What a line says of its place in the tree."""

    def skim(self, line: bytes | memoryview) -> LineOutline:
        found = _decode(line)
        if found.role in TYPES:
            found.trait = _trait(found.role, found.subtype, meta=found.meta)
        return found

    def outline(self, value: Json) -> LineOutline:
        if not isinstance(value, dict) or text_in(value, "type") not in TYPES:
            return NO_NODE
        texts = {key: text_in(value, name) for key, name in _NAMES.items()}
        meta = value.get("isMeta") is True
        return LineOutline(
            trait=_trait(texts["role"], value.get("subtype"), meta=meta),
            id=texts["id"],
            parent=texts["parent"],
            stamp=texts["stamp"],
            role=texts["role"] or "",
            sidechain=value.get("isSidechain") is True,
        )

    def is_record(self, value: Json) -> bool:
        return isinstance(value, dict) and text_in(value, "type") in TYPES and "uuid" in value


def _trait(type: Json, subtype: Json, *, meta: bool) -> Trait:
    if type == "system":
        return Trait.RESULT if subtype == "tool_result" else Trait.NOTE
    if type == "compact_system" or meta:
        return Trait.NOTE
    return Trait.REPLY if type == "assistant" else Trait.SAID


def looks_documented(value: dict[str, Json]) -> str | None:
    """What shows that a record is of the documented kind, or None."""
    type = text_in(value, "type")
    if type == "compact_system":
        return "type compact_system"
    if type not in TYPES or "uuid" not in value:
        return None
    if isinstance(value.get("message"), str):
        return f"type {type} with a plain text message"
    if "toolName" in value or "toolArguments" in value:
        return f"type {type} with toolName"
    if "message" not in value and "content" not in value and "sessionId" in value:
        return f"type {type} without a message" if type != "system" else None
    return None
