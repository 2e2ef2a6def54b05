"""Conversations that the demo does not have: long, damaged and growing ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FLAKY, SOURDOUGH, LAMP, GARDEN = "Flaky sunset", "Sourdough", "Winter hours", "kitchen garden"
"""Titles in the demo: of Claude Code, native, of Sage, of Claude's message types."""
TOWER, BELL = "Step 0 of the tower", "Is the bell still there"
"""Titles of the conversations written here: the long one and the damaged one."""
SESSION = "5f0e6a52-9c1d-4b7e-a2d4-5b8f6c7d9e02"
PROMPTS = 60
"""Prompts of the long conversation; each but the first has two versions."""
WORDS = "The tower has a stair, and the stair has many steps. "


def named(number: int, kind: int = 0) -> str:
    """Return the id of a message."""
    return f"{kind:08x}-0000-4000-8000-{number:012x}"


def line(id: str, parent: str | None, role: str, content: Any, second: int) -> dict[str, Any]:
    """Return a message as Claude Code writes it."""
    message: dict[str, Any] = {"role": role, "content": content}
    if role == "assistant":
        spent = {"input_tokens": 40, "output_tokens": 12}
        message |= {"model": "claude-sonnet-4-5-20250929", "id": f"msg_{id}", "usage": spent}
        message["content"] = [{"type": "text", "text": content}]
    return {
        "parentUuid": parent, "isSidechain": False, "userType": "external",
        "cwd": "/home/ada/tower", "sessionId": SESSION, "version": "2.1.29", "gitBranch": "main",
        "type": role, "message": message, "uuid": id,
        "timestamp": f"2026-05-02T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.000Z",
    }  # fmt: skip


def written(path: Path, lines: list[dict[str, Any]]) -> Path:
    """Write the lines to a file."""
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


def write_long(path: Path) -> Path:
    """Write many prompts, each in two versions, and an answer that is too long to be shown in
    full."""
    lines: list[dict[str, Any]] = []
    last: str | None = None
    for number in range(PROMPTS):
        asked, answer = f"Step {number} of the tower?", f"Step **{number}** is of stone."
        if number:
            lines.append(line(named(number, 1), last, "user", f"{asked} Quickly.", 60 * number))
        lines.append(line(named(number, 2), last, "user", asked, 60 * number + 10))
        if number == PROMPTS - 1:
            answer += "\n\n" + WORDS * 600 + "The very end of the tower."
        lines.append(
            line(named(number, 3), named(number, 2), "assistant", answer, 60 * number + 20)
        )
        last = named(number, 3)
    return written(path, lines)


def write_damaged(path: Path) -> Path:
    """Write a session with two messages whose parent is missing and one truncated line."""
    lines = [
        line(named(1, 4), None, "user", "Is the bell still there?", 1),
        line(named(2, 4), named(1, 4), "assistant", "It is, and it rings.", 2),
        line(named(3, 4), named(99, 4), "user", "Who rings it at night?", 3),
        line(named(4, 4), named(3, 4), "assistant", "Nobody has seen them.", 4),
        line(named(5, 4), named(2, 4), "user", "And by day?", 5),
        line(named(6, 4), named(5, 4), "assistant", "The clock does.", 6),
    ]
    written(path, lines)
    with path.open("a") as file:
        file.write('{"parentUuid": "' + named(6, 4) + '", "type": "us\n')
    return path
