"""The rules of the two Claude formats: what the document requires, and what the program writes."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from time import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree import api
from talktree.checks.report import make_report
from talktree.files import Source, load
from talktree.formats.claude_code.rule_support import is_uuid
from talktree.model.document import Document
from talktree.repairs.run import repair_document
from tests.conversion.foreign import again, every_sample, files_of, sample

Line = dict[str, Any]
DEMO = Path(__file__).parent.parent.parent / "demo"
OWN = ("CLC", "CLM")
SESSION = "5e551011-0000-4000-8000-0000000000a1"


def document(lines: Sequence[Line], slug: str, name: str = "session.jsonl") -> Document:
    data = b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)
    return api.read(Source.of_bytes(data, name=name), format=slug)


def codes(found: Document) -> set[str]:
    return make_report(found).codes


def own_codes(found: Document) -> list[str]:
    return [each.code for each in make_report(found).findings if each.code.startswith(OWN)]


# the document's requirements, and its examples that break them


def said(number: int, kind: str, **more: Any) -> Line:
    """Return a line like the document's examples: each is a child of the previous number."""
    return {
        "type": kind,
        "uuid": f"msg-{number:03}",
        "parentUuid": f"msg-{number - 1:03}",
        "timestamp": f"2026-01-27T10:00:{number:02}Z",
        "sessionId": "session-9",
        **more,
    }


ASKED = said(1, "user", message="Sort my recipes", parentUuid=None)
USED = {"subtype": "tool_use", "toolName": "Read", "toolArguments": {"file_path": "soup.md"}}
BROKEN: dict[str, tuple[list[Line], str]] = {
    "the first message hangs on one that is not shown": (
        [said(1, "user", message="Sort my recipes")],
        "TRE111",
    ),
    "a result whose call is not shown": (
        [ASKED, said(3, "system", subtype="tool_result", message="done")],
        "TRE101",
    ),
    "an answer outside the sidechain it was asked in": (
        [
            ASKED,
            said(2, "user", message="Count them", isSidechain=True, userType="external"),
            said(3, "assistant", subtype="response", message="Twelve."),
        ],
        "CLM302",
    ),
    "Claude as user without the mark": (
        [ASKED, said(2, "user", message="Count them", isSidechain=True)],
        "CLM301",
    ),
    "one id for two messages": (
        [ASKED, {**said(2, "assistant", message="Sorted."), "uuid": "msg-001"}],
        "IDS102",
    ),
    "a call without arguments": (
        [ASKED, said(2, "assistant", subtype="tool_use", toolName="Read")],
        "CLM202",
    ),
    "a call that is not marked as one": (
        [
            ASKED,
            {key: item for key, item in said(2, "assistant", **USED).items() if key != "subtype"},
        ],
        "CLM203",
    ),
    "an error without its flag": (
        [ASKED, said(2, "system", subtype="error", message="Error: no such file")],
        "CLM204",
    ),
    "a compaction without statistics": (
        [ASKED, said(2, "compact_system", message="conversation_compacted")],
        "CLM402",
    ),
    "an operation nobody documented": (
        [ASKED, said(2, "compact_system", message="conversation_trimmed")],
        "CLM401",
    ),
    "a compaction without a word": ([ASKED, said(2, "compact_system")], "CLM101"),
    "no session": ([{key: item for key, item in ASKED.items() if key != "sessionId"}], "CLM101"),
    "a time that is a number": ([{**ASKED, "timestamp": 1_769_508_001_000}], "CLM103"),
    "a time that is no time": ([{**ASKED, "timestamp": "yesterday"}], "CLM103"),
    "a flag that is a word": ([{**ASKED, "isDeleted": "yes"}], "CLM102"),
    "a user who says nothing": (
        [{key: item for key, item in ASKED.items() if key != "message"}],
        "CLM104",
    ),
    "a subtype of another type": ([{**ASKED, "subtype": "tool_result"}], "CLM201"),
}


@pytest.mark.parametrize(("lines", "code"), BROKEN.values(), ids=BROKEN)
def test_violations_of_the_document_are_reported_with_their_code(
    lines: list[Line], code: str
) -> None:
    assert code in codes(document(lines, "claude-messages"))


