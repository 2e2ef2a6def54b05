"""The members of Claude Code's lines that are told, as types that are decoded straight from bytes.

A line whose members are of other kinds, or that has one which is rarely there, is refused by the
decoder and takes the long way.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta, Raw, Struct

from talktree.model.replies import MOST_TOKENS

ABSENT = Raw()
PROGRESS = "progress"
TELLING = frozenset({"compact_boundary", "microcompact_boundary", "informational"})
"""Kinds of system lines that tell something even without words."""
Count: TypeAlias = Annotated[int, Meta(ge=0, lt=MOST_TOKENS)]


class Cache(Struct, gc=False):
    """How long what was written to the cache is kept."""

    ephemeral_5m_input_tokens: Count = 0
    ephemeral_1h_input_tokens: Count = 0


class Used(Struct, gc=False):
    """The tokens of an API reply."""

    input_tokens: Count = 0
    output_tokens: Count = 0
    cache_read_input_tokens: Count = 0
    cache_creation_input_tokens: Count = 0
    cache_creation: Cache | None = None


class Spoken(Struct, gc=False, tag="text"):
    """Words."""

    text: str


class Thought(Struct, gc=False, tag="thinking"):
    """Thinking."""

    thinking: str
    signature: str | None = None


class Use(Struct, gc=False, tag="tool_use"):
    """A call."""

    name: str
    id: str | None = None
    input: Any = None


class Image(Struct, gc=False, tag="image"):
    """A picture without a name: nothing to be found."""

    title: None = None


Output: TypeAlias = str | list[Spoken | Image] | None


class Result(Struct, gc=False, tag="tool_result"):
    """A result."""

    tool_use_id: str | None = None
    content: Output = None
    is_error: bool | None = None


Block: TypeAlias = Spoken | Thought | Use | Result | Image


class Api(Struct, gc=False):
    """A message of the API."""

    id: str | None = None
    model: str | None = None
    usage: Used | None = None
    content: str | list[Block] | None = None


class Task(Struct, gc=False):
    """One task of a list."""

    content: str
    status: str


class Backup(Struct, gc=False):
    """What is kept of a file; only its name is told."""


class Snapshot(Struct, gc=False):
    """The state of files."""

    timestamp: str | None = None
    trackedFileBackups: dict[str, Backup] = {}


class Line(Struct, gc=False):
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
    message: Api | None = None
    isSidechain: bool = False
    teamName: str | None = None
    todos: list[Task] | None = None
    toolUseResult: Raw = ABSENT
    forkedFrom: Raw = ABSENT
    isMeta: bool = False
    subtype: str | None = None
    content: Raw = ABSENT
    snapshot: Snapshot | None = None
    isApiErrorMessage: None = None
    isCompactSummary: None = None
    logicalParentUuid: None = None


decode = msgspec.json.Decoder(Line).decode


def output_of(content: Output) -> str:
    """The words of a tool's result."""
    if isinstance(content, str):
        return content
    found = [each.text for each in content or () if isinstance(each, Spoken) and each.text]
    return "\n".join(found)
