"""The members of Claude Code's lines that are extracted, as types decoded straight from bytes.

The decoder refuses a line whose members have other types, or that has a rare member; such a line is
read through the model.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta, Raw, Struct

from talktree.model.replies import MOST_TOKENS

ABSENT = Raw()
PROGRESS = "progress"
TELLING = frozenset({"compact_boundary", "microcompact_boundary", "informational"})
"""Kinds of system lines that carry information even without words."""
Count: TypeAlias = Annotated[int, Meta(ge=0, lt=MOST_TOKENS)]


class CacheMember(Struct, gc=False):
    """How long cache writes are kept."""

    ephemeral_5m_input_tokens: Count = 0
    ephemeral_1h_input_tokens: Count = 0


class UsageMember(Struct, gc=False):
    """The tokens of an API reply."""

    input_tokens: Count = 0
    output_tokens: Count = 0
    cache_read_input_tokens: Count = 0
    cache_creation_input_tokens: Count = 0
    cache_creation: CacheMember | None = None


class TextMember(Struct, gc=False, tag="text"):
    """Text."""

    text: str


class ThinkingMember(Struct, gc=False, tag="thinking"):
    """Thinking."""

    thinking: str
    signature: str | None = None


class ToolUseMember(Struct, gc=False, tag="tool_use"):
    """A tool call."""

    name: str
    id: str | None = None
    input: Any = None


class ImageMember(Struct, gc=False, tag="image"):
    """An image without a name: it has no text to search."""

    title: None = None


Output: TypeAlias = str | list[TextMember | ImageMember] | None


class ResultMember(Struct, gc=False, tag="tool_result"):
    """A tool result."""

    tool_use_id: str | None = None
    content: Output = None
    is_error: bool | None = None


Block: TypeAlias = TextMember | ThinkingMember | ToolUseMember | ResultMember | ImageMember


class ApiMember(Struct, gc=False):
    """A message of the API."""

    id: str | None = None
    model: str | None = None
    usage: UsageMember | None = None
    content: str | list[Block] | None = None


class TaskMember(Struct, gc=False):
    """One task of a list."""

    content: str
    status: str


class BackupMember(Struct, gc=False):
    """A backup of a file; only its name is extracted."""


class SnapshotMember(Struct, gc=False):
    """The state of files."""

    timestamp: str | None = None
    trackedFileBackups: dict[str, BackupMember] = {}


class ClaudeLine(Struct, gc=False):
    """A line."""

    type: str
    uuid: str | None = None
    parentUuid: str | None = None
    timestamp: str | None = None
    sessionId: str | None = None
    cwd: str | None = None
    gitBranch: str | None = None
    agentId: str | None = None
    requestId: str | None = None
    message: ApiMember | None = None
    isSidechain: bool = False
    teamName: str | None = None
    todos: list[TaskMember] | None = None
    toolUseResult: Raw = ABSENT
    forkedFrom: Raw = ABSENT
    isMeta: bool = False
    subtype: str | None = None
    content: Raw = ABSENT
    snapshot: SnapshotMember | None = None
    isApiErrorMessage: None = None
    isCompactSummary: None = None
    logicalParentUuid: None = None


decode = msgspec.json.Decoder(ClaudeLine).decode


def output_of(content: Output) -> str:
    """Return the text of a tool's result."""
    if isinstance(content, str):
        return content
    found = [each.text for each in content or () if isinstance(each, TextMember) and each.text]
    return "\n".join(found)
