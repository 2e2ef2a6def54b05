"""Files made from other formats follow the Message Type Specification."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace

from talktree.conversion.fit import fit_message
from talktree.formats import get_format
from talktree.formats.format import ConversationInfo, Record
from talktree.model.entries import Entry
from talktree.model.message import Context, Message
from talktree.model.parts import Event, Part, Text, Thinking, ToolCall, ToolResult, UnknownPart
from talktree.testing import strategies
from talktree.text.json.value import Token
from tests.conversion.claude_messages_reader import faults
from tests.conversion.foreign import (
    every_sample,
    files_of,
    one,
    random_talks,
    sample,
    talk_of,
    with_and_without_carry,
)

CLAUDE_MESSAGES = get_format("claude-messages")
ABOUT = ConversationInfo(id="talk", session="3f1c1c3e-7a55-4d0c-9d6e-0a5d6f0b7c11")


def line(*parts: Part, role: str = "assistant", **more: Any) -> dict[str, Any]:
    """Return the line that a message becomes, without the members of all lines."""
    ((_, data),) = one(Message(id="a", role=role, parts=parts, **more), "claude-messages").items()
    assert faults(data) == []
    made: dict[str, Any] = json.loads(data)
    for key in ("uuid", "timestamp", "sessionId"):
        del made[key]
    return made


@every_sample("claude-messages")
@with_and_without_carry
def test_every_sample_becomes_a_documented_file(slug: str, path: Path, *, carry: bool) -> None:
    for data in files_of(sample(slug, path), "claude-messages", carry=carry).values():
        assert faults(data) == []


@given(listed=random_talks)
def test_any_conversation_becomes_a_documented_file(listed: Sequence[Entry]) -> None:
    for carry in (True, False):
        for data in files_of(talk_of(listed), "claude-messages", carry=carry).values():
            assert faults(data) == []


@given(message=strategies.messages)
def test_a_message_imported_is_read_as_it_was_made(message: Message) -> None:
    draft = fit_message(message, CLAUDE_MESSAGES, extra=False).message
    made = CLAUDE_MESSAGES.adopt(replace(draft, id="x"), ABOUT, moment=1)
    seen = CLAUDE_MESSAGES.get(Record(CLAUDE_MESSAGES.put(made, None), parent=made.parent))
    assert seen == made
    assert CLAUDE_MESSAGES.adopt(made, ABOUT, moment=2) == made


@pytest.mark.parametrize(
    ("parts", "role", "expected"),
    [
        ((Text("Hi."),), "assistant", {"subtype": "response", "message": "Hi."}),
        ((Text("One."), Text("Two.")), "user", {"message": "One.\n\nTwo."}),
        ((), "user", {"message": ""}),
        ((Thinking("Why?", "c2ln"),), "assistant", {"subtype": "thinking", "message": "Why?"}),
        (
            (ToolCall("Read", {"path": "a"}, "call-1"),),
            "assistant",
            {"subtype": "tool_use", "toolName": "Read", "toolArguments": {"path": "a"}},
        ),
        (
            (ToolCall("Read", [1]), Text("Look:")),
            "assistant",
            {
                "subtype": "tool_use",
                "message": "Look:",
                "toolName": "Read",
                "toolArguments": {"input": [1]},
            },
        ),
        (
            (ToolCall("Read", {"rows": Token("NaN")}),),
            "assistant",
            {"subtype": "tool_use", "toolName": "Read", "toolArguments": {"input": '{"rows":NaN}'}},
        ),
        (
            (ToolResult((Text("no file"), UnknownPart("ref", {"n": 1})), "call-1", error=True),),
            "user",
            {
                "type": "system",
                "subtype": "tool_result",
                "message": 'no file\n\n{"n":1}',
                "isError": True,
            },
        ),
        ((Event("command", "/clear"),), "assistant", {"subtype": "command", "message": "/clear"}),
        (
            (Event("command", "<command-name>…", {"name": "/review", "args": "src"}),),
            "user",
            {"message": "/review src"},
        ),
        (
            (Event("compacted", "Conversation compacted", {"trigger": "auto"}),),
            "system",
            {
                "type": "compact_system",
                "message": "conversation_compacted",
                "metadata": {"trigger": "auto"},
            },
        ),
        (
            (Event("restoring"),),
            "system",
            {"type": "compact_system", "message": "conversation_restoring"},
        ),
    ],
)
def test_each_kind_has_its_documented_form(
    parts: tuple[Part, ...], role: str, expected: dict[str, Any]
) -> None:
    assert line(*parts, role=role) == {"type": role, **expected}


@pytest.mark.parametrize("kind", ["turn_duration", "summary", "local_command", "microcompacted"])
def test_other_events_are_words_and_no_operations(kind: str) -> None:
    made = line(Event(kind, "Took a minute."), role="system")
    assert made["type"] == "system"
    assert "Took a minute." in made["message"]


def test_several_calls_or_results_are_an_object() -> None:
    calls = line(ToolCall("Read", {}, "call-1"), ToolCall("Glob", {}))
    assert [block["name"] for block in calls["message"]["content"]] == ["Read", "Glob"]
    assert calls["message"]["content"][0]["id"] == "call-1"
    results = line(ToolResult((Text("a"),), "call-1"), ToolResult((Text("b"),)), role="tool")
    assert results["type"] == "user"
    assert [block["content"] for block in results["message"]["content"]] == ["a", "b"]


def test_errors_and_metadata_have_their_subtype_and_flag() -> None:
    failed = line(Text("Overloaded"), flags=frozenset({"error", "aborted"}))
    assert failed == {
        "type": "assistant",
        "subtype": "error",
        "message": "Overloaded",
        "isError": True,
        "isAborted": True,
    }
    noted = line(Text("restored"), role="system", flags=frozenset({"meta"}))
    assert (noted["subtype"], noted["isMeta"]) == ("meta", True)


def test_external_marks_claude_as_the_user_and_no_one_else() -> None:
    everywhere = Context(cwd="/home/ida", user_type="external")
    human = line(Text("Hi."), role="user", context=everywhere)
    assert human == {"type": "user", "message": "Hi.", "cwd": "/home/ida"}
    claude = line(Text("Count."), role="user", flags=frozenset({"sidechain"}))
    assert (claude["isSidechain"], claude["userType"]) == (True, "external")


def test_times_are_filled_in_from_the_message_before() -> None:
    first = Message(id="a", role="user", parts=(Text("Hi."),), time_ns=1_700_000_000_000_000_000)
    talk = talk_of([first, Message(id="b", parent="a", role="assistant", parts=(Text("Yes?"),))])
    ((_, data),) = files_of(talk, "claude-messages", carry=False).items()
    asked, answered = (json.loads(raw)["timestamp"] for raw in data.splitlines())
    assert asked == "2023-11-14T22:13:20Z"
    assert answered.startswith("2023-11-14T22:13:20")
