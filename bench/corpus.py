"""A realistic Claude Code session of any size; the same size always gives the same session.

Mostly lines of 0.5 to 4 KB, some of 20 to 200 KB, a few of 1 to 5 MB; prompts, replies split over
lines, tool calls with results, progress lines, snapshots, and some forks.
"""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent / "corpus"
MEGABYTE = 1_000_000
Line = dict[str, object]


def session(megabytes: int) -> Path:
    """Return the path of a session file of about this size, made if it does not exist yet."""
    path = FOLDER / f"session-{megabytes}mb.jsonl"
    if path.exists():
        return path
    FOLDER.mkdir(exist_ok=True)
    unfinished = path.with_suffix(".part")
    with open(unfinished, "w", encoding="utf-8", buffering=MEGABYTE) as file:
        size = 0
        for line in _Session(megabytes).lines():
            text = json.dumps(line, separators=(",", ":"), ensure_ascii=False)
            file.write(text + "\n")
            size += len(text.encode()) + 1
            if size >= megabytes * MEGABYTE:
                break
    unfinished.rename(path)
    return path


class _Session:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        letters = "etaoinshrdlucmfwypvbgkjqxz"
        self.words = [
            "".join(
                self.random.choices(letters, weights=range(26, 0, -1), k=self.random.randint(2, 9))
            )
            for _ in range(4000)
        ]
        self.id = self._uuid()
        self.last: str | None = None
        self.count = 0

    def lines(self) -> Iterator[Line]:
        """Yield turns without end."""
        while True:
            yield from self._turn()

    def _turn(self) -> Iterator[Line]:
        fork = self.last if self.random.random() < 0.01 else None
        prompt = self._line("user", message={"role": "user", "content": self._text(self._size())})
        yield {
            "type": "file-history-snapshot",
            "messageId": prompt["uuid"],
            "snapshot": {
                "messageId": prompt["uuid"],
                "trackedFileBackups": {},
                "timestamp": prompt["timestamp"],
            },
            "isSnapshotUpdate": False,
        }
        yield prompt
        for _ in range(self.random.randint(1, 5)):
            yield from self._step()
        if fork is not None:
            self.last = fork

    def _step(self) -> Iterator[Line]:
        reply, call = f"msg_{self.count:012d}", f"toolu_{self.count:012d}"
        if self.random.random() < 0.5:
            yield self._reply(
                reply, {"type": "thinking", "thinking": self._text(600), "signature": "c2ln"}
            )
        yield self._reply(reply, {"type": "text", "text": self._text(self._size())})
        command = {"command": self._text(120), "description": self._text(40)}
        yield self._reply(reply, {"type": "tool_use", "id": call, "name": "Bash", "input": command})
        output = self._text(self._size())
        block = {"tool_use_id": call, "type": "tool_result", "content": output, "is_error": False}
        yield self._line(
            "user",
            message={"role": "user", "content": [block]},
            toolUseResult={"stdout": output[:2000], "stderr": "", "interrupted": False},
        )
        if self.random.random() < 0.3:
            progress = {"type": "hook_progress", "command": self._text(60)}
            yield self._line("progress", data=progress, toolUseID=call)

    def _reply(self, id: str, block: Line) -> Line:
        return self._line(
            "assistant",
            message={
                "model": "claude-sonnet-4-5-20250929",
                "id": id,
                "type": "message",
                "role": "assistant",
                "content": [block],
                "stop_reason": None,
                "stop_sequence": None,
                "usage": {
                    "input_tokens": 9,
                    "cache_creation_input_tokens": 1234,
                    "cache_read_input_tokens": 45678,
                    "cache_creation": {
                        "ephemeral_5m_input_tokens": 1234,
                        "ephemeral_1h_input_tokens": 0,
                    },
                    "output_tokens": self.random.randint(1, 900),
                    "service_tier": "standard",
                },
            },
            requestId=f"req_{self.count:012d}",
        )

    def _line(self, type: str, **members: object) -> Line:
        self.count += 1
        second = self.count
        day, hour, minute = second // 86400 % 28 + 1, second // 3600 % 24, second // 60 % 60
        parent, self.last = self.last, self._uuid()
        return {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/user/project",
            "sessionId": self.id,
            "version": "2.1.29",
            "gitBranch": "main",
            "type": type,
            **members,
            "uuid": self.last,
            "timestamp": f"2026-01-{day:02d}T{hour:02d}:{minute:02d}:{second % 60:02d}"
            f".{second % 1000:03d}Z",
        }

    def _uuid(self) -> str:
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def _size(self) -> int:
        chance = self.random.random()
        if chance < 0.985:
            return self.random.randint(100, 3500)
        if chance < 0.9995:
            return self.random.randint(20_000, 200_000)
        return self.random.randint(MEGABYTE, 5 * MEGABYTE)

    def _text(self, size: int) -> str:
        words = self.random.choices(self.words, k=max(1, size // 6))
        for at in range(9, len(words), 17):
            words[at] = "\n" if at % 3 else "“ü”"
        return " ".join(words)
