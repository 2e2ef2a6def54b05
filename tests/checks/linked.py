"""Small files of the formats whose records name their parents, built from a few numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from talktree.files import Source
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.model.document import Document
from talktree.text.json.encode import encode_json
from talktree.text.json.value import Json

SESSION = "5c0ffee0-0000-4000-8000-000000000001"
Object = dict[str, Json]


class Line(NamedTuple):
    """A message: its id, the parent it names, and its kind."""

    name: int
    parent: int | None
    kind: str = "user"
    side: bool = False
    words: str = "Is the bread done?"


def uuid(number: int) -> str:
    """Return an id that all of these formats accept."""
    return f"{number:08x}-0000-4000-8000-{number:012x}"


def _stamp(at: int) -> str:
    return f"2026-01-05T{8 + at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}.000Z"


def _claude_code(line: Line, at: int) -> Object:
    value: Object = {
        "parentUuid": None if line.parent is None else uuid(line.parent),
        "isSidechain": line.side,
        "userType": "external",
        "cwd": "/bakery",
        "sessionId": SESSION,
        "version": "2.0.1",
        "gitBranch": "main",
        "type": "system" if line.kind == "note" else line.kind,
        "uuid": uuid(line.name),
        "timestamp": _stamp(at),
    }
    if line.kind == "note":
        return value | {"subtype": "informational", "content": line.words, "level": "info"}
    said: Object = {"role": line.kind, "content": line.words}
    if line.kind == "assistant":
        said |= {
            "id": f"msg_{at}",
            "type": "message",
            "model": "claude-sonnet-4",
            "content": [{"type": "text", "text": line.words}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    return value | {"message": said}


def _claude_messages(line: Line, at: int) -> Object:
    value: Object = {
        "type": "system" if line.kind == "note" else line.kind,
        "uuid": uuid(line.name),
        "timestamp": _stamp(at)[:19] + "Z",
        "sessionId": SESSION,
        "message": line.words,
    }
    if line.kind == "assistant":
        value["subtype"] = "response"
    if line.side:
        value |= {"isSidechain": True}
        if line.kind == "user":
            value["userType"] = "external"
    return value if line.parent is None else value | {"parentUuid": uuid(line.parent)}


def _sage(line: Line, at: int) -> Object:
    role = "system" if line.kind == "note" else line.kind
    value: Object = {
        "type": role,
        "uuid": uuid(line.name),
        "parentUuid": None if line.parent is None else uuid(line.parent),
        "timestamp": _stamp(at),
        "sessionId": SESSION,
        "version": "0.1.0",
        "context": {"cwd": "/bakery", "gitBranch": "main", "platform": "linux"},
        "message": {"role": role, "content": line.words},
        "todos": [],
        "isSidechain": line.side,
    }
    return value


def _native(line: Line, at: int) -> Object:
    message: Object = {
        "id": uuid(line.name),
        "role": "system" if line.kind == "note" else line.kind,
        "parts": [
            {"part": "event", "kind": "progress", "text": line.words}
            if line.kind == "note"
            else {"part": "text", "text": line.words}
        ],
        "time": _stamp(at),
    }
    if line.side:
        message["flags"] = ["sidechain"]
    if line.parent is not None:
        message["parent"] = uuid(line.parent)
    return {"message": message}


RECORDS: dict[str, Callable[[Line, int], Object]] = {
    "claude-code": _claude_code,
    "claude-messages": _claude_messages,
    "sage": _sage,
    "native": _native,
}
HEADS: dict[str, list[Object]] = {
    "native": [{"talktree": {"version": 1}}, {"conversation": {"id": "bakery"}}]
}


def document(slug: str, lines: list[Line]) -> Document:
    """Return a file with these messages."""
    values = [*HEADS.get(slug, ()), *(RECORDS[slug](line, line.name) for line in lines)]
    data = b"".join(encode_json(value) + b"\n" for value in values)
    return read_document(Source.of_bytes(data, name=f"{SESSION}.jsonl"), get_format(slug))