def test_two_objects_with_comments_are_read_and_reported() -> None:
    pair = [said(1, "compact_system", message="conversation_compacting", parentUuid=None)]
    pair.append(said(2, "compact_system", message="conversation_restored"))
    text = "// Start\n" + "\n\n// Complete\n".join(json.dumps(each, indent=2) for each in pair)
    found = api.read(Source.of_bytes(text.encode(), name="x.json"), format="claude-messages")
    assert len(found.conversations[0]) == 2
    assert "SYN209" in codes(found)


def test_lines_of_both_dialects_may_are_in_one_file() -> None:
    blocks = [{"type": "text", "text": "Sorted."}, {"type": "thinking", "thinking": "Done?"}]
    api_line = said(2, "assistant", message={"role": "assistant", "content": blocks})
    assert not own_codes(document([ASKED, {**api_line, "userType": "external"}], "claude-messages"))


# what Claude Code itself writes


def line(number: int, kind: str = "user", **more: Any) -> Line:
    """Return a line as Claude Code writes it."""
    return {
        "parentUuid": uuid(number - 1) if number > 1 else None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ana/app",
        "sessionId": SESSION,
        "version": "2.1.29",
        "gitBranch": "",
        "type": kind,
        "uuid": uuid(number),
        "timestamp": f"2026-03-02T09:00:{number:02}.000Z",
        **more,
    }


