"""Detection of Claude Code sessions, and the outline of their lines."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from talktree.formats.claude_code import lens_queued
from talktree.formats.evidence import Clue, find_foreign_members, make_misfit_clue
from talktree.formats.jsonl_file import NO_NODE, LineDialect
from talktree.formats.lens import get_text
from talktree.model.message import Usage
from talktree.model.outline import LineOutline, Listing, ReplyOutline, Trait, make_call_group
from talktree.text.json.value import Json

NOTHING = Raw()
SAID, REPLY, RESULT, NOTE = map(int, (Trait.SAID, Trait.REPLY, Trait.RESULT, Trait.NOTE))
LISTED, HIDDEN, ABSENT = map(int, (Listing.LISTED, Listing.HIDDEN, Listing.ABSENT))
SPOKEN = {"user": SAID, "assistant": REPLY}
PASSED = frozenset({"system", "progress", "attachment"})
"""Types of lines that the Agent SDK's reader skips; it knows only these and messages."""
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
"""Types of lines that take part in the chain and hold no text."""
ENVELOPE = frozenset(
    {
        "cwd",
        "entrypoint",
        "forkedFrom",
        "gitBranch",
        "logicalParentUuid",
        "parentUuid",
        "sessionId",
        "slug",
        "timestamp",
        "userType",
        "version",
    }
)
"""Members of a line that record where and when it was written; they differ in a rewritten copy."""
API_MEMBERS = frozenset(
    {"id", "type", "role", "model", "usage", "stop_reason", "stop_sequence", "stop_details"}
)
"""Members of an API message, other than its content, that hold no text."""


_CALL = b'"tool_use"'
_QUEUED = f'"{lens_queued.KIND}"'.encode()
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
    "attached": lens_queued.LINE,
    "request": "requestId",
    "team": "teamName",
    "compaction": "compactMetadata",
}


class _Tokens(Usage, frozen=True, gc=False, rename=_TOKENS):
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


class _Api(ReplyOutline, gc=False, rename={"id": "id"}):
    id: str | None = None
    model: str | None = None
    usage: _Tokens | None = None


class _Segment(Struct, gc=False):
    headUuid: str | None = None


class _Compaction(Struct, gc=False):
    preservedSegment: _Segment | None = None


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
    request: str | None = None
    team: str | None = None
    compaction: _Compaction | None = None


_decode = msgspec.json.Decoder(_Line).decode


class ClaudeCodeDialect(LineDialect):
    """Reads where a line belongs in the tree."""

    def skim(self, line: bytes | memoryview) -> LineOutline:
        found = _decode(line)
        role = found.role
        if found.id is None or role not in SPOKEN:
            found.listing = int(Listing.PASSED) if found.id and role in PASSED else ABSENT
        elif found.meta or found.sidechain or found.team:
            found.listing = HIDDEN
        if role == "assistant":
            found.trait = NOTE if found.failed else REPLY
            if found.failed:
                found.request = None
            elif _is_nameless(found) and _CALL in bytes(line):
                raise msgspec.DecodeError("only a full decode tells a call from its name")
            return found
        found.reply = found.request = None
        if role == "user":
            if found.result is not NOTHING or _has_result(line):
                found.trait = RESULT
            else:
                found.trait = NOTE if found.meta else SAID
        elif found.id is not None:
            if not role:
                raise msgspec.DecodeError("only a full decode tells no type from an empty one")
            found.trait = NOTE
            if found.compaction is not None and found.compaction.preservedSegment is not None:
                found.kept = found.compaction.preservedSegment.headUuid
            if role == lens_queued.LINE and _is_prompt(found.attached):
                found.role, found.trait = lens_queued.ROLE, SAID
        return found

    def outline(self, value: Json) -> LineOutline:
        if not isinstance(value, dict):
            return NO_NODE
        texts = {key: get_text(value, name) for key, name in _NAMES.items()}
        role, message = texts["role"], value.get("message")
        if role is None or (texts["id"] is None and role not in SPOKEN):
            return NO_NODE
        api = message if isinstance(message, dict) else {}
        trait = _find_trait(role, value, api)
        if role == lens_queued.LINE and lens_queued.is_prompt(value.get(lens_queued.LINE)):
            role, trait = lens_queued.ROLE, SAID
        return LineOutline(
            trait=trait,
            id=texts["id"],
            parent=texts["parent"],
            stamp=texts["stamp"],
            role=role,
            sidechain=value.get("isSidechain") is True,
            group=_find_group(value, api, trait) if role == "assistant" else None,
            request=texts["request"] if trait == REPLY else None,
            follows=texts["follows"],
            usage=_read_usage(api.get("usage")),
            model=get_text(api, "model"),
            kept=_find_first_kept(value.get("compactMetadata")) if trait == NOTE else None,
            listing=_find_listing(value),
        )

    def is_record(self, value: Json) -> bool:
        if not isinstance(value, dict) or not isinstance(value.get("type"), str):
            return False
        return "uuid" in value or value["type"] in WITHOUT_UUID


