"""Sage's quirks: each observed form of its records, and how it is read and written."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from talktree.errors import WouldLose
from talktree.files import Source, load
from talktree.formats.detect import rank_formats
from talktree.formats.engine import read_document, skim_records
from talktree.formats.format import Record
from talktree.formats.sage import FORMAT, Sage
from talktree.model import edit
from talktree.model.entries import FileState, Head, Opaque, Snapshot
from talktree.model.message import Context, Message, ThinkingSetting, Todo, Usage
from talktree.model.outline import Trait, sum_tokens
from talktree.model.parts import Event, Text, ToolCall, ToolResult
from talktree.testing.contract import write_files
from talktree.text.times import from_iso
from tests.formats.cases import in_memory
from tests.formats.sage_samples import (
    DOCUMENT,
    PROGRAM,
    TIDES,
    appended,
    lines_of,
    message_in,
    of_text,
    only,
)

# the document's examples


def test_documented_user_message() -> None:
    found = message_in((DOCUMENT / "user-message.json").read_text())
    assert (found.role, found.text, found.parent) == ("user", "Create a weather website", None)
    assert found.time_ns == from_iso("2025-12-21T01:30:00Z")
    assert found.session == "session-123"
    assert found.context == Context(
        cwd="/Users/lifcc/Desktop/code/AI/agent/sage",
        git_branch="main",
        platform="macos",
        user_type="external",
        version="0.1.0",
    )
    assert found.thinking == ThinkingSetting(level="high")
    assert found.todos == ()
    assert found.extra == {}


def test_documented_assistant_message() -> None:
    found = message_in((DOCUMENT / "assistant-message.json").read_text())
    assert found.parts[1] == ToolCall("bash", {"command": "mkdir -p weather_app"}, "call_001")
    assert found.usage == Usage(1500, 200, 500, 0)
    assert found.todos is not None
    assert found.todos[1] == Todo("Create HTML file", "in_progress", "Creating HTML file")
    assert found.extra == {}


def test_documented_tool_result_needs_no_message_and_no_context() -> None:
    found = message_in((DOCUMENT / "tool-result-message.json").read_text())
    said = (Text("Directory created successfully"),)
    assert (found.role, found.parts) == ("tool", (ToolResult(said, "call_001", "bash"),))
    assert (found.context, found.todos, found.extra) == (None, None, {})


def test_documented_snapshot_joins_tracked_files_and_backups() -> None:
    found = only((DOCUMENT / "file-history-snapshot.json").read_text())
    assert isinstance(found, Snapshot)
    assert found.message == "550e8400-e29b-41d4-a716-446655440001"
    assert found.files == {
        "weather_app/index.html": FileState(state="created", hash="abc123", size=0),
        "weather_app/style.css": FileState(
            backup=".sage/backups/style.css.backup", hash_before="def456"
        ),
    }


# what is written


def test_new_messages_have_every_field_the_document_demands() -> None:
    document = read_document(load(TIDES), FORMAT)
    new = Message(id="n1", parent="t13", role="assistant", parts=(Text("hello"),))
    line = lines_of(appended(document.conversation, document, new), "messages.jsonl")[-1]
    assert list(line) == [
        "type",
        "uuid",
        "parentUuid",
        "timestamp",
        "sessionId",
        "version",
        "context",
        "message",
        "todos",
        "isSidechain",
    ]
    assert line["context"] == {"cwd": "", "platform": ""}
    assert line["message"] == {"role": "assistant", "content": "hello"}
    assert (line["todos"], line["isSidechain"], line["parentUuid"]) == ([], False, "t13")


def test_unknown_context_is_written_empty_and_read_as_unknown() -> None:
    text = (
        '{"type":"user","uuid":"a","sessionId":"","version":"","context":{"cwd":"","platform":""}'
    )
    found = message_in(text + ',"message":{"role":"user","content":"x"}}')
    assert (found.session, found.context) == (None, None)


RESULT = Message(id="r", parent="t10", role="tool", parts=(ToolResult((Text("ok"),), "c", "bash"),))


def test_new_tool_results_load_as_the_documents_example_and_as_its_struct() -> None:
    document = read_document(load(TIDES), FORMAT)
    line = lines_of(appended(document.conversation, document, RESULT), "messages.jsonl")[-1]
    assert line["toolResults"] == [
        {"toolCallId": "c", "toolName": "bash", "content": "ok", "success": True, "error": None}
    ]
    assert line["message"] == {"role": "tool", "content": ""}
    assert (line["version"], line["context"]) == ("", {"cwd": "", "platform": ""})


def test_documented_tool_results_are_edited_without_what_they_lack() -> None:
    text = (DOCUMENT / "tool-result-message.json").read_text()
    document = of_text(text)
    (found,) = document.conversation.messages()
    (result,) = found.parts
    assert isinstance(result, ToolResult)
    changed = replace(found, parts=(replace(result, output=(Text("done"),)),))
    after = write_files(
        document.with_conversation(edit.replace(document.conversation, found.id, changed))
    )
    assert after == {
        "messages.jsonl": text.replace("Directory created successfully", "done").encode()
    }


def test_new_tool_results_can_be_written_as_the_program_reads_them() -> None:
    format = Sage(nested_results=True)
    document = read_document(load(TIDES), format)
    line = lines_of(appended(document.conversation, document, RESULT), "messages.jsonl")[-1]
    assert "toolResults" not in line
    assert line["message"] == {
        "role": "tool",
        "content": "",
        "toolResults": [{"toolCallId": "c", "toolName": "bash", "content": "ok", "success": True}],
    }
    assert line["context"] == {"cwd": "", "platform": ""}


def test_new_snapshots_of_a_session_go_to_snapshots() -> None:
    document = read_document(load(TIDES), FORMAT)
    new = Snapshot(message="t10", files={"a.txt": FileState(state="modified", hash="ff", size=2)})
    before, after = (
        load(TIDES).as_bytes(),
        write_files(appended(document.conversation, document, new)),
    )
    changed = [path for path in after if after[path] != before[path]]
    assert changed == ["snapshots.jsonl"]
    again = read_document(Source.of_files(after, name="again"), FORMAT).conversation
    found = [entry for entry in again.entries if isinstance(entry, Snapshot)]
    assert found[-1].files == new.files


def test_snapshots_file_is_made_when_there_is_none() -> None:
    files = load(TIDES).as_bytes()
    del files["snapshots.jsonl"]
    document = read_document(Source.of_files(files, name="s"), FORMAT)
    after = write_files(appended(document.conversation, document, Snapshot(message="t2")))
    assert after["snapshots.jsonl"].startswith(b'{"type":"file_history_snapshot","messageId":"t2"')
    assert {path: after[path] for path in files} == files


def test_new_snapshots_of_a_lone_file_stay_in_it() -> None:
    document = read_document(load(PROGRAM), FORMAT)
    after = write_files(appended(document.conversation, document, Snapshot(message="x")))
    assert list(after) == [PROGRAM.name]
    assert after[PROGRAM.name].startswith(PROGRAM.read_bytes())


def test_metadata_is_made_for_a_new_head_and_never_duplicated() -> None:
    files = {"messages.jsonl": load(TIDES).as_bytes()["messages.jsonl"]}
    document = read_document(Source.of_files(files, name="s"), FORMAT)
    after = write_files(appended(document.conversation, document, Head(id="s", title="Tides")))
    made = read_document(Source.of_files(after, name="s"), FORMAT).conversation
    assert made.title == "Tides"
    assert after["metadata.json"].startswith(b'{\n  "id": "s",\n  "customTitle": "Tides",\n')
    whole = read_document(load(TIDES), FORMAT)
    with pytest.raises(WouldLose, match="one metadata"):
        write_files(appended(whole.conversation, whole, Head(id="other")))


def test_an_edit_in_a_session_changes_only_its_line() -> None:
    document = read_document(load(TIDES), FORMAT)
    changed = edit.set_text(document.conversation, "t10", "Low water too.")
    after = write_files(document.with_conversation(changed))
    before = load(TIDES).as_bytes()
    old, new = before.pop("messages.jsonl").splitlines(), after.pop("messages.jsonl").splitlines()
    assert [one for one, two in zip(old, new, strict=True) if one != two] == [old[9]]
    assert new[9] == old[9].replace(b"High water 04:12 and 16:40.", b"Low water too.")
    assert after == before


# both forms of tool results


def test_nested_tool_results_are_read_and_edited_in_place() -> None:
    document = read_document(load(PROGRAM), FORMAT)
    conversation = document.conversation
    found = conversation["b7d2f3c4"]
    (result,) = found.parts
    assert isinstance(result, ToolResult)
    assert (found.role, result.call, result.name) == ("tool", "toolu_7", "glob")
    position = conversation.find_position(found.id)
    assert conversation.skeleton.traits[position] == Trait.RESULT
    changed = replace(found, parts=(replace(result, output=(Text("none"),)),))
    after = write_files(document.with_conversation(edit.replace(conversation, found.id, changed)))
    assert after[PROGRAM.name] == PROGRAM.read_bytes().replace(
        b'"content":"hives/a.txt\\nhives/b.txt"', b'"content":"none"'
    )


def test_a_failure_reported_in_error_is_the_output() -> None:
    conversation = read_document(load(TIDES), FORMAT).conversation
    fine, failed = conversation["t3"].parts
    assert isinstance(fine, ToolResult)
    assert isinstance(failed, ToolResult)
    assert (fine.error, failed.error) == (False, True)
    assert failed.output == (Text("tides.py: permission denied"),)


def test_a_failure_with_content_keeps_its_error_beside() -> None:
    found = message_in(
        '{"type":"tool_result","uuid":"a","toolResults":'
        '[{"toolCallId":"c","toolName":"n","content":"half","success":false,"error":"died"}]}'
    )
    assert found.parts == (
        ToolResult((Text("half"),), "c", "n", error=True, extra={"error": "died"}),
    )


# types and roles


@pytest.mark.parametrize(
    ("type", "said", "role", "flags"),
    [
        ("error", "error", "system", {"error"}),
        ("error", "assistant", "assistant", {"error"}),
        ("system", "system", "system", set()),
        ("tool_result", "tool", "tool", set()),
        ("checkpoint", "checkpoint", "checkpoint", set()),
    ],
)
def test_types_and_the_role_inside_make_one_role(
    type: str, said: str, role: str, flags: set[str]
) -> None:
    text = (
        f'{{"type":"{type}","uuid":"a","context":{{}},"message":{{"role":"{said}","content":"x"}}}}'
    )
    found = message_in(text)
    assert (found.role, set(found.flags), found.extra) == (role, flags, {})


def test_a_role_that_contradicts_its_type_survives() -> None:
    text = '{"type":"user","uuid":"a","context":{},"message":{"role":"assistant","content":"x"}}'
    document = of_text(text)
    found = document.conversation["a"]
    assert (found.role, found.extra) == ("user", {"message": {"role": "assistant"}})
    changed = edit.set_text(document.conversation, "a", "y")
    assert write_files(document.with_conversation(changed)) == {
        "messages.jsonl": text.replace('"x"', '"y"').encode()
    }


def test_summaries_and_titles_are_events_that_hold_the_chain() -> None:
    conversation = read_document(load(TIDES), FORMAT).conversation
    assert conversation["t11"].parts == (Event("summary", text="A tide table for Brest"),)
    assert conversation["t12"].parts == (Event("title", text="Tides of Brest"),)
    assert conversation["t12"].role == "user"
    assert conversation["t13"].parent == "t12"
    assert conversation.skeleton.findings == []


def test_unknown_records_hold_the_chain_if_they_have_an_id() -> None:
    conversation = read_document(load(PROGRAM), FORMAT).conversation
    found = conversation["d00d0000"]
    assert (found.role, found.parts, found.extra) == ("checkpoint", (), {"files": 3})
    assert len(conversation.path()) == 6
    loose = only('{"type":"who knows","files":3}')
    assert isinstance(loose, Opaque)
    assert loose.kind == "who knows"


def test_fields_without_a_name_in_the_model_survive_an_edit() -> None:
    document = read_document(load(TIDES), FORMAT)
    found = document.conversation["t2"]
    assert found.extra == {"usage": {"costEstimate": 0.0042}}
    assert document.conversation["t4"].extra == {"metadata": {"error_type": "tool"}}
    changed = replace(found, usage=Usage(1, 2, 3, 4))
    after = write_files(
        document.with_conversation(edit.replace(document.conversation, "t2", changed))
    )
    assert (
        b'"usage":{"inputTokens":1,"outputTokens":2,"cacheReadTokens":3,"cacheWriteTokens":4,'
        b'"costEstimate":0.0042}' in after["messages.jsonl"]
    )
    program = read_document(load(PROGRAM), FORMAT).conversation
    assert program["c0ffee00"].extra == {
        "context": {"shell": "zsh"},
        "metadata": {"provider": "glm"},
    }


def test_parent_null_and_absent_mean_the_same_and_stay_what_they_were() -> None:
    lines = [
        '{"type":"user","uuid":"a","parentUuid":null,"context":{},"message":{"content":"x"}}',
        '{"type":"user","uuid":"b","context":{},"message":{"content":"x"}}',
    ]
    document = of_text("\n".join(lines))
    for id, line in zip("ab", lines, strict=True):
        assert document.conversation[id].parent is None
        changed = document.with_conversation(edit.set_text(document.conversation, id, "y"))
        assert line.replace('"x"', '"y"').encode() in write_files(changed)["messages.jsonl"]


def test_times_of_nine_digits_are_kept_exactly() -> None:
    found = read_document(load(PROGRAM), FORMAT).conversation["0d4be9b3"]
    assert found.time_ns is not None
    assert found.time_ns % 1_000_000_000 == 123456789


def test_a_sidechain_may_name_the_message_it_leaves() -> None:
    conversation = read_document(load(TIDES), FORMAT).conversation
    assert conversation["t8"].follows == "t5"
    kinds = sorted(branch.kind for branch in conversation.branches())
    assert kinds == ["active", "fork", "sidechain"]


def test_a_branch_parent_holds_where_there_is_no_other() -> None:
    conversation = of_text(
        '{"type":"user","uuid":"a","context":{},"message":{"content":"x"}}\n'
        '{"type":"user","uuid":"b","branchParentUuid":"a","context":{},"message":{"content":"y"}}'
    ).conversation
    assert [message.id for message in conversation.path("b")] == ["a", "b"]


def test_tokens_are_counted_without_reading_contents() -> None:
    counted = sum_tokens(skim_records(load(TIDES), FORMAT))
    assert sum(usage.input for usage, _ in counted.values()) == 2200


def test_empty_words_beside_calls_are_words_and_beside_results_are_none() -> None:
    conversation = read_document(load(PROGRAM), FORMAT).conversation
    assert conversation["5a3cf0a6"].parts[0] == Text("")
    assert len(conversation["b7d2f3c4"].parts) == 1


# snapshots


def test_a_lone_file_of_snapshots_is_recognised() -> None:
    source = in_memory(load(TIDES)).files["snapshots.jsonl"]
    lone = Source.of_bytes(source.read(), name="anything.jsonl")
    assert rank_formats(lone)[0].format is FORMAT
    found = list(read_document(lone, FORMAT).conversation.entries)
    assert [entry.update for entry in found if isinstance(entry, Snapshot)] == [False, True]


def test_snapshots_are_read_from_the_messages_file_too() -> None:
    found = list(read_document(load(PROGRAM), FORMAT).conversation.entries)
    assert isinstance(found[-1], Snapshot)
    assert found[-1].files == {
        "hives/total.txt": FileState(
            state="created",
            hash="d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35",
            size=1,
        )
    }


def test_a_snapshot_keeps_what_it_cannot_name() -> None:
    text = (
        '{"type":"file_history_snapshot","messageId":"m","snapshot":{"trackedFiles":'
        '{"a":{"state":"melted","mode":420},"b":null},"fileBackups":{"a":{"by":"x"}},"host":"h"},"n":1}'
    )
    document = of_text(text)
    (found,) = document.conversation.entries
    assert isinstance(found, Snapshot)
    assert found.files["a"] == FileState(
        state="melted", extra={"trackedFiles": {"mode": 420}, "fileBackups": {"by": "x"}}
    )
    assert found.files["b"].extra == {"trackedFiles": None}
    assert found.extra == {"snapshot": {"host": "h"}, "n": 1}
    assert FORMAT.get(Record(FORMAT.put(found, None))) == found
