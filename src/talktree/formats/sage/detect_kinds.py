"""The kind of a Sage record, and the members that identify it."""

from __future__ import annotations

from typing import Literal

from talktree.formats.evidence import Clue, find_foreign_members, make_misfit_clue
from talktree.text.json.value import Json

Kind = Literal["message", "legacy", "snapshot", "metadata", "session", "other"]
"""`legacy` is a message and `session` the head of the older session file."""

SNAPSHOT = "file_history_snapshot"
TYPES = frozenset(
    {"user", "assistant", "tool_result", "system", "error", "summary", "custom_title"}
)
"""Types of records that are messages even if their id is missing."""
PLAIN = ("user", "assistant", "system")
"""Types that are roles as well."""
EVENTS = {"summary": "summary", "custom_title": "title"}
"""Types that describe the conversation instead of continuing it, and the events they become."""
OPERATIONS = {
    "conversation_compacting": "compacting",
    "conversation_compacted": "compacted",
    "conversation_restoring": "restoring",
    "conversation_restored": "restored",
}
"""Subtypes of lines that record operations on the conversation, and the events they become."""
METADATA = "metadata.json"
CONTINUES = "continues"
"""The member of a line that follows a message of an older file, where messages have no ids."""
MESSAGE_MEMBERS = frozenset({"role"})
"""Members of a message, other than its content, that hold no text."""
_SESSION_MARKS = ("created_at", "working_directory", "token_usage")
_METADATA_MARKS = ("createdAt", "updatedAt", "workingDirectory", "messageCount")


def detect_kind(value: Json, path: str = "") -> Kind:
    """Return the kind of a value, by its members; in metadata.json any object is the metadata."""
    if not isinstance(value, dict):
        return "other"
    if path.endswith(METADATA) and path.rpartition("/")[2] == METADATA:
        return "metadata"
    type, uuid = value.get("type"), value.get("uuid")
    if type in PLAIN:
        return "message"
    if type == SNAPSHOT and (not uuid or isinstance(value.get("snapshot"), dict)):
        return "snapshot"
    if not type and isinstance(value.get("role"), str) and "message" not in value:
        return "legacy"
    if (isinstance(uuid, str) and uuid) or (isinstance(type, str) and type in TYPES):
        return "message"
    if is_session(value):
        return "session"
    return "metadata" if is_metadata(value) else "other"


def is_session(value: dict[str, Json]) -> bool:
    """Whether a value heads an older session file: it has messages, and members only Sage has."""
    if "type" in value or "uuid" in value or not isinstance(value.get("messages"), list):
        return False
    return any(mark in value for mark in _SESSION_MARKS)


def is_metadata(value: dict[str, Json]) -> bool:
    """Whether a value is the content of a metadata.json."""
    if "type" in value or "uuid" in value or not isinstance(value.get("id"), str):
        return False
    return sum(mark in value for mark in _METADATA_MARKS) >= 2


def is_trajectory(value: dict[str, Json]) -> bool:
    """Whether a value is Sage's recording of an agent run rather than of a conversation."""
    if value.get("type") == "session_start":
        return "task" in value and "provider" in value
    steps = any(isinstance(value.get(key), list) for key in ("agent_steps", "llm_interactions"))
    return "task" in value and "start_time" in value and (steps or "max_steps" in value)


def judge_line(value: dict[str, Json]) -> Clue | None:
    """Return the evidence that a line is Sage's. Claude Code has neither of these shapes."""
    type, message = value.get("type"), value.get("message")
    if type == SNAPSHOT and ("messageId" in value or "snapshot" in value):
        return Clue("envelope", f"type {SNAPSHOT}")
    if type == "tool_result" and isinstance(value.get("toolResults"), list):
        return Clue("body", "tool_result with toolResults")
    if not isinstance(message, dict) or not isinstance(type, str):
        return None
    if "toolCalls" in message or "toolResults" in message:
        return Clue("body", f"type {type} with toolCalls or toolResults in its message")
    if not isinstance(value.get("context"), dict) or "uuid" not in value:
        return Clue("misfit") if "content" in message else None
    if isinstance(message.get("content"), (list, dict)):
        return Clue("misfit", "content is not text")
    if "content" not in message and (foreign := find_foreign_members(message, MESSAGE_MEMBERS)):
        return make_misfit_clue("content", foreign)
    return Clue("body", f"type {type} with a context beside its message")


def judge_session(value: dict[str, Json]) -> Clue | None:
    """Return the evidence in the head of an older session file, judged by its messages."""
    if not is_session(value):
        return None
    messages = value["messages"]
    assert isinstance(messages, list)
    bodies = [each for each in messages if isinstance(each, dict) and each]
    foreign = [each for each in bodies if not isinstance(each.get("role"), str)]
    if len(foreign) * 2 > len(bodies):
        return Clue("misfit", f"{len(foreign)} of its {len(bodies)} messages have no role")
    return Clue("body", "one object with messages and created_at, the older session file")


def find_continued_file(line: Json) -> str | None:
    """Return the name of the older file that a line continues, or None."""
    return _get_text(line.get(CONTINUES), "file") if isinstance(line, dict) else None


def get_followed_message(continues: Json) -> str | None:
    """Return the message of an older file that a line follows, by its name in every view."""
    return _get_text(continues, "message")


def _get_text(value: Json, name: str) -> str | None:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) and found else None