def _is_nameless(line: _Line) -> bool:
    """Whether a piece of a reply names neither the reply nor the request."""
    return not line.request and (line.reply is None or not line.reply.id)


def _find_trait(role: str, value: dict[str, Json], api: dict[str, Json]) -> int:
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


def _find_group(value: dict[str, Json], api: dict[str, Json], trait: int) -> str | None:
    """Return the reply that a line is part of; calls that name none belong with adjacent calls."""
    reply, parent = get_text(api, "id"), get_text(value, "parentUuid")
    if reply or trait != REPLY or get_text(value, "requestId") or parent is None:
        return reply
    content = api.get("content")
    blocks = content if isinstance(content, list) else []
    calls = any(isinstance(block, dict) and block.get("type") == "tool_use" for block in blocks)
    return make_call_group(parent) if calls else None


def _find_listing(value: dict[str, Json]) -> int:
    type = value.get("type")
    if type not in SPOKEN or not isinstance(value.get("uuid"), str):
        return int(Listing.PASSED) if type in PASSED and value.get("uuid") else ABSENT
    return HIDDEN if any(map(value.get, ("isMeta", "isSidechain", "teamName"))) else LISTED


def _find_first_kept(compaction: Json) -> str | None:
    segment = compaction.get("preservedSegment") if isinstance(compaction, dict) else None
    return get_text(segment, "headUuid") if isinstance(segment, dict) else None


def _read_usage(found: Json) -> Usage | None:
    counts = [found.get(key) for key in _TOKENS.values()] if isinstance(found, dict) else [""]
    if not all(type(count) is int or count is None for count in counts):
        return None
    return Usage(*[count if isinstance(count, int) else 0 for count in counts])


def _is_prompt(attached: Raw) -> bool:
    # Most attachments are long lists of other things.
    return _QUEUED in bytes(attached) and lens_queued.is_prompt(msgspec.json.decode(attached))


def _has_result(line: bytes | memoryview) -> bool:
    # Inside text the quotes would be escaped, so this cannot be typed text. Without a
    # `toolUseResult`, nothing long precedes the block that names its type.
    return b'"tool_result"' in bytes(line[:2000])


def identity_of(value: Json) -> Json:
    """Return the value that all copies of a line share, whenever and wherever they were written."""
    if not isinstance(value, dict):
        return None
    return {key: value[key] for key in sorted(value) if key not in ENVELOPE}


def judge_record(value: dict[str, Json]) -> Clue | None:
    """Return the evidence that Claude Code wrote a record, or None."""
    type = value.get("type")
    if not isinstance(type, str):
        return None
    if type in WITHOUT_UUID and "context" not in value:
        return Clue("envelope", f"a {type} line")
    message = value.get("message")
    if type in SPOKEN and isinstance(message, (dict, str)):
        clue = _judge_body(type, message, value)
        if clue is not None:
            return clue
    elif message is not None:
        return None
    if "uuid" in value and "parentUuid" in value and "sessionId" in value:
        return Clue("envelope", f"a {type} line with uuid and sessionId")
    return None


def _judge_body(type: str, message: Json, value: dict[str, Json]) -> Clue | None:
    if not isinstance(message, dict) or "context" in value or "toolCalls" in message:
        # Two other formats with this envelope look the same, and name themselves.
        return Clue("misfit")
    if "content" not in message:
        foreign = find_foreign_members(message, API_MEMBERS)
        return make_misfit_clue("content", foreign) if foreign else None
    content = message["content"]
    if isinstance(content, str) or content == []:
        return Clue("body", f"{type} lines with an API message")
    blocks = content if isinstance(content, list) else []
    if any(
        isinstance(block, str) or (isinstance(block, dict) and "type" in block) for block in blocks
    ):
        return Clue("body", f"{type} lines with an API message")
    if any(isinstance(block, dict) and block for block in blocks):
        return Clue("misfit", "blocks of content without a type")
    return None
