"""Quirks of the documented Claude message types, and the document's own examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from talktree import api
from talktree.files import Source
from talktree.model.message import Message
from talktree.model.parts import Event, Text, Thinking, ToolCall, ToolResult

DATA = Path(__file__).parent.parent / "data" / "claude-messages" / "good"

EXAMPLES = {
    "human": b"""{
  "type": "user",
  "uuid": "msg-001",
  "parentUuid": "msg-000",
  "timestamp": "2025-01-27T10:00:00Z",
  "sessionId": "session-123",
  "message": "Please help me write a Python script"
}
""",
    "tool": b"""{
  "type": "assistant",
  "uuid": "msg-004",
  "parentUuid": "msg-003",
  "timestamp": "2025-01-27T10:00:15Z",
  "sessionId": "session-123",
  "subtype": "tool_use",
  "toolName": "Write",
  "toolArguments": {
    "file_path": "/path/to/script.py",
    "content": "#!/usr/bin/env python3\\n..."
  }
}
""",
    "compaction": b"""// Start
{
  "type": "compact_system",
  "uuid": "msg-009",
  "parentUuid": "msg-008",
  "timestamp": "2025-01-27T10:00:40Z",
  "sessionId": "session-123",
  "message": "conversation_compacting"
}

// Complete
{
  "type": "compact_system",
  "uuid": "msg-010",
  "parentUuid": "msg-009",
  "timestamp": "2025-01-27T10:00:45Z",
  "sessionId": "session-123",
  "message": "conversation_compacted",
  "metadata": {
    "preservedMessages": 15,
    "totalMessages": 150,
    "compressionRatio": 0.1
  }
}
""",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_the_document_read_and_write_as_given(name: str) -> None:
    source = Source.of_bytes(EXAMPLES[name], name="example.json")
    assert api.detect(source).format.info.slug == "claude-messages"
    document = api.read(source)
    assert api.to_bytes(document) == {"example.json": EXAMPLES[name]}
    assert all(isinstance(entry, Message) for entry in document.conversation.entries)


def test_compaction_is_two_events_and_comments_are_reported() -> None:
    document = api.read(Source.of_bytes(EXAMPLES["compaction"], name="example.json"))
    events = [part for each in document.conversation.messages() for part in each.parts]
    assert [event.kind for event in events if isinstance(event, Event)] == [
        "compacting",
        "compacted",
    ]
    assert {"SYN106", "SYN209"} <= {each.code for each in document.findings}


def test_every_subtype_has_its_part() -> None:
    conversation = api.read(DATA / "tools-and-branches.jsonl").conversation
    kinds = {type(part) for message in conversation.messages() for part in message.parts}
    assert kinds == {Text, Thinking, ToolCall, ToolResult, Event}


def test_results_beside_the_chain_stay_on_its_line() -> None:
    conversation = api.read(DATA / "tools-and-branches.jsonl").conversation
    assert [message.id for message in conversation.path()][:8] == [
        "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m10",
    ]  # fmt: skip
    assert [(each.kind, each.fork) for each in conversation.branches()] == [
        ("active", None),
        ("sidechain", "m7"),
        ("fork", "m10"),
    ]


def test_api_objects_in_the_same_file_are_read() -> None:
    conversation = api.read(DATA / "both-dialects-in-one-file.jsonl").conversation
    assert conversation["b"].text == "an object"
    assert isinstance(conversation["c"].parts[0], ToolResult)
    assert conversation["f"].flags == {"deleted", "aborted"}


def test_a_file_of_both_dialects_is_recognised_however_it_is_cut() -> None:
    raw = (DATA / "both-dialects-in-one-file.jsonl").read_bytes()
    for length in range(raw.index(b"\n"), len(raw)):
        found = api.detect(Source.of_bytes(raw[:length], name="s.jsonl"))
        assert found.format.info.slug == "claude-messages", length


def test_one_plain_message_does_not_make_a_session_of_claude_code_another_format() -> None:
    plain, said = (DATA / "both-dialects-in-one-file.jsonl").read_bytes().splitlines(True)[:2]
    found = api.detect(Source.of_bytes(said * 9 + plain, name="s.jsonl"))
    assert found.format.info.slug == "claude-code"
