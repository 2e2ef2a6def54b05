"""The verbs that record messages: each makes a message of its arguments and returns its id.

Calls, results, tokens and tasks are the model's values or plain dicts with the same names. Invalid
values are refused before anything is written.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from msgspec.structs import replace

from talktree.errors import UsageError
from talktree.model.message import (
    ERROR,
    NO_FLAGS,
    SIDECHAIN,
    Message,
    ThinkingSetting,
    Usage,
)
from talktree.model.parts import NOTHING, Event, Part, Text, ToolCall, ToolResult
from talktree.session.errors import raise_plain_errors
from talktree.session.recording.recorder import At, TreePlace
from talktree.session.recording.thinking import Asked, choose_setting
from talktree.session.recording.todos import Given, describe_todos, make_todo_list

Call: TypeAlias = ToolCall | Mapping[str, Any]
"""A tool call, or `{"id", "name", "input"}`."""
Result: TypeAlias = ToolResult | Mapping[str, Any]
"""A tool's result, or `{"call", "output", "name", "error"}`."""
Tokens: TypeAlias = Usage | Mapping[str, int]
Extra: TypeAlias = Mapping[str, Any]
TAKEN = frozenset(
    {
        "branchParentUuid",
        "context",
        "continues",
        "isSidechain",
        "message",
        "operation",
        "parentUuid",
        "seal",
        "sessionId",
        "subtype",
        "thinkingMetadata",
        "timestamp",
        "todos",
        "toolResults",
        "type",
        "usage",
        "uuid",
        "version",
    }
)
"""Members that a message has anyway; `extra` cannot replace them."""
_SIDE = frozenset({SIDECHAIN})


@raise_plain_errors
class RecordingVerbs(ABC):
    """All verbs that record messages, on a session's own line or on a sidechain."""

    _side = False
    """Whether all messages recorded here are on a sidechain."""

    @abstractmethod
    def _write_messages(self, *drafts: Message, at: At = TreePlace.LEAF) -> list[str]:
        """Write messages."""

    @abstractmethod
    def _choose_thinking(self, asked: Asked, text: str) -> ThinkingSetting | None:
        """Return the thinking to record with a prompt."""

    @abstractmethod
    def _find_tool_name(self, call: str, parent: str | None) -> str | None:
        """Return the name of the called tool, seen from a message; None if no call has this id.

        Without a message it is searched for from the last one upward.
        """

    def user(
        self,
        text: str,
        *,
        thinking: Asked = None,
        todos: Given | None = None,
        parent: str | None = None,
        sidechain: bool = False,
        extra: Extra | None = None,
    ) -> str:
        """Record a user's message. Words that ask for thinking are recorded as its trigger."""
        asked = self._choose_thinking(thinking, text)
        draft = self._make_draft(
            "user", (Text(text),), todos, extra, sidechain=sidechain, thinking=asked
        )
        return self._write_one(draft, parent)

    def assistant(
        self,
        text: str = "",
        *,
        calls: Iterable[Call] = (),
        usage: Tokens | None = None,
        model: str | None = None,
        thinking: Asked = None,
        todos: Given | None = None,
        parent: str | None = None,
        sidechain: bool = False,
        extra: Extra | None = None,
    ) -> str:
        """Record a reply: text, tool calls, usage."""
        details = extra if model is None else {**(extra or {}), "model": model}
        parts: tuple[Part, ...] = (Text(text), *map(to_tool_call, calls))
        asked = None if thinking is None else choose_setting(thinking)
        draft = self._make_draft(
            "assistant",
            parts,
            todos,
            details,
            sidechain=sidechain,
            thinking=asked,
            usage=to_usage(usage),
        )
        return self._write_one(draft, parent)

    def results(
        self,
        *results: Result,
        todos: Given | None = None,
        parent: str | None = None,
        sidechain: bool = False,
        extra: Extra | None = None,
    ) -> str:
        """Record tool results, each for a call of an earlier reply."""
        if not results:
            raise UsageError("no result was given", hint="give one result for each call")
        parts = tuple(self._with_call_id(to_tool_result(each), parent) for each in results)
        return self._write_one(
            self._make_draft("tool", parts, todos, extra, sidechain=sidechain), parent
        )

    def system(
        self,
        text: str,
        *,
        todos: Given | None = None,
        parent: str | None = None,
        sidechain: bool = False,
        extra: Extra | None = None,
    ) -> str:
        """Record a message from the program to the model or the user."""
        draft = self._make_draft("system", (Text(text),), todos, extra, sidechain=sidechain)
        return self._write_one(draft, parent)

    def summary(self, text: str, *, parent: str | None = None, sidechain: bool = False) -> str:
        """Record a summary of the conversation so far."""
        parts = (Event("summary", text=text),)
        return self._write_one(
            self._make_draft("system", parts, None, None, sidechain=sidechain), parent
        )

    def error(
        self, kind: str, text: str, *, parent: str | None = None, sidechain: bool = False
    ) -> str:
        """Record an error, as `[kind] text`."""
        draft = self._make_draft(
            "system", (Text(f"[{kind}] {text}"),), None, None, sidechain=sidechain
        )
        return self._write_one(replace(draft, flags=draft.flags | {ERROR}), parent)

    def title(self, text: str) -> str:
        """Change the title of the session."""
        draft = self._make_draft(
            "system", (Event("title", text=text),), None, None, sidechain=False
        )
        return self._write_one(draft, None)

    def todos(self, todos: Given, *, parent: str | None = None) -> str:
        """Replace the list of tasks; every later message has it."""
        listed = make_todo_list(todos)
        parts = (Text(describe_todos(listed)),)
        return self._write_one(
            self._make_draft("system", parts, listed, None, sidechain=False), parent
        )

    # making messages

    def _write_one(self, draft: Message, parent: str | None) -> str:
        return self._write_messages(draft, at=TreePlace.LEAF if parent is None else parent)[0]

    def _make_draft(
        self,
        role: str,
        parts: tuple[Part, ...],
        todos: Given | None,
        extra: Extra | None,
        *,
        sidechain: bool,
        thinking: ThinkingSetting | None = None,
        usage: Usage | None = None,
    ) -> Message:
        return Message(
            role=role,
            parts=parts,
            flags=_SIDE if sidechain or self._side else NO_FLAGS,
            todos=None if todos is None else make_todo_list(todos),
            thinking=thinking,
            usage=usage,
            extra=NOTHING if not extra else _check_extra(extra),
        )

    def _with_call_id(self, result: ToolResult, parent: str | None) -> ToolResult:
        if result.call is None:
            return result
        name = self._find_tool_name(result.call, parent)
        if name is None:
            raise UsageError(
                f"no tool call has the id {result.call[:80]!r}",
                hint="record the reply with its calls first; `unanswered()` lists open calls",
            )
        return result if result.name is not None else replace(result, name=name)


