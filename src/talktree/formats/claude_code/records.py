"""Lines of Claude Code sessions: what they are recognised by, and a quick look at them."""

from __future__ import annotations

import msgspec
from msgspec import Raw

from talktree.formats.claude_code import queued
from talktree.formats.lens import text_in
from talktree.formats.line_sheet import NO_NODE, LineDialect
from talktree.model.message import Usage
from talktree.model.outline import LineOutline, Reply, Trait
from talktree.text.json_value import Json

NOTHING = Raw()
SAID, REPLY, RESULT, NOTE = map(int, (Trait.SAID, Trait.REPLY, Trait.RESULT, Trait.NOTE))
SPOKEN = {"user": SAID, "assistant": REPLY}
WITHOUT_UUID = frozenset(
    {
        "agent-color",
        "agent-name",
        "agent-setting",
        "ai-title",
        "artifact-autoreact-ledger",
        "artifact-comment-monitor",
        "atis-latch",
        "attribution-snapshot",
        "bridge-session",
        "content-replacement",
        "continued-in",
        "cost-state",
        "custom-title",
        "ended-by-model",
        "failed",
        "file-history-delta",
        "file-history-snapshot",
        "fork-context-ref",
        "frame-link",
        "history-suppression",
        "isolation-latch",
        "last-prompt",
        "launched",
        "marble-origami-commit",
        "marble-origami-reset",
        "marble-origami-snapshot",
        "mode",
        "observer-ref",
        "permission-mode",
        "pr-link",
        "queue-operation",
        "relocated",
        "result",
        "started",
        "summary",
        "tag",
        "telemetry-latch",
        "worktree-state",
    }
)
"""Types of lines that have been seen without an id of their own."""
BOOKKEEPING = frozenset({"progress", "attachment", "bridge-session", "turn_end"})
"""Types of lines that take part in the chain and say nothing."""


_QUEUED = f'"{queued.KIND}"'.encode()
_TOKENS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cache_read": "cache_read_input_tokens",
    "cache_write": "cache_creation_input_tokens",
}
_NAMES = {
    "role": "type",
    "id": "uuid",
    "parent": "parentUuid",
    "stamp": "timestamp",
    "sidechain": "isSidechain",
    "follows": "logicalParentUuid",
    "meta": "isMeta",
    "failed": "isApiErrorMessage",
    "result": "toolUseResult",
    "reply": "message",
    "attached": queued.LINE,
}


class _Tokens(Usage, frozen=True, gc=False, rename=_TOKENS):
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


class _Api(Reply, gc=False, rename={"id": "id"}):
    id: str | None = None
    model: str | None = None
    usage: _Tokens | None = None


class _Line(LineOutline, gc=False, rename=_NAMES):
    id: str | None = None
    parent: str | None = None
    stamp: str | None = None
    role: str = ""
    sidechain: bool = False
    follows: str | None = None
    reply: _Api | None = None
    result: Raw = NOTHING
    meta: bool = False
    failed: bool = False
    attached: Raw = NOTHING


_decode = msgspec.json.Decoder(_Line).decode


class Dialect(LineDialect):
    """What a line says of its place in the tree."""

    def skim(self, line: bytes | memoryview) -> LineOutline:
        found = _decode(line)
        role = found.role
        if role == "assistant":
            found.trait = NOTE if found.failed else REPLY
            return found
        found.reply = None
        if role == "user":
            if found.result is not NOTHING or _has_result(line):
                found.trait = RESULT
            else:
                found.trait = NOTE if found.meta else SAID
        elif found.id is not None:
            found.trait = NOTE
            if role == queued.LINE and _is_prompt(found.attached):
                found.role, found.trait = queued.ROLE, SAID
        return found

    def outline(self, value: Json) -> LineOutline:
        if not isinstance(value, dict):
            return NO_NODE
        texts = {key: text_in(value, name) for key, name in _NAMES.items()}
        role, message = texts["role"], value.get("message")
        if role is None or (texts["id"] is None and role not in SPOKEN):
            return NO_NODE
        api = message if isinstance(message, dict) else {}
        trait = _trait(role, value, api)
        if role == queued.LINE and queued.is_prompt(value.get(queued.LINE)):
            role, trait = queued.ROLE, SAID
        return LineOutline(
            trait=trait,
            id=texts["id"],
            parent=texts["parent"],
            stamp=texts["stamp"],
            role=role,
            sidechain=value.get("isSidechain") is True,
            group=text_in(api, "id"),
            follows=texts["follows"],
            usage=_usage(api.get("usage")),
            model=text_in(api, "model"),
        )

    def is_record(self, value: Json) -> bool:
        if not isinstance(value, dict) or not isinstance(value.get("type"), str):
            return False
        return "uuid" in value or value["type"] in WITHOUT_UUID


def _trait(role: str, value: dict[str, Json], api: dict[str, Json]) -> int:
    if role == "assistant":
        return NOTE if value.get("isApiErrorMessage") is True else REPLY
    if role != "user":
        return NOTE
    content = api.get("content")
    blocks = content if isinstance(content, list) else []
    if "toolUseResult" in value or any(
        isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks
    ):
        return RESULT
    return NOTE if value.get("isMeta") is True else SAID


def _usage(found: Json) -> Usage | None:
    counts = [found.get(key) for key in _TOKENS.values()] if isinstance(found, dict) else [""]
    if not all(type(count) is int or count is None for count in counts):
        return None
    return Usage(*[count if isinstance(count, int) else 0 for count in counts])


def _is_prompt(attached: Raw) -> bool:
    # Most of what is attached are long lists of other things.
    return _QUEUED in bytes(attached) and queued.is_prompt(msgspec.json.decode(attached))


def _has_result(line: bytes | memoryview) -> bool:
    # Inside text the quotes would be escaped, so this cannot be something somebody typed; and
    # without a `toolUseResult` nothing long stands before the block that says what it is.
    return b'"tool_result"' in bytes(line[:2000])


def looks_real(value: dict[str, Json]) -> str | None:
    """What shows that a record was written by Claude Code, or None."""
    type = value.get("type")
    if not isinstance(type, str):
        return None
    if type in WITHOUT_UUID and "context" not in value:
        return f"a {type} line"
    message = value.get("message")
    if type in SPOKEN and isinstance(message, dict) and "content" in message:
        if "context" in value or "toolCalls" in message:
            return None
        return f"{type} lines with an API message"
    if "uuid" in value and "parentUuid" in value and "sessionId" in value:
        return f"a {type} line with uuid and sessionId" if message is None else None
    return None
