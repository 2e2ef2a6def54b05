"""Sessions of Claude Code, written line by line, for tests of rules that need the whole of them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from talktree import api
from talktree.files import Source
from talktree.model.document import Document

SESSION = "5e551000-0000-4000-8000-000000000001"
Line = dict[str, object]


def name(number: int) -> str:
    """Return the id of the line with a number."""
    return f"{number:08x}-0000-4000-8000-{number:012x}"


class Session:
    """A chain of lines, each the child of the previous one by default."""

    def __init__(self) -> None:
        self.lines: list[Line] = []

    def add(self, kind: str, message: Line | None, parent: int | None = 0, **more: object) -> int:
        """Add a line; return its number."""
        number = len(self.lines) + 1
        above = number - 1 if parent == 0 else parent
        minute, second = divmod(number, 60)
        line: Line = {
            "parentUuid": name(above) if above else None,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/mira",
            "sessionId": SESSION,
            "version": "2.1.29",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": name(number),
            "timestamp": f"2026-03-04T{9 + minute // 60:02d}:{minute % 60:02d}:{second:02d}.000Z",
        }
        self.lines.append(line | more)
        return number

    def say(self, content: object = "Go on.", parent: int | None = 0, **more: object) -> int:
        """Add a prompt of the user."""
        return self.add("user", {"role": "user", "content": content}, parent, **more)

    def reply(
        self, *blocks: Line, parent: int | None = 0, api: str | None = None, **more: object
    ) -> int:
        """Add a reply of the assistant, or tool calls."""
        number = len(self.lines) + 1
        message: Line = {
            "model": "claude-sonnet-4-5",
            "id": api or f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "content": list(blocks) or [{"type": "text", "text": "Done."}],
            "stop_reason": "tool_use" if blocks else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return self.add("assistant", message, parent, requestId=f"req_{number}", **more)

    def give(self, *results: tuple[str, str], parent: int | None = 0, **more: object) -> int:
        """Add tool results."""
        return self.say([result(*each) for each in results], parent, **more)

    def document(self, format: str | None = "claude-code") -> Document:
        """The session, read as a document."""
        return api.read(Source.of_bytes(lines(self.lines), name="session.jsonl"), format=format)


def call(id: str, tool: str = "Bash") -> Line:
    """Return a tool call."""
    return {"type": "tool_use", "id": id, "name": tool, "input": {"command": "ls"}}


def result(id: str, text: str) -> Line:
    """Return a tool result."""
    return {"type": "tool_result", "tool_use_id": id, "content": text}


def lines(values: Sequence[object]) -> bytes:
    """Return values as JSON lines."""
    return b"".join(json.dumps(each).encode() + b"\n" for each in values)
