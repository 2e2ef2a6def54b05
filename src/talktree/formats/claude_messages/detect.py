"""Detection of the documented message types, and the outline of their lines."""

from __future__ import annotations

import msgspec
from msgspec import Raw

from talktree.formats.evidence import Clue
from talktree.formats.jsonl_file import NO_NODE, LineDialect
from talktree.formats.lens import get_text
from talktree.model.outline import LineOutline, Trait, make_call_group
from talktree.text.json.value import Json

NOTHING = Raw()
_CALL = "tool_use"
_RESULT = b'"tool_result"'
_IN_BLOCKS = f'"{_CALL}"'.encode()
TYPES = frozenset({"user", "assistant", "system", "compact_system"})


_NAMES = {
    "role": "type",
    "id": "uuid",
    "parent": "parentUuid",
    "stamp": "timestamp",
    "sidechain": "isSidechain",
    "meta": "isMeta",
    "tool": "toolName",
    "said": "message",
}


class _Line(LineOutline, rename=_NAMES):
    id: str | None = None
    parent: str | None = None
    stamp: str | None = None
    role: str = ""
    sidechain: bool = False
    subtype: str | None = None
    meta: bool = False
    tool: Raw = NOTHING
    said: Raw = NOTHING


_decode = msgspec.json.Decoder(_Line).decode


class ClaudeMessagesDialect(LineDialect):
    """Reads where a line belongs in the tree."""

    def skim(self, line: bytes | memoryview) -> LineOutline:
        found = _decode(line)
        if found.role in TYPES:
            found.trait = _find_trait(found.role, found.subtype, meta=found.meta)
            if found.trait == Trait.SAID and _RESULT in bytes(found.said):
                found.trait = _find_trait_of_blocks(_decode_json(found.said))
            if found.role == "assistant" and found.parent is not None and _is_tool_call_line(found):
                found.group = make_call_group(found.parent)
            found.role = role_of(found.role)
        return found

    def outline(self, value: Json) -> LineOutline:
        if not isinstance(value, dict) or get_text(value, "type") not in TYPES:
            return NO_NODE
        texts = {key: get_text(value, name) for key, name in _NAMES.items()}
        meta = value.get("isMeta") is True
        calls = texts["role"] == "assistant" and _has_call(value)
        trait = _find_trait(texts["role"], value.get("subtype"), meta=meta)
        return LineOutline(
            group=make_call_group(texts["parent"])
            if calls and texts["parent"] is not None
            else None,
            trait=_find_trait_of_blocks(value.get("message")) if trait == Trait.SAID else trait,
            id=texts["id"],
            parent=texts["parent"],
            stamp=texts["stamp"],
            role=role_of(texts["role"] or ""),
            sidechain=value.get("isSidechain") is True,
        )

    def is_record(self, value: Json) -> bool:
        return isinstance(value, dict) and get_text(value, "type") in TYPES and "uuid" in value


def role_of(type: str) -> str:
    """Return the role of a message in a line of a type."""
    return "system" if type == "compact_system" else type


def _find_trait(type: Json, subtype: Json, *, meta: bool) -> Trait:
    if type == "system":
        return Trait.RESULT if subtype == "tool_result" else Trait.NOTE
    if type == "compact_system" or meta:
        return Trait.NOTE
    return Trait.REPLY if type == "assistant" else Trait.SAID


def _find_trait_of_blocks(said: Json) -> Trait:
    """Return the trait of a user line: tool results, if it holds nothing else."""
    blocks = said.get("content") if isinstance(said, dict) else None
    if not isinstance(blocks, list) or not blocks:
        return Trait.SAID
    results = all(isinstance(each, dict) and each.get("type") == "tool_result" for each in blocks)
    return Trait.RESULT if results else Trait.SAID


def _is_tool_call_line(line: _Line) -> bool:
    """Whether a skimmed line calls a tool."""
    said = bytes(line.said)
    if line.subtype != _CALL and _IN_BLOCKS not in said:
        return False
    value = {
        "subtype": line.subtype,
        "toolName": _decode_json(line.tool),
        "message": _decode_json(line.said),
    }
    return _has_call(value)


def _decode_json(raw: Raw) -> Json:
    found: Json = msgspec.json.decode(raw) if bytes(raw) else None
    return found


def _has_call(value: dict[str, Json]) -> bool:
    said = value.get("message")
    if isinstance(said, dict) and isinstance(content := said.get("content"), str | list):
        blocks = content if isinstance(content, list) else []
        return any(isinstance(block, dict) and block.get("type") == _CALL for block in blocks)
    return value.get("subtype") == _CALL and isinstance(value.get("toolName"), str)


def judge_record(value: dict[str, Json]) -> Clue | None:
    """Return the evidence that a record is of the documented kind, or None."""
    type = get_text(value, "type")
    if type == "compact_system":
        return Clue("envelope", "type compact_system")
    if type not in TYPES or "uuid" not in value:
        return None
    if isinstance(value.get("message"), str):
        return Clue("body", f"type {type} with a plain text message")
    if "toolName" in value or "toolArguments" in value:
        return Clue("body", f"type {type} with toolName")
    if isinstance(value.get("message"), dict):
        # Formats with an object there detect their own.
        return Clue("misfit")
    if "message" not in value and "content" not in value and "sessionId" in value:
        return Clue("envelope", f"type {type} without a message") if type != "system" else None
    return None
