"""The session folders of Sage that a strict reader accepts, from the document's structs.

Types mirror the document: members that it marks as optional or defaulted may be missing, all others
must be present and of their type. Unknown members are skipped, lone surrogates and NaN are refused.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Literal

import msgspec
from msgspec import Struct, field

from tests.conversion.foreign import Files

_SESSION = re.compile(r"[A-Za-z0-9_-](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9_-])?")
_UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")
ALONG = "x-talktree.jsonl"


class SessionContext(Struct):
    cwd: str
    platform: str
    git_branch: str | None = field(default=None, name="gitBranch")
    user_type: str | None = field(default=None, name="userType")


class ToolCall(Struct):
    id: str
    name: str
    arguments: Any


class ToolResult(Struct):
    """A tool result as in the document's example."""

    call: str = field(name="toolCallId")
    tool: str = field(name="toolName")
    content: str
    success: bool
    error: str | None = None


class MessageContent(Struct):
    role: Literal["user", "assistant", "system", "tool", "error"]
    content: str
    calls: list[ToolCall] = field(default_factory=list, name="toolCalls")


class TokenUsage(Struct, rename="camel"):
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int


class ThinkingMetadata(Struct):
    level: Literal["none", "low", "medium", "high"]
    disabled: bool
    triggers: list[str] = []


class TodoItem(Struct):
    content: str
    status: Literal["pending", "in_progress", "completed"]
    active: str = field(name="activeForm")


class EnhancedMessage(Struct, rename="camel"):
    """The struct of the document."""

    type: Literal["user", "assistant", "tool_result", "system", "error"]
    uuid: str
    timestamp: datetime
    session_id: str
    version: str
    context: SessionContext
    message: MessageContent
    parent_uuid: str | None = None
    usage: TokenUsage | None = None
    thinking_metadata: ThinkingMetadata | None = None
    todos: list[TodoItem] = []
    is_sidechain: bool = False


class ToolResultLine(Struct, rename="camel"):
    """The example of the document, with the results at the top."""

    type: Literal["tool_result"]
    uuid: str
    timestamp: datetime
    session_id: str
    tool_results: list[ToolResult]
    is_sidechain: bool
    parent_uuid: str | None = None


class TrackedFile(Struct):
    size: int
    state: str
    content: str | None = field(default=None, name="originalContent")
    hash: str | None = field(default=None, name="contentHash")


class FileBackup(Struct):
    path: str = field(name="backupPath")
    hash: str | None = field(default=None, name="originalHash")


class FileSnapshot(Struct):
    tracked: dict[str, TrackedFile] = field(name="trackedFiles")
    backups: dict[str, FileBackup] = field(name="fileBackups")


class FileHistorySnapshot(Struct, rename="camel"):
    type: Literal["file_history_snapshot"]
    message_id: str
    timestamp: datetime
    is_snapshot_update: bool
    snapshot: FileSnapshot


class Metadata(Struct, rename="camel"):
    id: str
    created_at: datetime
    updated_at: datetime
    working_directory: str
    version: str
    message_count: int
    state: Literal["active", "paused", "completed", "failed", "cancelled"]
    custom_title: str | None = None


class Session(Struct):
    """One folder as it was read."""

    metadata: Metadata
    messages: list[EnhancedMessage]
    results: dict[str, list[ToolResult]]
    """By the uuid of their line."""
    snapshots: list[FileHistorySnapshot]


def sessions(files: Files) -> list[Session]:
    """Return every session of a folder; raise AssertionError or ValidationError for invalid
    files."""
    folders = sorted({path.rpartition("/")[0] for path in files})
    return [_session(files, f"{folder}/" if folder else "") for folder in folders]


def _session(files: Files, start: str) -> Session:
    inside = {
        path.removeprefix(start): data
        for path, data in files.items()
        if path.rpartition("/")[0] == start.rstrip("/")
    }
    assert set(inside) <= {"messages.jsonl", "snapshots.jsonl", "metadata.json", ALONG}
    metadata = msgspec.json.decode(inside["metadata.json"], type=Metadata)
    assert _SESSION.fullmatch(metadata.id)
    assert metadata.created_at <= metadata.updated_at
    found = Session(metadata, [], {}, [])
    if "messages.jsonl" in inside:
        for line in _lines(inside["messages.jsonl"]):
            _message(line, found)
    if "snapshots.jsonl" in inside:
        for line in _lines(inside["snapshots.jsonl"]):
            found.snapshots.append(msgspec.json.decode(line, type=FileHistorySnapshot))
            assert _UUID4.fullmatch(found.snapshots[-1].message_id)
            assert _STAMP.fullmatch(msgspec.json.decode(line)["timestamp"])
        assert found.snapshots, "an empty file was made"
    _linked(found.messages)
    assert metadata.message_count >= len(found.messages)
    return found


def _lines(data: bytes) -> list[bytes]:
    assert data.endswith(b"\n")
    return data.decode().encode().split(b"\n")[:-1]


def _message(line: bytes, found: Session) -> None:
    message = msgspec.json.decode(line, type=EnhancedMessage)
    raw = msgspec.json.decode(line)
    assert _UUID4.fullmatch(message.uuid)
    assert _STAMP.fullmatch(raw["timestamp"])
    assert message.session_id
    assert all(count >= 0 for count in raw.get("usage", {}).values())
    expected = {"tool_result": {"tool"}, "error": {"error", "user", "assistant"}}
    assert message.message.role in expected.get(message.type, {message.type})
    assert isinstance(raw["isSidechain"], bool)
    if message.type == "tool_result":
        found.results[message.uuid] = msgspec.json.decode(line, type=ToolResultLine).tool_results
    else:
        assert isinstance(raw["todos"], list)
    found.messages.append(message)


def _linked(messages: list[EnhancedMessage]) -> None:
    names = [message.uuid for message in messages]
    assert len(set(names)) == len(names)
    assert {message.parent_uuid for message in messages} <= {None, *names}
