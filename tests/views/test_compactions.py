"""Compaction and restoration in all views: terminal, Python API and studio."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import talktree
from talktree.session import Session, Store
from tests.documents.command_line import command
from tests.session_lines import ask, boundary, say, summary, uid, write
from tests.web.running import running

HEAD = '"timestamp":"2025-01-27T10:00:0{}Z","sessionId":"session-123"'
NUMBERS = '"metadata":{"preservedMessages":15,"totalMessages":150,"compressionRatio":0.1}'


def line(number: int, type: str, said: str, more: str = "") -> str:
    parent = f'"parentUuid":"m{number - 1}",' if number else ""
    head = HEAD.format(number)
    return f'{{"type":"{type}","uuid":"m{number}",{parent}{head},"message":"{said}"{more}}}\n'


LINES = [
    line(0, "user", "Please help me write a Python script"),
    line(1, "assistant", "I'll help you create a Python script."),
    line(2, "user", "/compact"),
    line(3, "compact_system", "conversation_compacting"),
    line(4, "compact_system", "conversation_compacted", f",{NUMBERS}"),
    line(5, "assistant", "Compacted."),
    line(6, "user", "I need all of it"),
    line(7, "compact_system", "conversation_restoring"),
    line(8, "compact_system", "conversation_restored", f",{NUMBERS}"),
    line(9, "assistant", "It is back."),
]
"""The document's compaction flow, and a restoration after it."""


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_text("".join(LINES))
    return path


def texts(found: list[talktree.Message]) -> list[str]:
    return [message.text for message in found]


# the context of a model


def test_the_context_begins_after_a_compaction_and_is_complete_after_a_restoration(
    session: Path,
) -> None:
    conversation = talktree.read(session).conversation
    said = [
        "Please help me write a Python script", "I'll help you create a Python script.", "/compact",
        "Compacted.", "I need all of it", "It is back.",
    ]  # fmt: skip
    assert texts(conversation.context_messages("m3")) == said[:3]
    assert texts(conversation.context_messages("m5")) == ["Compacted."]
    assert texts(conversation.context_messages("m7")) == ["Compacted.", "I need all of it"]
    assert texts(conversation.context_messages()) == said


def test_a_deleted_message_is_not_sent(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(LINES[0] + LINES[1].replace("}\n", ',"isDeleted":true}\n'))
    assert [each.id for each in talktree.read(path).conversation.context_messages()] == ["m0"]


def test_a_session_of_claude_code_is_sent_the_summary_then_what_was_kept(tmp_path: Path) -> None:
    lines = [ask(1, None, "One?"), say(2, 1, "One."), ask(3, 2, "Two?"), say(4, 3, "Two.")]
    lines += [boundary(5, 4, first_kept=3), summary(6, 5), ask(7, 6, "Three?"), say(8, 7, "Three.")]
    conversation = talktree.read(write(lines, tmp_path)).conversation
    sent = [each.id for each in conversation.context_messages()]
    assert sent == [uid(number) for number in (6, 3, 4, 7, 8)]
    everything = [each.id for each in conversation.context_messages(uid(4))]
    assert everything == [uid(number) for number in (1, 2, 3, 4)]


def test_a_recorded_session_and_its_file_agree(tmp_path: Path) -> None:
    with Store(tmp_path / "store").create(workspace=tmp_path) as recorded:
        recorded.user("One?")
        recorded.assistant("One.")
        recorded.record_compaction_start()
        recorded.record_compaction("Said one.", tokens_before=900, tokens_after=90)
        recorded.user("Two?")
        _agree(recorded)
        recorded.record_restoration_start()
        recorded.record_restoration()
        _agree(recorded)
        folder = recorded.opened.folder.path
    reported = command("tree", str(folder)).out
    assert "compacting: 2 messages, trigger manual" in reported
    assert "compacted: 2 → 1 message, 900 → 90 tokens, ratio 0.1" in reported
    assert "restored: 2 → 4 messages" in reported


def _agree(recorded: Session) -> None:
    conversation = talktree.read(recorded.opened.folder.path).conversation
    sent = [each.id for each in conversation.context_messages()]
    assert sent == [each.id for each in recorded.context_messages()]


# the command line


def test_the_tree_and_the_transcript_name_what_happened_with_its_numbers(session: Path) -> None:
    tree, shown = command("tree", str(session)).out, command("show", str(session)).out
    compacted = "compacted: 150 → 15 messages, ratio 0.1"
    restored = "restored: 15 → 150 messages, ratio 0.1"
    for text in ("compacting", compacted, "restoring", restored):
        assert f"System: {text}\n" in tree
        assert f"── {text} ─" in shown


def test_statistics_count_compactions_and_restorations(session: Path) -> None:
    reported = command("stats", str(session)).out
    assert (
        "compaction: 1 compacting, 1 compacted (150 → 15 messages, ratio 0.1), 1 restoring, "
        "1 restored (15 → 150 messages, ratio 0.1)"
    ) in reported
    shape = json.loads(command("stats", "--json", str(session)).out)
    assert (shape["totals"]["compactions"], shape["totals"]["restorations"]) == (1, 1)
    kinds = [each["kind"] for each in shape["compactions"]]
    assert kinds == ["compacting", "compacted", "restoring", "restored"]
    assert shape["compactions"][1] == {
        "kind": "compacted", "messages_before": 150, "messages_after": 15,
        "tokens_before": None, "tokens_after": None, "ratio": 0.1,
    }  # fmt: skip


def test_numbers_survive_a_conversion(session: Path, tmp_path: Path) -> None:
    for slug in ("native", "sage"):
        out = tmp_path / f"out-{slug}"
        assert command("convert", str(session), "-t", slug, "-o", str(out)).code == 0
        assert "compacted: 150 → 15 messages, ratio 0.1" in command("tree", str(out)).out, slug


# the studio


def test_the_studio_shows_them_in_the_feed_the_tree_and_the_usage(session: Path) -> None:
    with running([session]) as studio:
        rows = studio.get("/c/1/rows")["rows"]
        usage = studio.get("/c/1/usage")
        graph = studio.get("/c/1/graph")
        first = graph["segments"][0]
        nodes: list[dict[str, Any]] = studio.get("/c/1/run", first=first["first"])["nodes"]
    dividers = [row["blocks"][0] for row in rows if row["kind"] == "divider"]
    assert [(each["title"], each["detail"]) for each in dividers] == [
        ("Compacting", ""),
        ("Conversation compacted", "150 → 15 messages, ratio 0.1"),
        ("Restoring", ""),
        ("Conversation restored", "15 → 150 messages, ratio 0.1"),
    ]
    labels = {node["id"]: node["label"] for node in nodes}
    assert labels["m3"] == "compacting"
    assert labels["m4"] == "compacted: 150 → 15 messages, ratio 0.1"
    assert labels["m8"] == "restored: 15 → 150 messages, ratio 0.1"
    assert first["compactions"] == 1
    assert [(each["row"], each["kind"]) for each in usage["compactions"]] == [
        (3, "compacting"), (4, "compacted"), (7, "restoring"), (8, "restored"),
    ]  # fmt: skip
    assert usage["compactions"][1]["messages_before"] == 150
    assert usage["compactions"][1]["detail"] == "150 → 15 messages, ratio 0.1"