def uuid(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-{number:012x}"


def spoken(number: int, content: Any, kind: str = "user", **more: Any) -> Line:
    return line(number, kind, message={"role": kind, "content": content}, **more)


CALL = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "true"}}
REAL: dict[str, list[Line]] = {
    "a command that printed nothing": [
        spoken(1, "Run it"),
        spoken(2, [CALL], "assistant"),
        spoken(
            3,
            [{"tool_use_id": "toolu_1", "type": "tool_result", "content": "", "is_error": False}],
            toolUseResult={"stdout": "", "stderr": "", "interrupted": False},
        ),
    ],
    "an answer that no model gave": [
        spoken(1, "Hi"),
        line(
            2,
            "assistant",
            isApiErrorMessage=True,
            message={
                "id": "0d1c",
                "model": "<synthetic>",
                "role": "assistant",
                "content": [{"type": "text", "text": "API Error: 529"}],
                "usage": {"input_tokens": 0, "output_tokens": 0},
            },
        ),
    ],
    "progress and lines without an id": [
        {"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION},
        spoken(1, "<local-command-stdout></local-command-stdout>"),
        line(2, "progress", data={"type": "hook_progress"}, toolUseID="toolu_1"),
        line(3, "system", subtype="turn_duration", durationMs=12, isMeta=False),
        {"type": "last-prompt", "lastPrompt": "Hi", "sessionId": SESSION},
    ],
    "a summary of another file, a snapshot and its update": [
        {"type": "summary", "summary": "Greeting", "leafUuid": uuid(99)},
        {
            "type": "file-history-snapshot",
            "messageId": uuid(2),
            "snapshot": {
                "messageId": uuid(1),
                "trackedFileBackups": {"a": {"backupFileName": None}},
            },
            "isSnapshotUpdate": True,
        },
        spoken(1, "Hi", todos=[], thinkingMetadata={"maxThinkingTokens": 31999}),
    ],
    "a session that continues another": [
        {**spoken(1, "Hi"), "sessionId": "5e551011-0000-4000-8000-0000000000b2"},
        spoken(2, [{"type": "text", "text": "Hello"}], "assistant"),
    ],
}


@pytest.mark.parametrize("lines", REAL.values(), ids=REAL)
@pytest.mark.parametrize("name", ["session.jsonl", f"{SESSION}.jsonl"])
def test_output_of_the_program_is_not_reported(lines: list[Line], name: str) -> None:
    assert not own_codes(document(lines, "claude-code", name))


@pytest.mark.parametrize("target", ["claude-code", "claude-messages"])
@pytest.mark.parametrize("path", sorted(DEMO.glob("[!.]*[!y]")), ids=lambda path: path.name)
def test_conversions_break_no_rule(path: Path, target: str) -> None:
    found = api.read(load(path))
    if found.format != target:
        assert not own_codes(again(files_of(found, target), target))


@every_sample("claude-code")
def test_sessions_made_from_broken_files_break_no_rule(slug: str, path: Path) -> None:
    assert not own_codes(again(files_of(sample(slug, path), "claude-code"), "claude-code"))


# repairs


@given(st.lists(st.integers(-1, 8), min_size=1, max_size=9), st.sets(st.integers(0, 8)))
def test_new_ids_keep_the_tree(above: list[int], foreign: set[int]) -> None:
    """Each line is a child of an earlier one or a root; some have ids of another tool."""
    names = [f"turn {at}" if at in foreign else uuid(at + 1) for at in range(len(above))]
    parents = [names[up] if 0 <= up < at else None for at, up in enumerate(above)]
    lines = [
        {**spoken(at + 1, "Hi"), "uuid": names[at], "parentUuid": parents[at]}
        for at in range(len(above))
    ]
    before = document(lines, "claude-code")
    after = repair_document(before, unsafe=True).after
    (old,), (new,) = before.conversations, after.conversations
    assert list(old.skeleton.parents) == list(new.skeleton.parents)
    assert all(is_uuid(id) for id in new.skeleton.ids)
    kept = [one == two for one, two in zip(old.skeleton.ids, new.skeleton.ids, strict=True)]
    assert kept == [at not in foreign for at in range(len(above))]


def test_a_line_without_a_session_is_left_alone_where_there_are_two() -> None:
    nameless = {key: item for key, item in spoken(3, "Hi").items() if key != "sessionId"}
    lines = [spoken(1, "Hi"), {**spoken(2, "Hi"), "sessionId": uuid(7)}, nameless, spoken(4, "Hi")]
    found = document(lines, "claude-code")
    assert [each.fix for each in make_report(found).findings if each.code == "CLC103"] == [None]
    assert not repair_document(found).changed


def test_a_system_line_keeps_its_content_when_its_session_is_filled_in() -> None:
    notice = line(2, "system", message={"role": "system", "content": "Hooks ran."})
    lines = [spoken(1, "Hi"), {**notice, "sessionId": None}]
    done = repair_document(document(lines, "claude-code"))
    ((_, content),) = done.source.files.items()
    assert json.loads(content.read().splitlines()[1]) == notice


def test_a_message_never_becomes_empty() -> None:
    blank = spoken(1, [{"type": "text", "text": " "}, {"type": "thinking", "thinking": ""}])
    done = repair_document(document([blank], "claude-code"), unsafe=True)
    (entry,) = done.after.conversations[0].entries
    assert entry.text == "(no content)"  # type: ignore[union-attr]


# Claude Code's own folder


def in_its_place(home: Path, lines: Sequence[Line], *, days: float) -> Path:
    path = home / ".claude" / "projects" / "-home-ana-app" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    written = time() - days * 86_400
    os.utime(path, (written, written))
    return path


@pytest.mark.parametrize(
    ("days", "expected"), [(0, False), (22.5, False), (23.5, True), (90, True)]
)
def test_sessions_about_to_be_deleted_are_reported(
    tmp_path: Path, days: float, expected: bool
) -> None:
    path = in_its_place(tmp_path, [spoken(1, "Hi")], days=days)
    assert ("CLC305" in codes(api.read(path))) == expected
    elsewhere = tmp_path / path.name
    os.rename(path, elsewhere)
    assert "CLC305" not in codes(api.read(elsewhere))


def test_copies_of_files_are_looked_for_where_claude_code_keeps_them(tmp_path: Path) -> None:
    snapshot = {
        "type": "file-history-snapshot",
        "messageId": uuid(1),
        "snapshot": {
            "messageId": uuid(1),
            "trackedFileBackups": {
                "a.py": {"backupFileName": "aa@v1"},
                "b.py": {"backupFileName": "bb@v1"},
            },
        },
        "isSnapshotUpdate": False,
    }
    path = in_its_place(tmp_path, [snapshot, spoken(1, "Hi"), snapshot], days=0)
    assert "CLC306" not in codes(api.read(path)), "there is no folder to look into"
    copies = tmp_path / ".claude" / "file-history" / SESSION
    copies.mkdir(parents=True)
    (copies / "aa@v1").write_text("print(1)\n")
    reported = [
        each.message for each in make_report(api.read(path)).findings if each.code == "CLC306"
    ]
    assert reported == ["the copy of b.py is gone"], "each is told once"
