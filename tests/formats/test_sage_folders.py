"""Sage's folders and files: sessions, older session files, and what is never read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from talktree import api
from talktree.errors import RefusedInput, TalktreeError, WouldLose
from talktree.files import Content, MemoryContent, Source, load
from talktree.formats.detect import rank_formats
from talktree.formats.engine import read_document
from talktree.formats.sage import FORMAT
from talktree.model.entries import Head, Snapshot
from talktree.model.message import Message
from talktree.model.parts import Text, ToolCall, ToolResult
from talktree.testing.contract import write_files
from talktree.text.times import from_iso
from tests.formats.sage_samples import (
    LEGACY,
    MANY,
    PROGRAM,
    TIDES,
    appended,
    only,
)

# sessions


def test_a_session_folder_is_one_conversation_named_like_it() -> None:
    document = read_document(load(TIDES), FORMAT)
    assert document.conversation.id == "session-tide-table"
    assert document.conversation.title == "Tides of Brest"
    assert document.findings == []


def test_every_session_of_a_root_is_a_conversation() -> None:
    document = read_document(load(MANY), FORMAT)
    names = [conversation.id for conversation in document.conversations]
    assert names == ["session-a", "session-b", "session-c", "old-one"]
    titles = [conversation.title for conversation in document.conversations]
    assert titles == ["first", "Hello from b", "nothing said yet", "Older bread"]
    assert [(each.name, each.path) for each in document.findings] == [
        ("unrelated-file", "projects/home-mira-a/run.jsonl")
    ]


def test_sessions_of_the_same_name_are_distinguished_by_their_path() -> None:
    line = load(MANY).files["sessions/session-a/messages.jsonl"].read()
    source = Source.of_files({"x/s/messages.jsonl": line, "y/s/messages.jsonl": line}, name="r")
    names = [conversation.id for conversation in read_document(source, FORMAT).conversations]
    assert names == ["x/s", "y/s"]


def test_a_message_can_be_added_where_nothing_was_said_yet() -> None:
    document = read_document(load(MANY), FORMAT)
    silent = document.find("session-c")
    new = Message(id="c-1", role="user", parts=(Text("hello"),))
    after = write_files(appended(silent, document, new))
    assert after["sessions/session-c/messages.jsonl"].startswith(b'{"type":"user","uuid":"c-1"')


@pytest.mark.parametrize(
    ("members", "title"),
    [
        ('"customTitle":"c","summary":"s","firstPrompt":"f","name":"n"', "c"),
        ('"customTitle":"","summary":"s","firstPrompt":"f","name":"n"', "s"),
        ('"firstPrompt":"f","name":"n","lastPrompt":"l"', "f"),
        ('"name":"n"', "n"),
        ('"lastPrompt":"l"', None),
    ],
)
def test_titles_are_chosen_in_the_order_sage_chooses(members: str, title: str | None) -> None:
    text = f'{{"id":"s",{members},"createdAt":"2026-01-01T00:00:00Z","messageCount":0}}'
    found = only(text, name="metadata.json")
    assert isinstance(found, Head)
    assert (found.id, found.title) == ("s", title)


def test_a_new_title_becomes_the_custom_title() -> None:
    document = read_document(load(MANY), FORMAT)
    conversation = document.find("session-b")
    (place,) = [
        position for position, entry in enumerate(conversation.entries) if isinstance(entry, Head)
    ]
    head = conversation.entry(place)
    assert isinstance(head, Head)
    number = conversation.members[place]
    changed = conversation.with_entries(
        conversation.members, {number: replace(head, title="Renamed")}
    )
    after = write_files(document.with_conversation(changed))["sessions/session-b/metadata.json"]
    before = load(MANY).files["sessions/session-b/metadata.json"].read()
    assert after == before.replace(b'"a-1"}', b'"a-1","customTitle":"Renamed"}')


def test_missing_and_damaged_metadata_are_findings_and_no_failure() -> None:
    files = load(TIDES).as_bytes()
    for raw in (b"", b"[]", b"nonsense", b'{"id":"x"', b"\xff\xfe", b"3"):
        document = read_document(Source.of_files({**files, "metadata.json": raw}, name="s"), FORMAT)
        assert any(each.path == "metadata.json" for each in document.findings), raw
        assert len(list(document.conversation.messages())) == 13
    del files["metadata.json"]
    findings = read_document(Source.of_files(files, name="s"), FORMAT).findings
    assert [(each.name, each.path) for each in findings] == [("missing-file", "metadata.json")]


def test_backups_are_kept_and_nothing_in_them_is_a_session() -> None:
    files = {
        **load(TIDES).as_bytes(),
        "backups/metadata.json": b"{}",
        "backups/messages.jsonl": b"?",
    }
    document = read_document(Source.of_files(files, name="s"), FORMAT)
    assert len(document.conversations) == 1
    assert write_files(document) == files
    assert document.findings == []


# older session files


def test_an_older_session_file_is_a_chain_below_its_head() -> None:
    conversation = read_document(load(LEGACY), FORMAT).conversation
    head, *said = conversation.entries
    assert isinstance(head, Head)
    assert (head.id, head.title) == ("2c9f7d1e", "Bread")
    assert head.extra["state"] == "completed"
    assert [entry.role for entry in said if isinstance(entry, Message)] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert len(conversation.path()) == 5
    call, result = conversation["@4"].parts[1], conversation["@5"].parts[0]
    assert call == ToolCall("scale", {"item": "flour"}, "call_w")
    assert result == ToolResult(
        (Text("500 g"),), "call_w", "scale", extra={"timestamp": "2025-11-02T06:00:13Z"}
    )


def test_a_new_message_takes_the_form_of_the_older_file() -> None:
    document = read_document(load(LEGACY), FORMAT)
    time = from_iso("2025-11-02T07:00:00Z")
    parts = (Text("Baking"), ToolCall("oven", {"heat": 230}, "call_o"))
    new = Message(id="u-1", parent="@6", role="assistant", parts=parts, time_ns=time)
    after = write_files(appended(document.conversation, document, new))[LEGACY.name]
    added = """    },
    {
      "role": "assistant",
      "content": "Baking",
      "tool_calls": [
        {
          "id": "call_o",
          "name": "oven",
          "arguments": {
            "heat": 230
          },
          "timestamp": "2025-11-02T07:00:00.000Z"
        }
      ],
      "uuid": "u-1",
      "timestamp": "2025-11-02T07:00:00.000Z"
    }
  ],
  "token_usage": {"""
    before = LEGACY.read_text()
    assert after.decode() == before.replace('    }\n  ],\n  "token_usage": {', added)


def test_an_older_file_refuses_what_it_has_no_place_for() -> None:
    document = read_document(load(LEGACY), FORMAT)
    for entry in (Snapshot(message="x"), Head(id="y")):
        with pytest.raises(WouldLose):
            write_files(appended(document.conversation, document, entry))


# what is not read


class _Trap(Content):
    """A file that must not be opened."""

    size = 9

    def read(self, start: int = 0, stop: int | None = None) -> bytes:
        raise AssertionError("a file with secrets was opened")

    blocks = lines = line_blocks = spans = read  # type: ignore[assignment]


def _with_traps(files: Mapping[str, bytes], traps: list[str], name: str) -> Source:
    whole: dict[str, Content] = {path: MemoryContent(raw) for path, raw in files.items()}
    return Source(name, {**{path: _Trap() for path in traps}, **whole}, folder=True)


def test_settings_with_keys_are_never_opened_and_never_copied() -> None:
    files = load(MANY).as_bytes()
    traps = ["config.json", "credentials.json", "sage_config.json", "sessions/config.toml"]
    source = _with_traps(files, traps, ".sage")
    assert api.read(source).conversations
    document = api.read(source, format="sage")
    assert write_files(document) == files
    left_out = [each.path for each in document.findings if each.name == "secrets-left-out"]
    assert left_out == traps


def test_a_written_folder_lacks_the_settings(tmp_path: Path) -> None:
    root = tmp_path / ".sage"
    for path, raw in load(MANY).as_bytes().items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(raw)
    (root / "config.json").write_text('{"api_key":"sk-secret"}')
    api.write(api.read(root, format="sage"), tmp_path / "copy")
    copied = load(tmp_path / "copy").as_bytes()
    assert copied == load(MANY).as_bytes()
    assert not any(b"sk-secret" in raw for raw in copied.values())


@pytest.mark.parametrize(
    ("names", "root"),
    [(["config.json"], ".sage"), (["a/.sage/config.json"], "home"), (["sage_config.json"], "x")],
)
def test_a_source_that_is_only_settings_is_refused(names: list[str], root: str) -> None:
    with pytest.raises(RefusedInput, match="keys"):
        api.detect(_with_traps({}, names, root))
    with pytest.raises(RefusedInput, match="keys"):
        api.read(_with_traps({}, names, root), format="sage")


def test_settings_of_other_programs_are_ignored() -> None:
    source = Source.of_files({"config.json": b"{}", "1.md": b"; role: user\n\n\nhi"}, name="chat")
    assert FORMAT.find_withheld_files(source) == []


TRAJECTORY = """{
  "id": "4f1f2ce0-5b7e-4a53-9d0c-9d8a0b1f6c11",
  "task": "Paint the fence",
  "start_time": "2026-01-05T10:52:10.857066+00:00",
  "end_time": "2026-01-05T10:52:33.591684+00:00",
  "provider": "glm",
  "model": "glm-4.6",
  "max_steps": 10,
  "llm_interactions": [],
  "agent_steps": [
    {
      "step_number": 1,
      "state": "ToolExecution"
    }
  ],
  "success": true,
  "final_result": "painted",
  "execution_time": 22.7
}
"""
STREAMED = (
    '{"type":"session_start","session_id":"5d2e","task":"Paint","provider":"glm","model":"m",'
    '"cwd":"/","timestamp":"2026-01-05T10:52:10+00:00"}\n'
    '{"type":"llm_request","uuid":"1","messages":[],"timestamp":"2026-01-05T10:52:11+00:00"}\n'
)


@pytest.mark.parametrize("text", [TRAJECTORY, TRAJECTORY.replace("\n", ""), STREAMED])
def test_a_trajectory_is_recognised_and_refused(text: str) -> None:
    source = Source.of_bytes(text.encode(), name="sage_20260105.jsonl")
    assert rank_formats(source)[0].format is FORMAT
    assert "trajectory" in rank_formats(source)[0].reason
    with pytest.raises(RefusedInput, match="trajectory") as caught:
        api.read(source)
    assert caught.value.hint


def test_a_long_trajectory_is_recognised_by_its_beginning() -> None:
    long = TRAJECTORY.replace("ToolExecution", "x" * 200_000)
    with pytest.raises(RefusedInput):
        api.read(Source.of_bytes(long.encode(), name="t.jsonl"))


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"user","uuid":"m1","sessionId":"s","message":"plain text"}',
        '{"type":"user","uuid":"m1","parentUuid":null,"sessionId":"s","cwd":"/x",'
        '"message":{"role":"user","content":"hi"},"todos":[],"thinkingMetadata":{"level":"high"}}',
        '{"type":"file-history-snapshot","messageId":"m","snapshot":{}}',
        '{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]}',
        '{"role":"user","content":"hi"}',
    ],
)
def test_lines_of_others_are_not_claimed(text: str) -> None:
    source = Source.of_bytes(text.encode(), name="messages.jsonl")
    try:
        found = [guess.format.info.slug for guess in rank_formats(source)]
    except TalktreeError:
        found = []
    assert "sage" not in found


def test_every_cut_of_a_session_reads_and_writes_the_same_bytes() -> None:
    whole = PROGRAM.read_bytes()[:3000]
    for stop in range(len(whole)):
        source = Source.of_bytes(whole[:stop], name="cut.jsonl")
        document = read_document(source, FORMAT)
        assert write_files(document) == source.as_bytes()
        complete = whole[:stop].count(b"\n")
        if document.conversations:
            assert len(list(document.conversation.messages())) >= complete
