"""Claude Code accepts and continues sessions that were made from other formats."""

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
from talktree.formats.claude_code.places import make_project_folder_name
from talktree.formats.format import ConversationInfo, Record
from talktree.model.entries import Entry, FileState, Head, Snapshot
from talktree.model.message import Context, Message, Todo
from talktree.model.parts import Attachment, Event, Part, Text, Thinking, ToolCall, ToolResult
from talktree.testing import strategies
from talktree.text.json.value import Token
from tests.conversion.claude_code_reader import faults, out_of_order
from tests.conversion.foreign import (
    every_sample,
    files_of,
    one,
    random_talks,
    sample,
    talk_of,
    with_and_without_carry,
)

CLAUDE_CODE = get_format("claude-code")
ABOUT = ConversationInfo(id="talk", session="3f1c1c3e-7a55-4d0c-9d6e-0a5d6f0b7c11")
PIXEL = "data:image/png;base64,iVBORw0KGgo="


def line(*parts: Part, role: str = "assistant", **more: Any) -> dict[str, Any]:
    """Return the line that a message becomes."""
    ((_, data),) = one(Message(id="a", role=role, parts=parts, **more), "claude-code").items()
    assert faults(data, pairs=False) == []
    made: dict[str, Any] = json.loads(data)
    return made


def content(*parts: Part, role: str = "assistant", **more: Any) -> Any:
    """Return the content of a message for the API."""
    return line(*parts, role=role, **more)["message"]["content"]


def lines_of(*listed: Entry, **more: Any) -> list[dict[str, Any]]:
    """Return the lines of a conversation, without embedded source data."""
    ((_, data),) = files_of(talk_of(listed, **more), "claude-code", carry=False).items()
    assert faults(data) == []
    return [json.loads(raw) for raw in data.splitlines()]


@every_sample("claude-code")
@with_and_without_carry
def test_every_sample_becomes_a_session(slug: str, path: Path, *, carry: bool) -> None:
    for file, data in files_of(sample(slug, path), "claude-code", carry=carry).items():
        assert faults(data) == [], file
        assert out_of_order(data) == [], file
        named = {json.loads(line).get("sessionId") for line in data.splitlines()}
        assert named <= {file.removesuffix(".jsonl"), None}


@given(listed=random_talks)
def test_any_conversation_becomes_a_session(listed: Sequence[Entry]) -> None:
    for carry in (True, False):
        for data in files_of(talk_of(listed), "claude-code", carry=carry).values():
            assert faults(data) == []


@given(message=strategies.messages)
def test_a_message_imported_is_read_as_it_was_made(message: Message) -> None:
    draft = fit_message(message, CLAUDE_CODE, extra=False).message
    made = CLAUDE_CODE.adopt(replace(draft, id="x"), ABOUT, moment=1)
    seen = CLAUDE_CODE.get(Record(CLAUDE_CODE.put(made, None), parent=made.parent))
    assert seen == made
    assert CLAUDE_CODE.adopt(made, ABOUT, moment=2) == made


# members of every line


def test_a_line_has_all_members_of_claude_codes_own() -> None:
    where = Context(cwd="/home/ida", git_branch="main", version="1.4.0", platform="linux")
    asked = Message(id="a", role="user", parts=(Text("Hi."),), time_ns=1_700_000_000_123_456_789)
    answered = Message(id="b", parent="a", role="assistant", parts=(Text("Yes?"),), context=where)
    first, second = lines_of(asked, answered)
    assert first == {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ida",
        "sessionId": first["sessionId"],
        "version": "1.4.0",
        "gitBranch": "main",
        "type": "user",
        "message": {"role": "user", "content": "Hi."},
        "uuid": second["parentUuid"],
        "timestamp": "2023-11-14T22:13:20.123Z",
    }
    assert first["timestamp"] <= second["timestamp"] <= "2023-11-14T22:13:20.999Z"
    assert second["message"] == {
        "model": "<synthetic>",
        "id": second["message"]["id"],
        "role": "assistant",
        "content": [{"type": "text", "text": "Yes?"}],
        "usage": dict.fromkeys(
            (
                "input_tokens",
                "output_tokens",
                "cache_read_input_tokens",
                "cache_creation_input_tokens",
            ),
            0,
        ),
        "type": "message",
        "stop_reason": "end_turn",
        "stop_sequence": None,
    }
    assert second["message"]["id"].startswith("msg_")


def test_the_same_conversation_gives_the_same_bytes() -> None:
    path = Path(__file__).parents[1] / "data/claude-messages/good/tools-and-branches.jsonl"
    made = [files_of(sample("claude-messages", path), "claude-code") for _ in range(2)]
    assert made[0] == made[1]


def test_unknown_fields_are_empty_and_invalid_versions_are_replaced() -> None:
    made = line(Text("Hi."), context=Context(version="next"))
    assert (made["cwd"], made["gitBranch"], made["version"]) == ("", "", "2.1.29")


