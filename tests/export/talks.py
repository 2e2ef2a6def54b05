"""Conversations for the tests of the export, written as Claude Code writes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from talktree import api
from talktree.files import Source
from talktree.model.document import Document

Line = dict[str, object]


def said(role: str, id: str, parent: str | None, content: object, **more: object) -> Line:
    """Return one line."""
    return {
        "type": role,
        "uuid": id,
        "parentUuid": parent,
        "sessionId": "s1",
        "timestamp": "2026-03-02T09:00:00.000Z",
        "isSidechain": False,
        "message": {"role": role, "content": content},
        **more,
    }


def call(id: str, name: str, **given: object) -> Line:
    """Return a tool call as a block."""
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def result(id: str, content: object) -> Line:
    """Return a result as a block."""
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def lines(*each: Line) -> bytes:
    """Return the bytes of a session."""
    return b"".join(json.dumps(line).encode() + b"\n" for line in each)


def document(*each: Line, name: str = "talk.jsonl") -> Document:
    """Read a session as a document."""
    return api.read(Source.of_bytes(lines(*each), name=name), format="claude-code")


def forked() -> Sequence[Line]:
    """Return a session with thinking, a tool, a sub-agent, a picture and a fork."""
    picture = {"type": "base64", "media_type": "image/png", "data": PICTURE}
    return (
        said("user", "u1", None, [{"type": "text", "text": "Water the pears"},
                                  {"type": "image", "source": picture}]),
        said("assistant", "a1", "u1", [
            {"type": "thinking", "thinking": "Which pears?", "signature": "x"},
            {"type": "text", "text": "I will **look**."},
            call("t1", "Bash", command="ls orchard"),
        ]),
        said("user", "r1", "a1", [result("t1", "pear-1\npear-2\n" + "leaf " * 800)]),
        said("user", "x1", "a1", "Count the leaves", isSidechain=True),
        said("assistant", "x2", "x1", [{"type": "text", "text": "Four."}], isSidechain=True),
        said("assistant", "a2", "r1", [{"type": "text", "text": "Two pears."}]),
        said("user", "u2", "a2", "Water the first"),
        said("assistant", "a3", "u2", [{"type": "text", "text": "Done first."}]),
        said("user", "u3", "a2", "Water the second", timestamp="2026-03-02T10:00:00.000Z"),
        said("assistant", "a4", "u3", [{"type": "text", "text": "Done second."}]),
    )  # fmt: skip


PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)


def made(document: Document, choice: object, **more: object) -> str:
    """Return the single file of an export as text."""
    from talktree.export.export import export_document

    done = export_document(document, choice, **more)  # type: ignore[arg-type]
    return b"".join(piece for pieces in done.files.values() for piece in pieces).decode()


def written(done: object, folder: Path) -> bytes:
    """Return all bytes below a folder."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
