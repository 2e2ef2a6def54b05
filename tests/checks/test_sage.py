"""The rules of Sage: what its document requires, what its program writes, what can be restored."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from talktree import api
from talktree.checks.report import make_report
from talktree.files import Content, MemoryContent, Source, load
from talktree.model.document import Document
from talktree.repairs.run import repair_document
from tests.conversion.foreign import again, every_sample, files_of, sample
from tests.formats.sage_samples import DOCUMENT, TIDES

Line = dict[str, Any]
CONTEXT = {"cwd": "/home/ada/pond", "gitBranch": "main", "platform": "linux"}


def said(number: int, kind: str = "user", **more: object) -> Line:
    """Return a line like the document's examples: each is a child of the previous number."""
    return {
        "type": kind,
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number > 1 else None,
        "timestamp": f"2026-01-05T08:00:{number:02}.000Z",
        "sessionId": "pond",
        "version": "0.1.0",
        "context": CONTEXT,
        "message": {"role": kind, "content": "How deep is the pond?"},
        "todos": [],
        "isSidechain": False,
        **more,
    }


METADATA: Line = {
    "id": "pond",
    "createdAt": "2026-01-05T08:00:01.000Z",
    "updatedAt": "2026-01-05T08:00:02.000Z",
    "workingDirectory": "/home/ada/pond",
    "version": "0.1.0",
    "messageCount": 0,
    "state": "active",
}
TALK = [said(1), said(2, "assistant")]


def raw(lines: Sequence[Line]) -> bytes:
    return b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)


def document(lines: Sequence[Line]) -> Document:
    return api.read(Source.of_bytes(raw(lines), name="messages.jsonl"), format="sage")


def session(lines: Sequence[Line] = TALK, **files: bytes) -> Document:
    """Write a session's folder; in file names `__` means a dot."""
    named = {name.replace("__", "."): data for name, data in files.items()}
    whole = {"messages.jsonl": raw(lines), "metadata.json": json.dumps(METADATA).encode()}
    return api.read(Source.of_files({**whole, **named}, name="pond"), format="sage")


def codes(found: Document) -> set[str]:
    return make_report(found).codes


# the document's own examples


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("user-message.json", set()),
        ("assistant-message.json", set()),
        ("tool-result-message.json", set()),
        ("file-history-snapshot.json", {"SAG505"}),
    ],
)
def test_the_documents_examples_break_what_they_break(name: str, wanted: set[str]) -> None:
    found = codes(api.read(DOCUMENT / name))
    assert {each for each in found if each.startswith("SAG")} == wanted


def test_the_documents_lines_with_dots_are_malformed() -> None:
    assert "SYN102" in codes(api.read(DOCUMENT / "messages.jsonl", format="sage"))


RESULT = {"toolCallId": "c1", "toolName": "bash", "content": "2 m", "success": True, "error": None}
CALLING = {"role": "assistant", "content": "", "toolCalls": [
    {"id": "c1", "name": "bash", "arguments": {"command": "cat depth.txt"}},
]}  # fmt: skip
BESIDE = {
    name: item
    for name, item in said(3, "tool_result", toolResults=[RESULT]).items()
    if name not in ("version", "context", "message", "todos")
}
NESTED = said(3, "tool_result", message={"role": "tool", "content": "", "toolResults": [RESULT]})


@pytest.mark.parametrize("result", [BESIDE, NESTED], ids=["documented", "as the program writes"])
def test_results_may_are_in_either_place(result: Line) -> None:
    lines = [said(1), said(2, "assistant", message=CALLING), result, said(4, "assistant")]
    assert codes(document(lines)) == set()


# fields


@pytest.mark.parametrize(
    "way", ["sessionId", "version", "context", "context/cwd", "context/platform", "message/role",
            "message/content"],
)  # fmt: skip
def test_each_required_field_is_missed_and_filled_in(way: str) -> None:
    name, _, inner = way.partition("/")
    line = said(2, "assistant")
    if inner:
        line[name] = {key: item for key, item in line[name].items() if key != inner}
    else:
        del line[name]
    before = document([said(1), line])
    assert codes(before) == {"SAG101"}
    after = repair_document(before).after
    assert codes(after) == set()
    assert [each.session for each in after.conversation.messages()] == ["pond", "pond"]


def test_a_message_that_is_missing_as_a_whole_is_not_made_up() -> None:
    line = said(2, "assistant")
    del line["message"]
    before = document([said(1), line])
    assert "SAG101" in codes(before)
    assert not repair_document(before, unsafe=True, rules=_rules("SAG101")).changed


def _rules(code: str) -> list[Any]:
    from talktree.checks.registry import all_rules

    return [rule for rule in all_rules() if rule.code == code]


