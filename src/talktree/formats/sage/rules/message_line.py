"""Helpers of the rules for message lines: which lines are messages, and the types of members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType, ValidationError, convert

from talktree.formats.format import CARRY
from talktree.formats.lens import Object
from talktree.formats.rule_context import RuleRecord
from talktree.formats.sage.detect_kinds import TYPES
from talktree.model.skeleton import NO_TIME
from talktree.text.json.value import Json

SAGE: Final = ("sage",)
NONE = type(None)
PLAIN = "sage: whether the line is plain"
Kinds = Mapping[str, tuple[type, ...]]

MEMBERS: Kinds = {
    "parentUuid": (str, NONE),
    "timestamp": (str, NONE),
    "sessionId": (str, NONE),
    "version": (str, NONE),
    "context": (dict, NONE),
    "message": (dict, NONE),
    "usage": (dict, NONE),
    "thinkingMetadata": (dict, NONE),
    "toolResults": (list, NONE),
    "todos": (list,),
    "isSidechain": (bool,),
}
"""Null in place of a required member counts as missing, and is reported as that."""
CONTEXT: Kinds = {
    "cwd": (str, NONE),
    "gitBranch": (str, NONE),
    "platform": (str, NONE),
    "userType": (str, NONE),
}
SAID: Kinds = {
    "role": (str, NONE),
    "content": (str, NONE),
    "toolCalls": (list, NONE),
    "toolResults": (list, NONE),
}
INSIDE: Mapping[str, Kinds] = {"context": CONTEXT, "message": SAID}
TOKENS = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")


class _Context(Struct, gc=False):
    cwd: str
    platform: str
    gitBranch: str | None = None
    userType: str | None = None


class _Said(Struct, gc=False):
    role: str
    content: str
    toolCalls: UnsetType | None = UNSET
    toolResults: UnsetType | None = UNSET


class _Thinking(Struct, gc=False):
    level: Literal["none", "low", "medium", "high"]
    disabled: bool
    triggers: list[str] = []


class _Todo(Struct, gc=False):
    content: str
    status: Literal["pending", "in_progress", "completed"]
    activeForm: str


class _Line(Struct, gc=False):
    """A line with all required members, and no tools."""

    type: Literal["user", "assistant", "system", "error", "summary", "custom_title"]
    timestamp: str
    sessionId: str
    version: str
    context: _Context
    message: _Said
    parentUuid: str | None = None
    usage: dict[str, Any] | None = None
    thinkingMetadata: _Thinking | None = None
    todos: list[_Todo] = []
    isSidechain: bool = False
    toolResults: UnsetType | None = UNSET


def is_plain(seen: RuleRecord) -> bool:
    """Whether a line is valid and has no tools, so that no rule need check its members.

    Nearly all lines are like that, and this single check serves all rules.
    """
    notes = seen.talk.notes
    known: tuple[RuleRecord, bool] | None = notes.get(PLAIN)
    if known is None or known[0] is not seen:
        known = notes[PLAIN] = (seen, _is_valid_line(seen.record.value))
    return known[1]


def _is_valid_line(value: Json) -> bool:
    try:
        convert(value, _Line)
    except (ValidationError, TypeError, ValueError):
        return False
    return True


def get_line_value(seen: RuleRecord) -> Object | None:
    """Return the value of a message line whose type has known members; None for other records."""
    value = seen.record.value
    if not isinstance(value, dict):
        return None
    type = value.get("type")
    return value if isinstance(type, str) and type in TYPES else None


def is_foreign(value: Object) -> bool:
    """Whether a record was converted from another format, whose conventions it keeps."""
    return CARRY in value


def get_object(value: Object, name: str) -> Object | None:
    """Return a member that is an object, or None."""
    found = value.get(name)
    return found if isinstance(found, dict) else None


def get_list(value: Object | None, name: str) -> list[Json]:
    """Return a member that is a list; an empty one if it is not a list."""
    found = None if value is None else value.get(name)
    return found if isinstance(found, list) else []


def find_misfits(value: Object, kinds: Kinds) -> Iterator[str]:
    """Yield the names of members of another type than required."""
    for name, item in value.items():
        wanted = kinds.get(name)
        if wanted is not None and type(item) not in wanted:
            yield name


def find_nearest_time(seen: RuleRecord) -> int | None:
    """Return the time of the last record before, or else of the first after it that has one."""
    times, position = seen.talk.skeleton.times, seen.position
    for places in (range(position - 1, -1, -1), range(position + 1, len(times))):
        for place in places:
            if times[place] != NO_TIME:
                return times[place]
    return None
