"""Quirks of the files Claude Code writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from talktree import api
from talktree.files import Source
from talktree.model import edit
from talktree.model.conversation import Conversation
from talktree.model.entries import Head, Opaque, Snapshot
from talktree.model.message import Message, Usage
from talktree.model.outline import sum_tokens
from talktree.model.parts import Attachment, Event, Text, Thinking, ToolCall, ToolResult

DATA = Path(__file__).parent.parent / "data" / "claude-code"


def session(*lines: dict[str, object]) -> Conversation:
    """Return a session of these lines, with the required members filled in."""
    rows = [
        {"isSidechain": False, "sessionId": "s", "timestamp": f"2026-01-01T00:00:{n:02d}.000Z"}
        | line
        for n, line in enumerate(lines)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    source = Source.of_bytes(text.encode(), name="s.jsonl")
    return api.read(source, format="claude-code").conversation


def prompt(id: str, parent: str | None, text: str = "go", **more: object) -> dict[str, object]:
    return {
        "type": "user",
        "uuid": id,
        "parentUuid": parent,
        "message": {"role": "user", "content": text},
        **more,
    }


def reply(
    id: str, parent: str | None, api_id: str, *blocks: object, **more: object
) -> dict[str, object]:
    content = list(blocks) or [{"type": "text", "text": "ok"}]
    message = {
        "id": api_id,
        "role": "assistant",
        "model": "m",
        "content": content,
        "usage": {"input_tokens": 3, "output_tokens": 5},
    }
    return {"type": "assistant", "uuid": id, "parentUuid": parent, "message": message, **more}


def call(id: str, name: str = "Bash", **input: object) -> dict[str, object]:
    return {"type": "tool_use", "id": id, "name": name, "input": input}


def result(id: str, parent: str, call_id: str, **more: object) -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": "out"}
    return {
        "type": "user",
        "uuid": id,
        "parentUuid": parent,
        "message": {"role": "user", "content": [block]},
        **more,
    }


def one_session() -> Conversation:
    return api.read(DATA / "good" / "one-session.jsonl").conversation


def ids(messages: list[Message]) -> list[str]:
    return [message.id for message in messages]


def test_blocks_become_parts() -> None:
    parts = [part for message in one_session().messages() for part in message.parts]
    kinds = {type(part) for part in parts}
    assert {Text, Thinking, ToolCall, ToolResult, Event, Attachment} <= kinds


def test_structured_result_goes_with_its_block() -> None:
    results = [
        part
        for each in one_session().messages()
        for part in each.parts
        if isinstance(part, ToolResult)
    ]
    assert next(each.call for each in results if isinstance(each.detail, dict)) == "toolu_01"
    assert any(isinstance(each.detail, str) for each in results)
    assert [each.call for each in results if each.error] == ["toolu_05"]


def test_titles_snapshots_and_unknown_records_are_entries() -> None:
    entries = list(one_session().entries)
    assert [each.kind for each in entries if isinstance(each, Opaque)] == [
        "queue-operation",
        "hologram-state",
    ]
    heads = [each for each in entries if isinstance(each, Head)]
    assert heads[-1].title == "Todo app gets a done command and due dates"
    snapshot = [each for each in entries if isinstance(each, Snapshot)][1]
    assert snapshot.update
    assert snapshot.files["notes.md"].absent_before
    assert snapshot.files["todo.py"].backup == "0a1b2c3d4e5f6071@v1"
    assert one_session().title == "Todo app: done and due dates"


def test_slash_commands_and_summaries_are_events() -> None:
    events = [
        (part.kind, part.data)
        for each in one_session().messages()
        for part in each.parts
        if isinstance(part, Event)
    ]
    assert ("compacted", {"trigger": "manual", "preTokens": 15200}) in events
    assert ("summary", None) in events
    assert ("command", {"name": "/compact", "message": "compact", "args": ""}) in events
    assert ("command_output", None) in events


def test_a_summary_may_are_in_a_block() -> None:
    block = [{"type": "text", "text": "What was said before."}]
    line = {**prompt("s", None), "message": {"role": "user", "content": block}}
    assert session({**line, "isCompactSummary": True})["s"].parts == (
        Event("summary", "What was said before."),
    )
    assert session({**line, "isCompactSummary": False})["s"].text == "What was said before."


def test_rewind_is_a_fork_and_recording_artefacts_are_not() -> None:
    conversation = one_session()
    kinds = [branch.kind for branch in conversation.branches()]
    assert sorted(kinds) == ["active", "fork", "sidechain"]
    fork = next(branch for branch in conversation.branches() if branch.kind == "fork")
    assert fork.messages == 2


def test_parallel_results_are_on_the_path_though_the_chain_passes_them_by() -> None:
    conversation = session(
        prompt("u", None),
        reply("a1", "u", "m1", call("t1")),
        reply("a2", "a1", "m1", call("t2")),
        result("r1", "a1", "t1", toolUseResult="x"),
        result("r2", "a2", "t2"),
        reply("a3", "r2", "m2"),
    )
    assert ids(conversation.path()) == ["u", "a1", "a2", "r1", "r2", "a3"]
    assert [branch.kind for branch in conversation.branches()] == ["active"]


def test_failed_requests_and_progress_lines_are_not_branches() -> None:
    conversation = session(
        prompt("u", None),
        reply("e1", "u", "x1", isApiErrorMessage=True),
        reply("e2", "u", "x2", isApiErrorMessage=True),
        {"type": "progress", "uuid": "p", "parentUuid": "u", "data": {"type": "hook_progress"}},
        reply("a", "u", "m1"),
    )
    assert [branch.leaf for branch in conversation.branches()] == ["a"]


def test_replay_after_compaction_is_followed_once() -> None:
    stamp = "2026-01-01T00:01:00.000Z"
    conversation = session(
        prompt("u", None),
        reply("a", "u", "m1"),
        prompt("v", "a", "again", timestamp=stamp),
        prompt("v2", "a", "again", timestamp=stamp),
        reply("b", "v2", "m2"),
    )
    assert [branch.leaf for branch in conversation.branches()] == ["b"]


def test_edited_prompt_is_a_fork() -> None:
    conversation = session(
        prompt("u", None),
        reply("a", "u", "m1"),
        prompt("v", "a"),
        reply("b", "v", "m2"),
        prompt("w", "a"),
        reply("c", "w", "m3"),
    )
    assert [(each.leaf, each.fork, each.kind) for each in conversation.branches()] == [
        ("c", None, "active"),
        ("b", "a", "fork"),
    ]
    assert ids(conversation.path("b")) == ["u", "a", "v", "b"]


def test_compaction_continues_the_line_it_compacted() -> None:
    conversation = one_session()
    path = conversation.path()
    assert path[0].text.startswith("Add a `done` command")
    assert conversation.tree.roots == [1]
    boundary = next(each for each in path if each.follows)
    assert boundary.parent is None


@pytest.mark.parametrize(
    ("file", "calls"),
    [("one-session.jsonl", ["toolu_04"]), ("project", ["toolu_11", "toolu_21"])],
)
def test_sub_agents_are_children_of_the_call_that_spawned_them(file: str, calls: list[str]) -> None:
    found = []
    for conversation in api.read(DATA / "good" / file).conversations:
        assert conversation.branches()
        found += list(conversation.skeleton.spawned.values())
    assert sorted(found) == calls


def test_project_folder_is_one_conversation_a_session() -> None:
    document = api.read(DATA / "good" / "project")
    assert [len(list(each.messages())) for each in document.conversations] == [6, 6]
    assert document.findings == []


def test_usage_counts_each_api_message_once() -> None:
    lines = [
        prompt("u", None),
        reply("a1", "u", "m1"),
        reply("a2", "a1", "m1"),
        reply("a3", "a2", "m2"),
    ]
    conversation = session(*lines)
    assert Usage(3, 5) in [message.usage for message in conversation.messages()]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    counted = sum_tokens(api.skim(Source.of_bytes(text.encode(), name="s.jsonl")))
    assert [(usage.output, model) for usage, model in counted.values()] == [(5, "m"), (5, "m")]


def test_web_export_is_one_line_of_messages() -> None:
    conversation = api.read(DATA / "good" / "web-export.json").conversation
    assert [message.role for message in conversation.path()] == [
        "user",
        "assistant",
        "user",
        "user",
    ]
    assert len(conversation.branches()) == 1


def test_plain_text_messages_and_odd_members_are_kept() -> None:
    document = api.read(DATA / "bad" / "spliced-fused-cyclic.jsonl")
    conversation = document.conversation
    odd = next(each for each in conversation.messages() if each.text == "error")
    assert odd.role == "user"
    codes = {each.code for each in document.findings}
    assert {"SYN101", "SYN102", "SYN103", "SYN104", "IDS102", "TRE101", "TRE102"} <= codes
    wrong = next(each for each in conversation.messages() if "cwd" in each.extra)
    assert wrong.extra["isSidechain"] == "yes"


def test_edit_leaves_every_other_line_alone() -> None:
    document = api.read(DATA / "good" / "one-session.jsonl")
    before = (DATA / "good" / "one-session.jsonl").read_bytes().splitlines()
    target = next(
        each for each in document.conversation.messages() if each.text == "Now add colours"
    )
    changed = edit.set_text(document.conversation, target.id, "Now add sounds")
    after = api.to_bytes(document.with_conversation(changed))["one-session.jsonl"].splitlines()
    differing = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert len(differing) == 1
    assert differing[0][1] == differing[0][0].replace(b"colours", b"sounds")


def test_new_reply_is_a_line_of_the_same_make() -> None:
    document = api.read(DATA / "good" / "one-session.jsonl")
    leaf = document.conversation.path()[-1]
    added = Message(
        id="11111111-0000-4000-8000-000000000000",
        parent=leaf.id,
        role="user",
        parts=(Text("thanks"),),
    )
    changed = edit.append(document.conversation, added)
    last = api.to_bytes(document.with_conversation(changed))["one-session.jsonl"].splitlines()[-1]
    assert json.loads(last) == {
        "parentUuid": leaf.id,
        "isSidechain": False,
        "type": "user",
        "message": {"role": "user", "content": "thanks"},
        "uuid": added.id,
    }


def note(**more: object) -> dict[str, object]:
    return {"type": "system", "uuid": "s", "parentUuid": None, **more}


def test_informational_lines_are_words_and_other_system_lines_events() -> None:
    said = session(note(subtype="informational", content="Hi.", level="info"))["s"]
    assert said.parts == (Text("Hi."),)
    assert said.extra == {"subtype": "informational", "level": "info"}
    happened = session(note(subtype="away_summary", content="Hi."))["s"]
    assert happened.parts == (Event("away_summary", "Hi."),)


def test_words_that_look_like_a_command_are_written_as_a_block() -> None:
    document = api.read(DATA / "good" / "one-session.jsonl")
    leaf = document.conversation.path()[-1]
    text = "<command-name>/clear</command-name>"
    added = Message(id="1", parent=leaf.id, role="user", parts=(Text(text),))
    changed = document.with_conversation(edit.append(document.conversation, added))
    last = api.to_bytes(changed)["one-session.jsonl"].splitlines()[-1]
    assert json.loads(last)["message"]["content"] == [{"type": "text", "text": text}]
