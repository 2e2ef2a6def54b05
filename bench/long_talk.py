"""A Claude Code session of any number of messages: prompts, code, parallel tool calls, forks."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

WORDS = (
    "tree", "branch", "leaf", "parser", "index", "window", "scroll", "list", "lane", "segment",
    "repair", "convert", "message", "token", "cache", "stream", "render", "block", "diff", "merge",
)  # fmt: skip
FORKS = 40
"""Approximate number of abandoned branches."""


def long_talk(path: Path, messages: int) -> Path:
    """Write a session of about this many messages, always the same."""
    talk = _Talk(messages)
    with open(path, "w", encoding="utf-8") as file:
        for line in talk.lines():
            file.write(json.dumps(line) + "\n")
    return path


class _Talk:
    def __init__(self, messages: int) -> None:
        self.messages = messages
        self.random = random.Random(messages)
        self.time = datetime(2026, 1, 1, tzinfo=UTC)
        self.session = self._id()
        self.count = 0
        self.last: str | None = None

    def lines(self) -> Iterator[dict[str, Any]]:
        while self.count < self.messages:
            before = self.last
            yield from self._turn()
            if self.random.random() < FORKS * 4.5 / self.messages:
                # An abandoned branch, with the same parent as the last turn.
                after, self.last = self.last, before
                yield from self._turn()
                self.last = after

    def _turn(self) -> Iterator[dict[str, Any]]:
        yield self._line("user", self._prose())
        for _ in range(self.random.randint(0, 3)):
            calls = [self._call() for _ in range(self.random.choice((1, 1, 1, 2, 3)))]
            yield self._line("assistant", [*self._thought(), *calls])
            yield self._line("user", [self._result(call["id"]) for call in calls])
        text = f"{self._prose()}\n\n{self._prose()}"
        yield self._line("assistant", [{"type": "text", "text": text}])

    def _line(self, role: str, content: object) -> dict[str, Any]:
        self.time += timedelta(seconds=self.random.randint(1, 40))
        message: dict[str, Any] = {"role": role, "content": content}
        if role == "assistant":
            usage = {"input_tokens": 1200, "output_tokens": self.random.randint(10, 900)}
            message |= {"type": "message", "model": "claude-opus-4-5", "usage": usage}
        line = {
            "parentUuid": self.last, "isSidechain": False, "type": role, "message": message,
            "uuid": self._id(), "sessionId": self.session, "cwd": "/home/ann/tree",
            "version": "2.1.0", "gitBranch": "main", "timestamp": self.time.isoformat(),
        }  # fmt: skip
        self.last = str(line["uuid"])
        self.count += 1
        return line

    def _call(self) -> dict[str, Any]:
        file = f"/home/ann/tree/{self.random.choice(WORDS)}.py"
        name, given = self.random.choice(
            [
                ("Bash", {"command": f"ls -la {self._words(2)}"}),
                ("Read", {"file_path": file}),
                ("Grep", {"pattern": self.random.choice(WORDS), "path": "."}),
                ("Edit", {"file_path": file, "old_string": "a = 1", "new_string": self._words(5)}),
            ]
        )
        return {"type": "tool_use", "id": f"toolu_{self._id()}", "name": name, "input": given}

    def _result(self, call: str) -> dict[str, Any]:
        failed = self.random.random() < 0.08
        text = f"{self._words(30)}\n{self._words(20)}"
        return {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": failed}

    def _thought(self) -> list[dict[str, Any]]:
        if self.random.random() < 0.6:
            return []
        return [{"type": "thinking", "thinking": self._prose(), "signature": "x"}]

    def _prose(self) -> str:
        text = self._words(self.random.randint(8, 60)).capitalize() + "."
        more = self.random.random()
        if more < 0.25:
            return f"{text}\n\n```python\ndef leaf(x: int) -> int:\n    return x + 1\n```\n"
        if more < 0.4:
            return f"{text}\n\n- {self._words(6)}\n- **{self._words(3)}**\n- `{self._words(2)}`\n"
        return text

    def _words(self, count: int) -> str:
        return " ".join(self.random.choices(WORDS, k=count))

    def _id(self) -> str:
        return str(uuid.UUID(int=self.random.getrandbits(128)))