def test_tasks_have_what_the_tool_demands_of_them() -> None:
    made = line(Text("x"), role="user", todos=(Todo("Dig", "doing"), Todo("Sow", "completed", "S")))
    assert made["todos"] == [
        {"content": "Dig", "status": "pending", "activeForm": "Dig"},
        {"content": "Sow", "status": "completed", "activeForm": "S"},
    ]


# blocks


def test_blank_texts_are_left_out_and_something_is_always_said() -> None:
    words = Text("words")
    assert content(Text(" \n"), words, Text("")) == [{"type": "text", "text": "words"}]
    assert content(Text(" "), role="user") == content(role="user") == "(no content)"


@pytest.mark.parametrize(
    ("signature", "model", "kind"),
    [
        ("c2ln", "claude-opus-4-1", "thinking"),
        (None, "claude-opus-4-1", "text"),
        ("c2ln", "gardener-1", "text"),
        ("c2ln", None, "text"),
    ],
)
def test_only_thoughts_the_api_signed_stay_thoughts(
    signature: str | None, model: str | None, kind: str
) -> None:
    (block,) = content(Thinking("Look first.", signature), model=model)
    assert block["type"] == kind
    assert "Look first." in block[kind]


def test_calls_are_given_objects_and_names_the_api_takes() -> None:
    odd = ToolCall("my tool!", {"rows": [Token("NaN"), "\ud83c"]}, "call 1")
    (block,) = content(odd)
    assert block["name"] == "my_tool_"
    assert block["input"] == {"input": '{"rows":[NaN,"\\ud83c"]}'}
    assert content(ToolCall("Read", [1], "c"))[0]["input"] == {"input": [1]}
    assert line(ToolCall("Read", None, "c"))["message"]["stop_reason"] == "tool_use"


def answered(calls: Sequence[Part], results: Sequence[Part], role: str = "tool") -> Any:
    """Return the lines of some calls and of their results."""
    return lines_of(
        Message(id="b", role="assistant", parts=tuple(calls)),
        Message(id="c", parent="b", role=role, parts=tuple(results)),
    )


def test_odd_ids_are_the_same_for_call_and_result() -> None:
    call, result = ToolCall("Read", {}, "call 1"), ToolResult((Text("x"),), "call 1")
    asked, brought = answered([call], [result])
    assert asked["message"]["content"][0]["id"].startswith("toolu_")
    assert brought["message"]["content"][0]["type"] == "tool_result"


def test_results_that_name_no_call_answer_their_ancestors_in_order() -> None:
    calls = (ToolCall("Read", {}), Text("and"), ToolCall("Glob", {}))
    asked, brought = answered(calls, (ToolResult((Text("one"),)), ToolResult((Text("two"),))))
    ids = [block["id"] for block in asked["message"]["content"] if block["type"] == "tool_use"]
    assert [block["tool_use_id"] for block in brought["message"]["content"]] == ids
    assert brought["type"] == "user"


def test_a_result_that_is_attached_to_nothing_is_reported_in_words() -> None:
    said = content(ToolResult((Text("3 files"),)), role="user")
    assert "3 files" in said


def test_results_come_first_and_are_in_lines_of_the_user() -> None:
    result = ToolResult((Text("x"), Text(" "), Attachment(None, "image/png", PIXEL)), "c")
    _, made = answered([ToolCall("Read", {}, "c")], [Text("Here:"), result], "system")
    assert made["type"] == "user"
    kinds = [block["type"] for block in made["message"]["content"]]
    assert kinds == ["tool_result", "text"]
    inside = made["message"]["content"][0]["content"]
    assert [block["type"] for block in inside] == ["text", "image"]


def test_a_call_answered_in_the_same_message_is_reported_with_its_result() -> None:
    blocks = content(ToolCall("Read", {"path": "a"}, "c"), ToolResult((Text("sand"),), "c"))
    assert [block["type"] for block in blocks] == ["text", "text"]
    assert "Read" in blocks[0]["text"]
    assert "sand" in blocks[1]["text"]


@pytest.mark.parametrize(
    ("media", "url", "kind"),
    [
        ("image/png", PIXEL, "image"),
        ("image/png", "https://example.org/bed.png", "image"),
        ("application/pdf", "data:application/pdf;base64,JVBERi0=", "document"),
        ("text/plain", "data:text/plain;base64,aGk=", "text"),
        ("image/png", "data:image/png;base64,???", "text"),
        ("image/png", "blob:https://example.org/1", "text"),
        ("image/png", None, "text"),
    ],
)
def test_only_files_the_api_takes_are_blocks(media: str, url: str | None, kind: str) -> None:
    made = content(Text("See:"), Attachment("bed", media, url), role="user")
    assert made[1]["type"] == kind
    assert kind != "text" or "bed" in made[1]["text"]