@pytest.mark.parametrize(
    ("word", "level"),
    [("ultra", "high"), ("OFF", "none"), ("Low", "low"), ("purple", "medium"), (9, "medium")],
)
def test_another_level_of_thinking_becomes_the_nearest(word: object, level: str) -> None:
    thinking = {"level": word, "disabled": False, "triggers": []}
    before = document([said(1, thinkingMetadata=thinking), said(2, "assistant")])
    assert codes(before) == {"SAG301"}
    first = next(repair_document(before, unsafe=True).after.conversation.messages())
    assert first.thinking is not None
    assert first.thinking.level == level


# metadata


@pytest.mark.parametrize("ruined", [b"", b"\0" * 144, b" \r\n\0\0", b"[]", b"3", b"nonsense"])
def test_ruined_metadata_is_made_anew_from_the_log_alone(ruined: bytes) -> None:
    before = session(metadata__json=ruined)
    assert codes(before) == {"SAG601"}
    done = repair_document(before)
    files = done.source.as_bytes()
    assert files["messages.jsonl"] == raw(TALK)
    made = json.loads(files["metadata.json"])
    assert made["createdAt"] == METADATA["createdAt"]
    assert made["updatedAt"] == METADATA["updatedAt"]
    assert (made["id"], made["messageCount"], made["firstPrompt"]) == (
        "pond",
        2,
        "How deep is the pond?",
    )
    assert codes(done.after) == set()
    assert done.bytes == (len(raw(TALK)), len(ruined))


def test_metadata_that_still_say_something_are_reported_and_left_alone() -> None:
    before = session(metadata__json=json.dumps([METADATA, {}]).encode())
    assert "SAG601" in codes(before)
    done = repair_document(before, rules=_rules("SAG601"))
    assert not done.changed
    assert before.conversation.skeleton.ids == ["u1", "u2", "", ""]


def test_metadata_that_are_missing_are_the_same_as_those_that_were_ruined() -> None:
    missing = api.read(Source.of_files({"messages.jsonl": raw(TALK)}, name="pond"), format="sage")
    assert codes(missing) == {"SYN405"}
    one = repair_document(missing).source.as_bytes()
    two = repair_document(session(metadata__json=b"\0\0")).source.as_bytes()
    assert one == two


@pytest.mark.parametrize("count", [1, 2, 5])
def test_stale_metadata_are_brought_in_step_and_keep_the_rest(count: int) -> None:
    lines = [said(number, "user" if number % 2 else "assistant") for number in range(1, count + 1)]
    reported = {**METADATA, "messageCount": 99, "updatedAt": "2026-01-05T07:00:00Z", "mood": "calm"}
    before = session(lines, metadata__json=json.dumps(reported).encode())
    assert codes(before) == {"SAG603"}
    made = json.loads(repair_document(before).source.as_bytes()["metadata.json"])
    assert made == {**reported, "messageCount": count, "updatedAt": lines[-1]["timestamp"]}


# backups


class _Trap(Content):
    """A file that must not be opened."""

    size = 9

    def read(self, start: int = 0, stop: int | None = None) -> bytes:
        raise AssertionError("a file was opened that is none of our business")

    blocks = lines = line_blocks = spans = read  # type: ignore[assignment]


def test_only_backups_that_are_listed_are_opened_and_settings_never() -> None:
    files: Mapping[str, Content] = {
        **{path: MemoryContent(data) for path, data in load(TIDES).as_bytes().items()},
        "backups/not-listed.backup": _Trap(),
        "config.json": _Trap(),
    }
    found = api.read(Source("session-tide-table", files, folder=True), format="sage")
    assert codes(found) == {"SAG504", "SYN406"}
    assert not repair_document(found, unsafe=True).changed


@pytest.mark.parametrize(
    ("named", "lost"),
    [
        ("backups/notes.txt_1.backup", True),
        ("./backups/notes.txt_1.backup", True),
        (".sage/backups/notes.txt_1.backup", False),
        ("/home/ada/pond/.sage/backups/notes.txt_1.backup", False),
        ("C:\\pond\\.sage\\backups\\notes.txt_1.backup", False),
        ("../../etc/passwd", False),
    ],
)
def test_a_backup_is_missed_only_where_it_should_be(named: str, lost: bool) -> None:
    listed = {"notes.txt": {"backupPath": named}}
    snapshot = {
        "type": "file_history_snapshot",
        "messageId": "u2",
        "timestamp": "2026-01-05T08:00:02.500Z",
        "isSnapshotUpdate": False,
        "snapshot": {"trackedFiles": {}, "fileBackups": listed},
    }
    found = codes(session(snapshots__jsonl=raw([snapshot])))
    assert ("SAG501" in found) == lost


# written by conversions


@every_sample("sage")
def test_conversions_to_sage_break_no_rule(slug: str, path: Path) -> None:
    made = again(files_of(sample(slug, path), "sage"), "sage")
    found = [each for each in make_report(made).findings if each.code.startswith("SAG")]
    assert found == []
