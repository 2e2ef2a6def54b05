"""A recorder that keeps file history as Claude Code does, in both of its dialects.

It is written from observed sessions, not from our reader of them.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Literal

Dialect = Literal["update", "delta"]
SESSION = "0f1e2d3c-0000-4000-8000-0000000000aa"


class ClaudeRecorder:
    """A session in `<home>/projects/<folder>/`, with its copies in `<home>/file-history/`."""

    def __init__(self, home: Path, workspace: Path, dialect: Dialect) -> None:
        self.workspace = workspace
        self.dialect = dialect
        self.history = home / "file-history" / SESSION
        self.history.mkdir(parents=True)
        self.file = home / "projects" / "-work" / f"{SESSION}.jsonl"
        self.file.parent.mkdir(parents=True)
        self._lines: list[dict[str, Any]] = []
        self._latest: dict[str, dict[str, Any]] = {}
        self._noted: dict[str, dict[str, Any]] = {}
        self._last: str | None = None
        self._prompt = ""

    def prompt(self, text: str) -> str:
        """Add a prompt, and a snapshot of every file known so far."""
        self._prompt = self._uuid()
        for name in self._latest:
            self._latest[name] = self._copied(name, self._latest[name])
        self._noted = dict(self._latest)
        self._snapshot(self._prompt, update=False)
        self._spoken(self._prompt, "user", text)
        return self._prompt

    def edit(self, name: str, content: bytes | None) -> str:
        """Write or remove a file as the agent does; before its first edit it is backed up."""
        reply = self._uuid()
        if name not in self._latest:
            noted = self._copied(name, None)
            self._latest[name] = self._noted[name] = noted
            if self.dialect == "update":
                self._snapshot(reply, update=True)
            else:
                self._lines.append(
                    {
                        "type": "file-history-delta",
                        "messageId": reply,
                        "snapshotMessageId": self._prompt,
                        "trackingPath": name,
                        "backup": noted,
                        "timestamp": self._now(),
                    }
                )
        self.by_hand(name, content)
        self._spoken(reply, "assistant", f"Changed {name}")
        return reply

    def by_hand(self, name: str, content: bytes | None) -> None:
        """Write or remove a file as the user does, without a record of it."""
        path = self.workspace / name
        if content is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def save(self) -> Path:
        """Write the session to disk."""
        text = "".join(json.dumps(line) + "\n" for line in self._lines)
        self.file.write_text(text)
        return self.file

    def _copied(self, name: str, known: dict[str, Any] | None) -> dict[str, Any]:
        path = self.workspace / name
        version = known["version"] if known else 0
        copy: str | None = None
        if path.exists():
            old = known and known["backupFileName"]
            if old and (self.history / old).read_bytes() == path.read_bytes():
                assert known is not None
                return known
            copy = f"{hashlib.sha256(str(path).encode()).hexdigest()[:16]}@v{version + 1}"
            (self.history / copy).write_bytes(path.read_bytes())
        elif known is not None and known["backupFileName"] is None:
            return known
        return {"backupFileName": copy, "version": version + 1, "backupTime": self._now()}

    def _snapshot(self, message: str, *, update: bool) -> None:
        inner = {
            "messageId": self._prompt,
            "trackedFileBackups": dict(self._noted),
            "timestamp": self._now(),
        }
        self._lines.append(
            {
                "type": "file-history-snapshot",
                "messageId": message,
                "snapshot": inner,
                "isSnapshotUpdate": update,
            }
        )

    def _spoken(self, id: str, role: str, text: str) -> None:
        self._lines.append(
            {
                "parentUuid": self._last,
                "isSidechain": False,
                "userType": "external",
                "cwd": str(self.workspace),
                "sessionId": SESSION,
                "version": "2.1.220",
                "type": role,
                "message": {"role": role, "content": [{"type": "text", "text": text}]},
                "uuid": id,
                "timestamp": self._now(),
            }
        )
        self._last = id

    def _uuid(self) -> str:
        number = hashlib.sha256(f"{len(self._lines)}".encode()).hexdigest()[:8]
        return f"{number}-0000-4000-8000-{len(self._lines):012x}"

    def _now(self) -> str:
        return f"2026-02-01T10:{len(self._lines) // 60 % 60:02}:{len(self._lines) % 60:02}.000Z"
