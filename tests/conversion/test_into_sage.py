"""Every conversion to Sage's format is accepted by a strict reader of its document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree.conversion.fit import fit_message
from talktree.conversion.losses import LossReport
from talktree.formats import get_format
from talktree.formats.format import ConversationInfo, Record
from talktree.model.entries import Entry, FileState, Head, Snapshot
from talktree.model.message import Context, Message, ThinkingSetting, Todo, Usage
from talktree.model.parts import Attachment, Part, Text, Thinking, ToolCall, ToolResult
from talktree.testing.strategies import messages, uuids
from talktree.text.json.value import Json, Token
from tests.conversion import sage_reader as reader
from tests.conversion.foreign import (
    again,
    details,
    every_sample,
    files_of,
    random_talks,
    sample,
    talk_of,
    with_and_without_carry,
)
from tests.talk import at, call, reply, result, said

SAGE = get_format("sage")
ABOUT = ConversationInfo(id="talk", session="6f1a8b34-52c7-4a7e-9f0d-3b7c5a2e9d10")
HALF = "\ud83c"


@every_sample("sage")
@with_and_without_carry
def test_every_sample_becomes_sessions_a_strict_reader_takes(
    slug: str, path: Path, *, carry: bool
) -> None:
    document = sample(slug, path)
    files = files_of(document, "sage", carry=carry)
    assert len(reader.sessions(files)) == max(1, len(document.conversations))
    assert [each for each in again(files, "sage").findings if each.severity == "error"] == []


@given(listed=random_talks, carry=st.booleans())
def test_any_conversation_becomes_a_session_a_strict_reader_takes(
    listed: Sequence[Entry], *, carry: bool
) -> None:
    reader.sessions(files_of(talk_of(listed), "sage", carry=carry))


@given(message=messages, id=uuids)
def test_adopted_entries_are_read_back_unchanged(message: Message, id: str) -> None:
    draft = fit_message(message, SAGE, extra=False).message
    made = SAGE.adopt(replace(draft, id=id, parent=None), ABOUT, moment=at(0))
    seen = SAGE.get(Record(SAGE.put(made, None)))
    assert seen == made
    assert SAGE.adopt(made, ABOUT, moment=at(5)) == made


def session(*listed: Entry, loss_report: LossReport | None = None) -> reader.Session:
    """Return a conversation as the session that a strict reader sees."""
    files = files_of(talk_of(listed), "sage", carry=False, loss_report=loss_report)
    (found,) = reader.sessions(files)
    return found


# messages


def test_the_same_conversation_gives_the_same_bytes() -> None:
    document = talk_of([said("a"), reply("b", "a")])
    assert files_of(document, "sage") == files_of(document, "sage")


def test_missing_times_are_those_of_the_message_before() -> None:
    found = session(said("a", time_ns=at(3)), reply("b", "a"), said("c", "b", time_ns=at(9)))
    first, second, third = (message.timestamp for message in found.messages)
    assert first == second < third
    assert (found.metadata.created_at, found.metadata.updated_at) == (first, third)


def test_a_conversation_without_any_time_is_of_1970() -> None:
    found = session(said("a"))
    assert found.messages[0].timestamp.year == found.metadata.created_at.year == 1970


def test_a_message_without_context_was_written_where_the_others_were() -> None:
    there = Context(cwd="/home/mira", platform="linux", git_branch="tides", version="2.1")
    first, second = session(said("a", context=there), reply("b", "a")).messages
    assert (first.context.git_branch, second.context.git_branch) == ("tides", None)
    assert second.context.cwd == "/home/mira"
    assert (second.context.platform, second.version) == ("linux", "2.1")


def test_a_sidechain_and_an_error_are_written_as_sage_does() -> None:
    first, second = session(
        said("a", flags=frozenset({"sidechain"})), reply("b", "a", flags=frozenset({"error"}))
    ).messages
    assert (first.type, first.is_sidechain) == ("user", True)
    assert (second.type, second.message.role, second.is_sidechain) == ("error", "assistant", False)


def test_words_are_one_text_and_other_parts_are_shown_in_it() -> None:
    parts = (Thinking("hm"), Text("one"), Attachment("a.png"), Text("two"))
    loss_report = LossReport()
    (found,) = session(reply("a", parts=parts), loss_report=loss_report).messages
    words = found.message.content
    assert words.index("> hm") < words.index("one") < words.index("[Attachment: a.png]")
    assert words.endswith("two")
    assert {"thinking", "attachment", "text"} <= details(loss_report)


@pytest.mark.parametrize(
    ("level", "expected"),
    [("high", "high"), ("HIGH", "high"), ("max", "high"), ("adaptive", "medium"), (None, "medium")],
)
def test_levels_of_thinking_are_the_four_the_document_knows(
    level: str | None, expected: str
) -> None:
    loss_report = LossReport()
    (found,) = session(
        said("a", thinking=ThinkingSetting(level=level)), loss_report=loss_report
    ).messages
    assert found.thinking_metadata is not None
    assert found.thinking_metadata.level == expected
    assert ("thinking_setting" in details(loss_report)) == (level != expected)


def test_states_of_tasks_are_the_three_sage_knows() -> None:
    todos = tuple(Todo("x", state) for state in ("completed", "done", "active", "deferred"))
    (found,) = session(reply("a", todos=todos)).messages
    states = [todo.status for todo in found.todos]
    assert states == ["completed", "completed", "in_progress", "pending"]


def test_invalid_counts_are_left_out() -> None:
    first, second = session(
        reply("a", usage=Usage(1, 2, 3, 4)), reply("b", "a", usage=Usage(-1, 2))
    ).messages
    assert first.usage == reader.TokenUsage(1, 2, 3, 4)
    assert second.usage is None


# tools


def test_tool_results_load_as_the_example_and_as_the_struct() -> None:
    found = session(
        call("a", None, ToolCall("bash", {"command": "ls"}, "c1"), ToolCall("wait")),
        result("b", "a", ToolResult((Text("a.txt"),), "c1", "bash")),
    )
    asked, answered = found.messages
    assert asked.message.content == ""
    assert asked.message.calls == [
        reader.ToolCall("c1", "bash", {"command": "ls"}),
        reader.ToolCall("", "wait", {}),
    ]
    assert (answered.type, answered.message.content) == ("tool_result", "")
    assert found.results[answered.uuid] == [reader.ToolResult("c1", "bash", "a.txt", success=True)]


def test_results_the_user_hands_in_are_tool_results_here() -> None:
    parts: tuple[Part, ...] = (ToolResult((Text("1"),), "c1"), Text("and now?"))
    found = session(said("a", parts=parts))
    (line,) = found.messages
    assert (line.type, line.message.role, line.message.content) == (
        "tool_result",
        "tool",
        "and now?",
    )
    assert [each.content for each in found.results[line.uuid]] == ["1"]


def test_a_failure_is_reported_in_error() -> None:
    parts = (ToolResult((Text("no such file"),), "c1", "cat", error=True),)
    found = session(said("a", role="tool", parts=parts, flags=frozenset({"error"})))
    ((failed,),) = found.results.values()
    assert (failed.success, failed.content, failed.error) == (False, "", "no such file")


def test_a_result_without_words_has_empty_ones() -> None:
    loss_report = LossReport()
    parts = (ToolResult((Attachment("shot.png"),), "c1"), ToolResult((), "c2"))
    found = session(said("a", parts=parts), loss_report=loss_report)
    assert [each.content for each in next(iter(found.results.values()))] == ["", ""]
    assert "tool_result" in details(loss_report)


# JSON that strict readers refuse


def _deep(levels: int) -> Json:
    value: Json = "core"
    for _ in range(levels):
        value = {"in": [value]}
    return value


@pytest.mark.parametrize(
    "input",
    [{HALF: [HALF]}, {"a": Token("NaN"), "b": [Token("1e999")]}, {"a": _deep(90)}, HALF, [1, "x"]],
    ids=["half", "token", "deep", "text", "list"],
)
def test_inputs_are_such_as_every_reader_takes(input: Json) -> None:
    (found,) = session(call("a", None, ToolCall("t", input, "c"))).messages
    assert len(found.message.calls) == 1


def test_halves_of_characters_are_replaced_and_pairs_are_joined() -> None:
    loss_report = LossReport()
    found = session(
        said("a", text=f"x{HALF}y"), reply("b", "a", "\ud83c\udf0a"), loss_report=loss_report
    )
    assert [message.message.content for message in found.messages] == ["x\ufffdy", "\U0001f30a"]
    assert "text" in details(loss_report)


# sessions and snapshots


def test_a_title_is_in_the_one_metadata() -> None:
    heads = [Head(id="g", kind="summary", title="Harbour"), Head(id="h", title="Tides")]
    found = session(said("a"), *heads)
    assert found.metadata.custom_title == "Tides"
    assert found.metadata.message_count == 1


def test_snapshots_get_a_file_and_name_their_message_anew() -> None:
    files = {
        "new.py": FileState(absent_before=True),
        "kept.py": FileState(backup="b1@v2", version=2),
        "old.py": FileState(state="modified", hash="ff", size=3, hash_before="aa"),
        "who.py": FileState(),
    }
    loss_report = LossReport()
    snapshot = Snapshot(message="a", files=files, update=True)
    found = session(said("a", time_ns=at(1)), snapshot, loss_report=loss_report)
    (line,) = found.snapshots
    assert line.message_id == found.messages[0].uuid
    assert line.timestamp == found.messages[0].timestamp
    assert line.is_snapshot_update
    assert line.snapshot.tracked == {
        "new.py": reader.TrackedFile(0, "created"),
        "old.py": reader.TrackedFile(3, "modified", hash="ff"),
    }
    assert line.snapshot.backups == {"kept.py": reader.FileBackup("b1@v2")}
    assert "snapshot" in details(loss_report)


def test_a_snapshot_of_no_message_is_left_out() -> None:
    loss_report = LossReport()
    assert session(said("a"), Snapshot(time_ns=at(1)), loss_report=loss_report).snapshots == []
    assert "snapshot" in details(loss_report)