def test_halves_of_characters_are_replaced() -> None:
    assert content(Text("a\ud83cb"), role="user") == "a\ufffdb"


# system lines and commands


def test_system_words_are_an_informational_line() -> None:
    made = line(Text("You are kind."), Text(" "), role="system")
    assert (made["subtype"], made["level"]) == ("informational", "info")
    assert made["content"] == "You are kind."
    failed = line(Text("Overloaded"), role="system", flags=frozenset({"error"}))
    assert failed["level"] == "error"


def test_system_words_that_are_more_than_one_text_are_hidden_words_of_the_user() -> None:
    made = line(Text("Be kind."), Attachment("a", "image/png", PIXEL), role="system")
    assert (made["type"], made["isMeta"]) == ("user", True)
    assert [block["type"] for block in made["message"]["content"]] == ["text", "image"]


def test_a_boundary_is_one_only_where_the_line_goes_on_elsewhere() -> None:
    event = Event("compacted", data={"kept": 2})
    assert line(event, role="system")["subtype"] == "informational"
    asked = Message(id="a", role="user", parts=(Text("Hi."),))
    made = lines_of(asked, Message(id="b", role="system", parts=(event,), follows="a"))[1]
    assert made["subtype"] == "compact_boundary"
    assert made["compactMetadata"] == {"trigger": "manual", "preTokens": 0, "kept": 2}
    assert made["logicalParentUuid"] == made["parentUuid"]


def test_events_that_need_members_no_one_has_are_words() -> None:
    assert line(Event("api_error"), role="system")["subtype"] == "informational"


def test_slash_commands_get_their_tags() -> None:
    made = line(Event("command", "/review src"))
    assert made["type"] == "user"
    assert made["message"]["content"].startswith("<command-name>/review</command-name>")
    (block,) = content(Event("command", "not a command"))
    assert "not a command" in block["text"]


def test_words_that_look_like_a_command_stay_words() -> None:
    text = "<command-name>/clear</command-name>"
    assert content(Text(text), role="user") == [{"type": "text", "text": text}]


# data beside the messages


def asked_and_answered() -> list[Entry]:
    """Return two answers to one question, the second one written last."""
    return [
        Message(id="a", role="user", parts=(Text("Hi."),), time_ns=1),
        Message(id="b", parent="a", role="assistant", parts=(Text("Yes?"),), time_ns=2_000_000),
        Message(id="c", parent="a", role="assistant", parts=(Text("No!"),), time_ns=3_000_000),
    ]


def test_the_title_is_a_summary_of_the_active_leaf() -> None:
    *said, title = lines_of(*asked_and_answered(), Head(title="Greeting"))
    assert title == {"type": "summary", "summary": "Greeting", "leafUuid": said[2]["uuid"]}


def test_the_title_is_attached_to_a_message_that_is_written() -> None:
    nothing = Message(id="d", parent="c", role="gesture")
    *said, title = lines_of(*asked_and_answered(), nothing, Head(title="Greeting"))
    assert len(said) == 3
    assert title["leafUuid"] == said[2]["uuid"]


def test_titles_without_messages_are_not_written() -> None:
    ((_, data),) = files_of(talk_of([Head(title="Nothing")]), "claude-code", carry=False).items()
    assert b"summary" not in data


def test_other_titles_name_the_session() -> None:
    *_, kept, _ = lines_of(*asked_and_answered(), Head(kind="custom-title", title="Mine"))
    assert kept == {"type": "custom-title", "customTitle": "Mine", "sessionId": kept["sessionId"]}


def test_snapshots_name_the_message_by_its_new_id() -> None:
    files = {
        "a.py": FileState(state="modified", backup="a@1"),
        "b.py": FileState(absent_before=True),
        "c.py": FileState(state="modified", hash_before="5c"),
    }
    snapshot = Snapshot(id="s", message="b", time_ns=5_000_000, files=files)
    lines = lines_of(*asked_and_answered(), snapshot, Snapshot(id="t"))
    (made,) = [each for each in lines if each["type"] == "file-history-snapshot"]
    assert made["messageId"] == lines[1]["uuid"]
    # A file whose earlier content is unknown must not look as if it had not existed.
    stamp = "1970-01-01T00:00:00.005Z"
    assert made["snapshot"]["trackedFileBackups"] == {
        "a.py": {"backupFileName": "a@1", "version": 1, "backupTime": stamp},
        "b.py": {"backupFileName": None, "version": 1, "backupTime": stamp},
    }


@pytest.mark.parametrize(
    ("cwd", "folder"),
    [
        ("/home/ida/my.app_2", "-home-ida-my-app-2"),
        ("C:\\Users\\Ida", "C--Users-Ida"),
        ("/tmp/Gärten/🌷", "-tmp-G-rten---"),
    ],
)
def test_the_folder_of_a_project_is_named_as_claude_code_does(cwd: str, folder: str) -> None:
    assert make_project_folder_name(cwd) == folder
