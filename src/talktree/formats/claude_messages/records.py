"""Lines of the documented message types: what they are recognised by, and a quick look at them."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from talktree.formats.line_sheet import NO_NODE, LineDialect
from talktree.formats.sheets import Fields
from talktree.model.skeleton import Trait
from talktree.text.json_value import Json
from talktree.text.times import from_iso

TYPES = frozenset({"user", "assistant", "system", "compact_system"})


class _Envelope(Struct):
    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    parentUuid: str | None = None
    timestamp: str | None = None
    isSidechain: bool | None = None
    isMeta: bool | None = None


_skim = msgspec.json.Decoder(_Envelope).decode


class Dialect(LineDialect):
    """What a line says of its place in the tree."""

    def skim(self, line: bytes) -> Fields:
        found = _skim(line)
        if found.type not in TYPES:
            return NO_NODE
        return (
            _trait(found.type, found.subtype, meta=found.isMeta is True),
            found.uuid,
            found.parentUuid,
            None if found.timestamp is None else from_iso(found.timestamp),
            found.type,
            found.isSidechain is True,
        )

    def outline(self, value: Json) -> Fields:
        if not isinstance(value, dict) or value.get("type") not in TYPES:
            return NO_NODE
        type, subtype, time = value["type"], value.get("subtype"), value.get("timestamp")
        id, parent = value.get("uuid"), value.get("parentUuid")
        return (
            _trait(type, subtype, meta=value.get("isMeta") is True),
            id if isinstance(id, str) else None,
            parent if isinstance(parent, str) else None,
            from_iso(time) if isinstance(time, str) else None,
            type,
            value.get("isSidechain") is True,
        )

    def is_record(self, value: Json) -> bool:
        return isinstance(value, dict) and value.get("type") in TYPES and "uuid" in value


def _trait(type: Json, subtype: Json, *, meta: bool) -> Trait:
    if type == "system":
        return Trait.RESULT if subtype == "tool_result" else Trait.NOTE
    if type == "compact_system" or meta:
        return Trait.NOTE
    return Trait.REPLY if type == "assistant" else Trait.SAID


def looks_documented(value: dict[str, Json]) -> str | None:
    """What shows that a record is of the documented kind, or None."""
    type = value.get("type")
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