def _check_extra(extra: Extra) -> dict[str, Any]:
    if taken := TAKEN & set(extra):
        raise UsageError(
            f"extra cannot hold {', '.join(sorted(taken))}: every message has a place for that",
            hint="use other names for what is yours",
        )
    return dict(extra)


def _check_members(given: Mapping[str, Any], allowed: set[str], what: str) -> None:
    if unknown := set(given) - allowed:
        raise UsageError(
            f"{what} has no {', '.join(sorted(map(str, unknown)))}",
            hint=f"it has {', '.join(sorted(allowed))}",
        )


def to_tool_call(given: Call) -> ToolCall:
    """Return a call as the model's value."""
    if isinstance(given, ToolCall):
        return given if given.input is not None else replace(given, input={})
    _check_members(given, {"id", "name", "input"}, "a tool call")
    if not isinstance(given.get("name"), str):
        raise UsageError("a tool call without a name", hint='give {"name": …, "input": …}')
    return ToolCall(given["name"], given.get("input") or {}, given.get("id"))


def to_tool_result(given: Result) -> ToolResult:
    """Return a result as the model's value; the text of a failure is only in `error`."""
    if not isinstance(given, ToolResult):
        _check_members(given, {"call", "output", "name", "error"}, "a tool's result")
        output = given.get("output", "")
        if not isinstance(output, str):
            raise UsageError("the output of a tool is a text", hint='give "output" as a str')
        failed = bool(given.get("error", False))
        given = ToolResult((Text(output),), given.get("call"), given.get("name"), failed)
    if given.error and "content" not in given.extra:
        given = replace(given, extra={**given.extra, "content": ""})
    return given


def to_usage(given: Tokens | None) -> Usage | None:
    """Return the usage of a reply."""
    if given is None or isinstance(given, Usage):
        return given
    _check_members(given, {"input", "output", "cache_read", "cache_write"}, "usage")
    return Usage(**given)
