"""The requirements of Claude Code and its API on a session, as a list of faults.

Written from observed sessions and from what makes them unusable; it shares no code with the writer.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

Line = dict[str, Any]
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
PICTURES = {"image/png", "image/jpeg", "image/gif", "image/webp"}


def faults(data: bytes, *, pairs: bool = True) -> list[str]:
    """Yield the faults of a session's lines; `pairs` if every result has its call here."""
    lines = [_parsed(raw) for raw in data.splitlines()]
    said = [line for line in lines if "uuid" in line]
    found = [*_line_faults(said), *_link_faults(said), *_title_faults(lines, said)]
    return found + (_pair_faults(said) if pairs else [])


def _parsed(raw: bytes) -> Line:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    line = json.loads(raw, parse_constant=refuse)
    assert isinstance(line, dict)
    return line


def _line_faults(said: Sequence[Line]) -> Iterator[str]:
    if len({line["sessionId"] for line in said}) > 1:
        yield "several sessions"
    for line in said:
        for key in ("uuid", "sessionId"):
            if not UUID4.fullmatch(line[key]):
                yield f"{key} {line[key]}"
        if not STAMP.fullmatch(line["timestamp"]):
            yield f"timestamp {line['timestamp']}"
        if line["userType"] != "external" or not isinstance(line["isSidechain"], bool):
            yield "userType or isSidechain"
        if not isinstance(line["cwd"], str) or not re.match(r"\d+\.\d+\.\d+", line["version"]):
            yield "cwd or version"
        yield from _CONTENT[line["type"]](line)


def _link_faults(said: Sequence[Line]) -> Iterator[str]:
    above = {line["uuid"]: line["parentUuid"] for line in said}
    if len(above) < len(said):
        yield "a uuid is used twice"
    for uuid, parent in above.items():
        if parent is not None and parent not in above:
            yield f"{parent} is no line of this session"
        way: set[str] = set()
        while uuid in above and uuid not in way:
            way.add(uuid)
            uuid = above[uuid]
        if uuid in way:
            yield f"{uuid} hangs on itself"


def out_of_order(data: bytes) -> list[str]:
    """Yield lines that come before their parent."""
    seen: set[str | None] = {None}
    found = []
    for raw in data.splitlines():
        line = json.loads(raw)
        if "uuid" in line:
            if line["parentUuid"] not in seen:
                found.append(line["uuid"])
            seen.add(line["uuid"])
    return found


def _title_faults(lines: Sequence[Line], said: Sequence[Line]) -> Iterator[str]:
    parents = {line["parentUuid"] for line in said if not line["isSidechain"]}
    leaves = {line["uuid"] for line in said} - parents
    for line in lines:
        match line["type"]:
            case "summary":
                if not line["summary"].strip() or line["leafUuid"] not in leaves:
                    yield "a summary without a leaf"
            case "custom-title" | "ai-title" | "agent-name":
                if not UUID4.fullmatch(line["sessionId"]):
                    yield "a title without a session"
            case "file-history-snapshot":
                yield from _snapshot_faults(line)
            case "user" | "assistant" | "system" | "x-talktree":
                pass
            case other:
                yield f"a line of type {other}"


def _snapshot_faults(line: Line) -> Iterator[str]:
    inner = line["snapshot"]
    if not UUID4.fullmatch(line["messageId"]) or inner["messageId"] != line["messageId"]:
        yield "a snapshot of no message"
    if not STAMP.fullmatch(inner["timestamp"]) or not isinstance(line["isSnapshotUpdate"], bool):
        yield "a snapshot without time or kind"
    for state in inner["trackedFileBackups"].values():
        if set(state) != {"backupFileName", "version", "backupTime"}:
            yield f"a file of a snapshot with {sorted(state)}"


def _user_faults(line: Line) -> Iterator[str]:
    api = line["message"]
    if set(api) != {"role", "content"} or api["role"] != "user":
        yield f"a user's message of {sorted(api)}"
    yield from _block_faults(api["content"], {"text", "image", "document", "tool_result"})


