"""The lines of one Claude Code session, of all kinds that real ones have."""

from __future__ import annotations

import base64
import uuid
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import msgspec

from bench.history.project import Project
from bench.history.tools import Toolbox, Use
from bench.history.truth import Truth
from bench.history.words import Prose, cjk

Line = dict[str, Any]
VERSIONS = ((200, "1.0.88"), (300, "2.0.42"), (999, "2.1.29"))
"""The day of the history until which each version was used."""
MODELS = (
    (200, ("claude-sonnet-4-20250514", "claude-opus-4-1-20250805")),
    (999, ("claude-sonnet-4-5-20250929", "claude-opus-4-5-20251101", "claude-haiku-4-5-20251001")),
)
BEGAN = datetime(2025, 1, 6, 8, 0, tzinfo=UTC)
ENCODER = msgspec.json.Encoder()


class Session:
    """Writes lines until its file has the requested size."""

    def __init__(
        self,
        random: Random,
        project: Project,
        prose: Prose,
        truth: Truth,
        *,
        day: int,
        id: str | None = None,
        agent: str | None = None,
    ) -> None:
        self._random = random
        self._prose = prose
        self._truth = truth
        self.project = project
        self.id = id or self._uuid()
        self.agent = agent
        self.day = day
        self._time = BEGAN + timedelta(days=day, seconds=random.randrange(36_000))
        self._version = next(name for until, name in VERSIONS if day < until)
        models = next(names for until, names in MODELS if day < until)
        self._model = models[0] if random.random() < 0.7 else random.choice(models)
        self._branch = random.choice(project.branches)
        self._tools = Toolbox(random, project, prose)
        self._cjk = random.random() < 0.03
        self._cache = random.randint(8_000, 20_000)
        self._room = random.randint(120_000, 160_000)
        """Tokens after which the conversation is compacted."""
        self.last: str | None = None
        self.data = bytearray()

    # files

    def fill(self, size: int) -> None:
        """Write turns until the file has this size."""
        while len(self.data) < size:
            self._turn(size)

    def copied(self, data: bytes, size: int) -> None:
        """Copy the beginning of another session under this one's id, with the original uuids."""
        end = data.find(b"\n", size) + 1 or len(data)
        first = msgspec.json.decode(data[: data.index(b"\n")])
        other = first.get("sessionId") or _session_of(data)
        self.data += data[:end].replace(other.encode(), self.id.encode())
        lines = data[:end].splitlines()
        self.last = next(
            uuid
            for line in reversed(lines)
            if (uuid := msgspec.json.decode(line).get("uuid")) is not None
        )

    def plant(self, word: str) -> None:
        """Write a prompt with a word that occurs nowhere else."""
        text = f"{self._prose.take(200)} {word} {self._prose.take(200)}"
        self._line("user", message={"role": "user", "content": text})

    def large(self, size: int) -> None:
        """Write one very long line: the output of a command."""
        call = f"toolu_{self._key()}"
        output = self.project.outputs(size // 50)[:size]
        self._reply([_call(call, "Bash", {"command": "cat build.log"})])
        self._truth.used("Bash", error=False)
        self._result(call, Use("Bash", {}, output, {"stdout": output[:30_000], "stderr": ""}))

    def summary(self) -> None:
        """Write the name of the conversation."""
        self._write({"type": "summary", "summary": self._prose.take(40), "leafUuid": self.last})

    # turns

    def _turn(self, size: int) -> None:
        chance = self._random.random()
        if self.last is not None and self._cache > self._room:
            self._compact()
        elif chance < 0.02:
            self._fail()
        elif chance < 0.04:
            self._time += timedelta(hours=self._random.randint(1, 60))
        self._prompt()
        for _ in range(self._random.randint(1, 14)):
            self._step()
            if len(self.data) >= size:
                break
        self._reply([{"type": "text", "text": self._said(self._random.randint(150, 1800))}])
        if self._version > "2.1":
            took = {"subtype": "turn_duration", "durationMs": self._random.randint(900, 90_000)}
            self._line("system", **took, isMeta=False)

    def _prompt(self) -> None:
        content: Any = self._said(self._random.choice((20, 60, 120, 300, 900)))
        if self._random.random() < 0.02:
            picture = base64.b64encode(self._random.randbytes(self._random.randint(8_000, 90_000)))
            source = {"type": "base64", "media_type": "image/png", "data": picture.decode()}
            content = [{"type": "text", "text": content}, {"type": "image", "source": source}]
        members: dict[str, object] = {"message": {"role": "user", "content": content}}
        if self._version > "2.0":
            members |= {"thinkingMetadata": {"level": "high", "disabled": False, "triggers": []}}
            members |= {"todos": [], "permissionMode": "default"}
        uuid = self._line("user", **members)
        if self.agent is None and self._version > "2.0":
            self._snapshot(uuid)
        if self._version > "2.1" and self._random.random() < 0.2:
            attachment = {"type": "todo_reminder", "content": [], "itemCount": 0}
            self._line("attachment", attachment=attachment)

    def _snapshot(self, uuid: str) -> None:
        stamp = self._stamp(0)
        paths = self._random.sample(sorted(self.project.files), 3)
        files = {
            path: {
                "backupFileName": f"{self._random.getrandbits(64):016x}@v{number}",
                "version": number,
                "backupTime": stamp,
            }
            for number, path in enumerate(paths, 1)
        }
        held = {"messageId": uuid, "trackedFileBackups": files, "timestamp": stamp}
        self._write(
            {
                "type": "file-history-snapshot",
                "messageId": uuid,
                "snapshot": held,
                "isSnapshotUpdate": False,
            }
        )

    def _step(self) -> None:
        uses = [self._tools.use() for _ in range(1 + (self._random.random() < 0.12))]
        blocks: list[Line] = []
        if self._random.random() < 0.45:
            thought = self._said(self._random.randint(200, 2200))
            signature = base64.b64encode(self._random.randbytes(self._random.randint(200, 900)))
            blocks.append(
                {"type": "thinking", "thinking": thought, "signature": signature.decode()}
            )
        if self._random.random() < 0.6:
            blocks.append({"type": "text", "text": self._said(self._random.randint(60, 700))})
        calls = [f"toolu_{self._key()}" for _ in uses]
        blocks += [_call(call, use.tool, use.input) for call, use in zip(calls, uses, strict=True)]
        self._reply(blocks)
        for call, use in zip(calls, uses, strict=True):
            self._truth.used(use.tool, error=use.error)
            if self._version > "2.0" and self._random.random() < 0.25:
                progress = {"type": "hook_progress", "hookEvent": "PostToolUse", "command": "lint"}
                self._line("progress", data=progress, toolUseID=call, parentToolUseID=call)
            self._result(call, use)

    def _result(self, call: str, use: Use) -> None:
        block: Line = {"tool_use_id": call, "type": "tool_result", "content": use.output}
        if use.error or use.tool == "Bash":
            block["is_error"] = use.error
        self._line("user", message={"role": "user", "content": [block]}, toolUseResult=use.detail)

    def _reply(self, blocks: list[Line]) -> None:
        """Write one API message: a line per block, all with its usage; the last has its output."""
        key = self._key()
        self._cache += self._random.randint(200, 3_000)
        written = self._random.randint(100, 4_000)
        usage: Line = {
            "input_tokens": self._random.randint(1, 30),
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": self._cache,
            "cache_creation": {
                "ephemeral_5m_input_tokens": written,
                "ephemeral_1h_input_tokens": 0,
            },
            "output_tokens": self._random.randint(1, 8),
            "service_tier": "standard",
        }
        final = usage | {"output_tokens": self._random.randint(60, 2_000)}
        day = ""
        for number, block in enumerate(blocks, 1):
            done = number == len(blocks)
            message = {
                "model": self._model,
                "id": f"msg_{key}",
                "type": "message",
                "role": "assistant",
                "content": [block],
                "stop_reason": None,
                "stop_sequence": None,
                "usage": final if done else usage,
            }
            self._line("assistant", message=message, requestId=f"req_{key}")
            day = self._time.strftime("%Y-%m-%d")
        self._truth.spend(self._model, day, final)

    def _fail(self) -> None:
        message = {
            "id": self._uuid(),
            "model": "<synthetic>",
            "role": "assistant",
            "type": "message",
            "content": [{"type": "text", "text": "API Error: 529 overloaded_error"}],
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }
        self._line("assistant", message=message, isApiErrorMessage=True)

    def _compact(self) -> None:
        before, self.last = self.last, None
        self._line(
            "system",
            subtype="compact_boundary",
            content="Conversation compacted",
            logicalParentUuid=before,
            isMeta=False,
            level="info",
            compactMetadata={"trigger": "auto", "preTokens": self._cache},
        )
        self._cache = self._random.randint(8_000, 20_000)
        text = "This session is being continued from a previous conversation. "
        content = text + self._prose.take(self._random.randint(3_000, 12_000))
        self._line("user", message={"role": "user", "content": content}, isCompactSummary=True)

    def _said(self, size: int) -> str:
        return cjk(self._random, size // 3) if self._cjk else self._prose.take(size)

    # lines

    def _line(self, type: str, **members: object) -> str:
        parent, self.last = self.last, self._uuid()
        self._write(
            {
                "parentUuid": parent,
                "isSidechain": self.agent is not None,
                "userType": "external",
                "cwd": self.project.cwd,
                "sessionId": self.id,
                "version": self._version,
                "gitBranch": self._branch,
                **({"agentId": self.agent} if self.agent else {}),
                "type": type,
                **members,
                "uuid": self.last,
                "timestamp": self._stamp(self._random.randint(20, 9_000)),
            }
        )
        return self.last

    def _write(self, line: Line) -> None:
        self.data += ENCODER.encode(line) + b"\n"

    def _stamp(self, later: int) -> str:
        self._time += timedelta(milliseconds=later)
        return f"{self._time:%Y-%m-%dT%H:%M:%S}.{self._time.microsecond // 1000:03}Z"

    def _key(self) -> str:
        return f"01{self._random.getrandbits(110):028x}"

    def _uuid(self) -> str:
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))


def _call(id: str, tool: str, input: Line) -> Line:
    return {"type": "tool_use", "id": id, "name": tool, "input": input}


def _session_of(data: bytes) -> str:
    at = data.index(b'"sessionId":"') + len(b'"sessionId":"')
    return data[at : at + 36].decode()
