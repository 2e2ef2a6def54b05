"""A Claude Code session that is written line by line, and recorded in a `Truth`."""

from __future__ import annotations

import json
import zlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.library.made_truth import Line, Said, Spent, Tokens, Truth

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
MODEL = "claude-sonnet-4-5-20250929"


class Session:
    """One Claude Code session that is written line by line, a second apart."""

    def __init__(
        self,
        truth: Truth,
        number: int,
        *,
        cwd: str = "/home/ana/harbour",
        branch: str = "main",
        model: str = MODEL,
        start: datetime = START,
        agent: str | None = None,
    ) -> None:
        self.truth = truth
        self.number = number
        self.id = session_id(number)
        self.cwd = cwd
        self.branch = branch
        self.model = model
        self.time = start
        self.agent = agent
        self.lines: list[Line] = []
        self.last: str | None = None
        self._count = 0
        self._replies = 0

    # messages

    def say(self, text: str, **members: Any) -> str:
        """Add a prompt of the user."""
        return self._add("prompt", text, "user", message=_of("user", text), **members)

    def answer(self, text: str, *, thinking: str = "", tokens: Tokens | None = None) -> str:
        """Add a reply of the model; thinking and text are separate lines that share its usage."""
        blocks: list[Line] = [{"type": "text", "text": text}]
        if thinking:
            blocks.insert(0, {"type": "thinking", "thinking": thinking, "signature": "c2ln"})
        return self._reply(blocks, tokens or Tokens())

    def call(self, tool: str, /, *, tokens: Tokens | None = None, **input: Any) -> str:
        """Add a tool call of the model; return the id of the call."""
        id = f"toolu_{self._key()}{self._count:04}"
        block = {"type": "tool_use", "id": id, "name": tool, "input": input}
        self._reply([block], tokens or Tokens())
        self.truth.calls[tool] += 1
        return id

    def result(self, call: str, text: str, *, error: bool = False, detail: Any = None) -> str:
        """Add the result of a tool, or its failure."""
        block = {"tool_use_id": call, "type": "tool_result", "content": text, "is_error": error}
        tool = self._tool(call)
        self.truth.failures[tool] += error
        return self._add(
            "result",
            text,
            "user",
            tool=tool,
            error=error,
            message=_of("user", [block]),
            toolUseResult=f"Error: {text}" if error else detail or {"stdout": text, "stderr": ""},
        )

    def use(self, tool: str, output: str, /, *, error: bool = False, **input: Any) -> str:
        """Add a call and its result."""
        return self.result(self.call(tool, **input), output, error=error)

    def plan(self, **statuses: str) -> str:
        """Write the model's tasks: names with pending, in_progress or completed."""
        todos = [
            {"content": name, "status": status, "activeForm": f"Doing {name}"}
            for name, status in statuses.items()
        ]
        call = self.call("TodoWrite", todos=todos)
        self.truth.todos[self.id] = todos
        detail = {"oldTodos": [], "newTodos": todos}
        return self.result(call, "Todos have been modified successfully.", detail=detail)

    def fail(self, text: str = "API Error: 529 overloaded") -> str:
        """Add a failed request: a line without a price."""
        message = {
            **_of("assistant", [{"type": "text", "text": text}]),
            "id": f"err_{self._key()}{self._count:04}",
            "model": "<synthetic>",
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }
        return self._add(
            "text", text, "assistant", error=True, message=message, isApiErrorMessage=True
        )

    def compact(self, summary: str) -> str:
        """Add a compaction: all earlier messages are no longer sent."""
        for line in self.lines:
            if line.get("uuid") in self.truth.said:
                said = self.truth.said[line["uuid"]]
                self.truth.said[said.uuid] = replace(said, before_compaction=True)
        before, self.last = self.last, None
        self._add(
            "system",
            "Conversation compacted",
            "system",
            subtype="compact_boundary",
            content="Conversation compacted",
            logicalParentUuid=before,
            compactMetadata={"trigger": "auto", "preTokens": 15_200},
        )
        return self._add(
            "summary", summary, "user", message=_of("user", summary), isCompactSummary=True
        )

    def progress(self, call: str, command: str) -> str:
        """Add a progress line of a tool; it takes part in the chain but is not a message."""
        data = {"type": "hook_progress", "hookEvent": "PostToolUse", "command": command}
        uuid = self._line("progress", data=data, toolUseID=call, parentToolUseID=call)["uuid"]
        return str(uuid)

    def snapshot(self, *paths: str) -> None:
        """Add a snapshot of files before they change."""
        time = self._stamp()
        backups = {
            path: {"backupFileName": f"{number:016x}@v1", "version": 1, "backupTime": time}
            for number, path in enumerate(paths)
        }
        held = {"messageId": self.last, "trackedFileBackups": backups, "timestamp": time}
        self.lines.append(
            {
                "type": "file-history-snapshot",
                "messageId": self.last,
                "snapshot": held,
                "isSnapshotUpdate": False,
            }
        )

    def title(self, text: str) -> None:
        """Add a line with the name of the conversation."""
        self.truth.titles[self.id] = text
        self.lines.append({"type": "summary", "summary": text, "leafUuid": self.last})

    def back_to(self, uuid: str) -> None:
        """Continue from there on another branch."""
        self.last = uuid

    # copies

    def copied(self, number: int) -> Session:
        """Return a fork or a resume: all lines again under another session's id, with the same
        uuids."""
        made = Session(
            self.truth,
            number,
            cwd=self.cwd,
            branch=self.branch,
            model=self.model,
            start=self.time + timedelta(hours=1),
        )
        made.last = self.last
        made.lines = [
            {**line, "sessionId": made.id} if "sessionId" in line else dict(line)
            for line in self.lines
        ]
        return made

    def started(self, agent: str) -> Session:
        """Return a sub-agent with a separate file, whose lines name this session."""
        return Session(
            self.truth,
            self.number,
            cwd=self.cwd,
            branch=self.branch,
            model=self.model,
            start=self.time,
            agent=agent,
        )

    # files

    def save(self, home: Path, *, older: bool = False) -> Path:
        """Write it to its place below `projects`; an agent below its session, or beside it."""
        folder = home / "projects" / munged(self.cwd)
        if self.agent is None:
            path = folder / f"{self.id}.jsonl"
        elif older:
            path = folder / f"agent-{self.agent}.jsonl"
        else:
            path = folder / self.id / "subagents" / f"agent-{self.agent}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.bytes())
        self.truth.sessions.add(self.id)
        if path not in self.truth.files:
            self.truth.files.append(path)
            self.truth.lines += len(self.lines)
        return path

    def bytes(self) -> bytes:
        """Return the content of its file."""
        return b"".join(_encoded(line) for line in self.lines)

    # lines

    def _reply(self, blocks: list[Line], tokens: Tokens) -> str:
        """Return lines of one API message: each repeats the usage, the first with a part of the
        output."""
        self._replies += 1
        key = f"{self._key()}{self._replies:04}"
        id, uuid = f"msg_{key}", ""
        for number, block in enumerate(blocks, 1):
            done = number == len(blocks)
            message = {
                "model": self.model,
                "id": id,
                "type": "message",
                **_of("assistant", [block]),
                "stop_reason": None,
                "stop_sequence": None,
                "usage": _usage(tokens if done else replace(tokens, output=1)),
            }
            kind, text = _words(block)
            uuid = self._add(
                kind,
                text,
                "assistant",
                tool=block.get("name"),
                message=message,
                requestId=f"req_{key}",
            )
        day = self.lines[-1]["timestamp"][:10]
        self.truth.spent[id] = Spent(self.model, day, self.cwd, tokens)
        return uuid

    def _add(
        self,
        kind: str,
        text: str,
        type: str,
        *,
        tool: str | None = None,
        error: bool = False,
        **members: Any,
    ) -> str:
        line = self._line(type, **members)
        self.truth.said[line["uuid"]] = Said(
            uuid=line["uuid"],
            kind=kind,
            text=text,
            session=self.id,
            time=line["timestamp"],
            tool=tool,
            error=error,
            sidechain=self.agent is not None,
        )
        return str(line["uuid"])

    def _line(self, type: str, **members: Any) -> Line:
        self._count += 1
        parent, self.last = self.last, f"{self._key()}-0000-4000-8000-{self._count:012x}"
        line = {
            "parentUuid": parent,
            "isSidechain": self.agent is not None,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.id,
            "version": "2.1.29",
            "gitBranch": self.branch,
            **({"agentId": self.agent} if self.agent else {}),
            "type": type,
            **members,
            "uuid": self.last,
            "timestamp": self._stamp(),
        }
        self.lines.append(line)
        return line

    def _key(self) -> str:
        """Return eight digits that no other session and no other agent has."""
        agent = zlib.crc32(self.agent.encode()) & 0xFFFF if self.agent else 0
        return f"{self.number:04x}{agent:04x}"

    def _stamp(self) -> str:
        self.time += timedelta(seconds=1)
        return self.time.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def _tool(self, call: str) -> str:
        for line in reversed(self.lines):
            content = line.get("message", {}).get("content")
            if line["type"] == "assistant" and content[0].get("id") == call:
                return str(content[0]["name"])
        raise KeyError(call)


def session_id(number: int) -> str:
    """Return the id of the session with this number."""
    return f"{number:08x}-0000-4000-8000-{number:012x}"


def munged(cwd: str) -> str:
    """Return a working directory as the name of a project's folder."""
    return "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in cwd)


def append(path: Path, *lines: Line) -> None:
    """Append lines to a file, as a running program does."""
    with path.open("ab") as file:
        for line in lines:
            file.write(_encoded(line))


def _encoded(line: Line) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _of(role: str, content: Any) -> Line:
    return {"role": role, "content": content}


def _usage(tokens: Tokens) -> Line:
    return {
        "input_tokens": tokens.input,
        "cache_creation_input_tokens": tokens.cache_write,
        "cache_read_input_tokens": tokens.cache_read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": tokens.cache_write,
            "ephemeral_1h_input_tokens": 0,
        },
        "output_tokens": tokens.output,
        "service_tier": "standard",
    }


def _words(block: Line) -> tuple[str, str]:
    if block["type"] == "tool_use":
        return "call", json.dumps(block["input"], ensure_ascii=False)
    kind = str(block["type"])
    return kind, str(block[kind])