def _assistant_faults(line: Line) -> Iterator[str]:
    api = line["message"]
    if api["role"] != "assistant" or api["type"] != "message" or not api["id"] or not api["model"]:
        yield "an assistant's message without id or model"
    if api["stop_reason"] not in ("end_turn", "tool_use") or "stop_sequence" not in api:
        yield "stop_reason"
    if not all(isinstance(api["usage"][key], int) for key in ("input_tokens", "output_tokens")):
        yield "usage"
    if isinstance(api["content"], str):
        yield "an answer that is no list"
    yield from _block_faults(api["content"], {"text", "thinking", "tool_use"})


def _system_faults(line: Line) -> Iterator[str]:
    if not line["subtype"] or line["level"] not in ("info", "warning", "error"):
        yield "a system line without subtype or level"
    if not isinstance(line["content"], str) or not line["content"].strip():
        yield "a system line without words"
    if "message" in line:
        yield "a system line with an API message"
    if line["subtype"] == "compact_boundary" and not line.get("logicalParentUuid"):
        yield "a boundary that forgets what was before it"


_CONTENT = {"user": _user_faults, "assistant": _assistant_faults, "system": _system_faults}


def _block_faults(content: Any, allowed: set[str]) -> Iterator[str]:
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not content:
        yield "no content"
    kinds = [block["type"] for block in content]
    if kinds != sorted(kinds, key=lambda kind: kind != "tool_result"):
        yield "a result behind something else"
    for block in content:
        if block["type"] not in allowed:
            yield f"a block of type {block['type']}"
        yield from _SHAPES[block["type"]](block)


def _text_faults(block: Line) -> Iterator[str]:
    if set(block) != {"type", "text"} or not block["text"].strip():
        yield "a blank text"
    yield from _half_faults(block["text"])


def _half_faults(text: str) -> Iterator[str]:
    if any("\ud800" <= each <= "\udfff" for each in text):
        yield "half of a character"


def _thinking_faults(block: Line) -> Iterator[str]:
    if not block["thinking"].strip() or not block["signature"]:
        yield "a thought that nobody signed"


def _call_faults(block: Line) -> Iterator[str]:
    if set(block) != {"type", "id", "name", "input"} or not isinstance(block["input"], dict):
        yield f"a call with {sorted(block)}"
    if not re.fullmatch(r"[A-Za-z0-9_-]+", block["id"]):
        yield f"the id {block['id']}"
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,128}", block["name"]):
        yield f"the tool {block['name']}"
    yield from _half_faults(json.dumps(block["input"], ensure_ascii=False))


def _result_faults(block: Line) -> Iterator[str]:
    if not re.fullmatch(r"[A-Za-z0-9_-]+", block["tool_use_id"]):
        yield f"a result of {block['tool_use_id']}"
    if isinstance(block["content"], str):
        yield from _half_faults(block["content"])
    else:
        yield from _block_faults(block["content"], {"text", "image", "document"})


def _file_faults(block: Line) -> Iterator[str]:
    if block["type"] == "image" and set(block) != {"type", "source"}:
        yield f"an image with {sorted(block)}"
    source = block["source"]
    if source["type"] == "url":
        if not source["url"].startswith(("http://", "https://")):
            yield f"a link to {source['url']}"
        return
    known = PICTURES if block["type"] == "image" else {"application/pdf"}
    if source["media_type"] not in known:
        yield f"a file of type {source['media_type']}"
    base64.b64decode(source["data"], validate=True)


_SHAPES = {
    "text": _text_faults,
    "thinking": _thinking_faults,
    "tool_use": _call_faults,
    "tool_result": _result_faults,
    "image": _file_faults,
    "document": _file_faults,
}


def _pair_faults(said: Sequence[Line]) -> list[str]:
    calls: set[str] = set()
    found = []
    for line in said:
        content = line.get("message", {}).get("content")
        for block in content if isinstance(content, list) else []:
            if block["type"] == "tool_use":
                calls.add(block["id"])
            elif block["type"] == "tool_result" and block["tool_use_id"] not in calls:
                found.append(f"a result of {block['tool_use_id']}, which nobody called")
    return found
