"""The requirements of the Message Type Specification on a file, as a list of faults."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

Line = dict[str, Any]
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3,9})?Z")
OPERATIONS = {
    "conversation_compacting",
    "conversation_compacted",
    "conversation_restored",
    "conversation_restoring",
}
FLAGS = ("isSidechain", "isDeleted", "isAborted", "isMeta", "isError")
ALONG = "x-talktree"


def faults(data: bytes) -> list[str]:
    """Yield the faults of a file's lines."""
    lines = [_parsed(raw) for raw in data.splitlines()]
    said = [line for line in lines if line["type"] != ALONG]
    return [*_link_faults(said), *(fault for line in said for fault in _line_faults(line))]


def _parsed(raw: bytes) -> Line:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    line = json.loads(raw, parse_constant=refuse)
    assert isinstance(line, dict)
    return line


def _link_faults(said: Sequence[Line]) -> Iterator[str]:
    ids = [line["uuid"] for line in said]
    if len(set(ids)) < len(ids):
        yield "a uuid is used twice"
    if len({line["sessionId"] for line in said}) > 1:
        yield "several sessions"
    for line in said:
        if line.get("parentUuid") not in (None, *ids):
            yield f"{line['parentUuid']} is no message"


def _line_faults(line: Line) -> Iterator[str]:
    if not UUID4.fullmatch(line["uuid"]) or not UUID4.fullmatch(line["sessionId"]):
        yield f"uuid {line['uuid']}, session {line['sessionId']}"
    if not STAMP.fullmatch(line["timestamp"]):
        yield f"timestamp {line['timestamp']}"
    if any(not isinstance(line.get(flag, False), bool) for flag in FLAGS):
        yield "a flag that is no boolean"
    message = line.get("message")
    if line["type"] == "compact_system":
        yield from _operation_faults(line)
    elif isinstance(message, dict):
        yield from _object_faults(line, message)
    else:
        yield from {"user": _user, "assistant": _assistant, "system": _system}[line["type"]](line)


def _operation_faults(line: Line) -> Iterator[str]:
    if line["message"] not in OPERATIONS:
        yield f"the operation {line['message']}"
    if line["message"] == "conversation_compacted" and not isinstance(line["metadata"], dict):
        yield "a compaction without metadata"
    if "subtype" in line:
        yield "an operation with a subtype"


def _object_faults(line: Line, message: Line) -> Iterator[str]:
    """Yield faults of the other dialect, which is for messages with several blocks."""
    special = [block for block in message["content"] if block["type"] != "text"]
    if message["role"] != line["type"] or "subtype" in line or "toolName" in line:
        yield "an object beside documented members"
    if not special:
        yield "an object where words would do"
    for block in special:
        match block["type"]:
            case "tool_use":
                if not block["id"] or not block["name"] or not isinstance(block["input"], dict):
                    yield "a call without id, name or input"
            case "tool_result":
                if not isinstance(block["content"], str):
                    yield "a result that is not words"
            case "thinking":
                if not isinstance(block["thinking"], str):
                    yield "a thought that is not words"
            case other:
                yield f"a block of type {other}"


def _words(line: Line) -> Iterator[str]:
    if not isinstance(line["message"], str):
        yield "a message that is not words"


def _user(line: Line) -> Iterator[str]:
    yield from _words(line)
    if "subtype" in line or "toolName" in line:
        yield "a user's line with a subtype"
    if line.get("userType") == "external" and not line.get("isSidechain"):
        yield "Claude as user of the main conversation"


def _assistant(line: Line) -> Iterator[str]:
    match line["subtype"]:
        case "tool_use":
            if not line["toolName"] or not isinstance(line["toolArguments"], dict):
                yield "a call without toolName or toolArguments"
            if "message" in line:
                yield from _words(line)
        case "response" | "thinking" | "command" | "error":
            yield from _words(line)
            if "toolName" in line:
                yield "words with a toolName"
        case other:
            yield f"the subtype {other}"


def _system(line: Line) -> Iterator[str]:
    yield from _words(line)
    match line.get("subtype"):
        case "error" if line.get("isError") is not True:
            yield "an error without isError"
        case "meta" if line.get("isMeta") is not True:
            yield "metadata without isMeta"
        case None | "tool_result" | "error" | "meta":
            pass
        case other:
            yield f"the subtype {other}"
