"""The requirements of the Message Type Specification, through the command line: each is an error.

Every requirement is broken in a valid session, once in its first line and once in a later one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.documents.command_line import command as run

Line = dict[str, Any]
Change = Callable[[Line], Line]


def line(number: int, type: str = "user", **more: Any) -> Line:
    """Return a line of the document with all required members."""
    made: Line = {
        "type": type,
        "uuid": f"m{number}",
        "parentUuid": f"m{number - 1}" if number > 1 else None,
        "timestamp": f"2025-01-27T10:00:{number:02}Z",
        "sessionId": "session-123",
    }
    return {**made, **more}


def call(number: int, **more: Any) -> Line:
    given = {"subtype": "tool_use", "toolName": "Bash", "toolArguments": {"command": "ls"}}
    return line(number, "assistant", **given, **more)


def result(number: int, **more: Any) -> Line:
    return line(number, "system", subtype="tool_result", message="a.py", **more)


def answer(number: int, **more: Any) -> Line:
    return line(number, "assistant", subtype="response", message="Yes.", **more)


def asked(number: int, **more: Any) -> Line:
    return line(number, message="Is it done?", **more)


def delegated(number: int, **more: Any) -> Line:
    return asked(number, isSidechain=True, userType="external", **more)


def compacted(number: int, **more: Any) -> Line:
    numbers = {"preservedMessages": 15, "totalMessages": 150, "compressionRatio": 0.1}
    given = {"message": "conversation_compacted", "metadata": numbers}
    return line(number, "compact_system", **given, **more)


def details(number: int) -> Line:
    return line(number, "system", message="Still connected")


def without(*keys: str) -> Change:
    return lambda value: {key: item for key, item in value.items() if key not in keys}


def with_(**more: Any) -> Change:
    return lambda value: {**value, **more}


REQUIRED: dict[str, tuple[Callable[[int], Line], Change, str]] = {
    "rule 2: ISO 8601": (asked, with_(timestamp="27 January 2025"), "CLM103"),
    "rule 3: parent exists": (asked, with_(parentUuid="gone"), "TRE1"),
    "rule 3: not its own parent": (asked, lambda it: {**it, "parentUuid": it["uuid"]}, "TRE105"),
    "rule 4: kinds": (asked, with_(isMeta="no"), "CLM102"),
    "rule 4: text": (asked, with_(message={"text": "Is it done?"}), "CLM105"),
    "rule 4: text, not an API object": (
        asked,
        with_(message={"role": "user", "content": [{"type": "text", "text": "Is it done?"}]}),
        "CLM105",
    ),
    "rule 4: text, not a list": (asked, with_(message=["Is it done?"]), "CLM102"),
    "rule 4: no tool in a response": (answer, with_(toolName="Bash"), "CLM203"),
    "rule 5: name": (call, without("toolName"), "CLM202"),
    "rule 5: arguments": (call, without("toolArguments"), "CLM202"),
    "type": (asked, without("type"), "CLM106"),
    "uuid": (asked, without("uuid"), "IDS101"),
    "timestamp": (asked, without("timestamp"), "CLM101"),
    "sessionId": (asked, without("sessionId"), "CLM101"),
    "sessionId is not empty": (asked, with_(sessionId=""), "CLM101"),
    "message of a user": (asked, without("message"), "CLM104"),
    "message of the system": (details, without("message"), "CLM104"),
    "message of a compaction": (compacted, without("message", "metadata"), "CLM101"),
    "operation of a compaction": (compacted, with_(message="squeezed"), "CLM401"),
    "metadata of a compaction": (compacted, without("metadata"), "CLM402"),
}  # fmt: skip


def checked(folder: Path, lines: list[Line]) -> tuple[int, dict[str, str]]:
    """Return the exit code of a check, and the severity of each code it reports."""
    path = folder / "session.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    done = run("check", "--json", "--from", "claude-messages", str(path))
    findings = json.loads(done.out)["findings"]
    return done.code, {each["code"]: each["severity"] for each in findings}


@pytest.mark.parametrize("first", [True, False], ids=["first-line", "later-line"])
@pytest.mark.parametrize("name", REQUIRED)
def test_missing_requirements_of_the_document_are_errors(
    name: str, *, first: bool, tmp_path: Path
) -> None:
    make, change, code = REQUIRED[name]
    before = [] if first else [asked(1), answer(2)]
    number = len(before) + 1
    lines = [*before, make(number), answer(number + 1)]
    assert checked(tmp_path, lines) == (0, {})
    lines[number - 1] = change(lines[number - 1])
    exit_code, found = checked(tmp_path, lines)
    assert exit_code == 1
    assert [severity for each, severity in found.items() if each.startswith(code)] == ["error"]


def test_rule_1_a_uuid_is_unique(tmp_path: Path) -> None:
    for other in (answer(1, parentUuid="m1"), asked(1), {**asked(1), "parentUuid": "m2"}):
        exit_code, found = checked(tmp_path, [asked(1), answer(2), other])
        assert exit_code == 1
        assert "error" in found.values()


SIDE = {"isSidechain": True}
BREAKS: dict[str, list[Line]] = {
    "the sub-agent answers": [delegated(3), answer(4)],
    "the result of its call": [delegated(3), call(4, **SIDE), result(5), answer(6, **SIDE)],
    "the last result": [delegated(3), call(4, **SIDE), result(5), answer(6)],
    "what hangs on a result": [
        delegated(3), call(4, **SIDE), result(5), details(6), answer(7),
    ],
    "a user": [delegated(3), answer(4, **SIDE), asked(5)],
    "an answer to a human": [
        delegated(3), answer(4, **SIDE), answer(5), asked(6), answer(7, **SIDE),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", BREAKS)
def test_rule_6_every_message_up_to_the_first_unflagged_reply_is_flagged(
    name: str, tmp_path: Path
) -> None:
    exit_code, found = checked(tmp_path, [asked(1), answer(2), *BREAKS[name]])
    assert exit_code == 1
    assert found.keys() <= {"TRE107", "CLM302"}
    assert set(found.values()) == {"error"}


def test_rule_6_each_unflagged_message_is_named(tmp_path: Path) -> None:
    lines = [asked(1), answer(2), *BREAKS["what hangs on a result"]]
    (tmp_path / "session.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    done = run("check", "--json", str(tmp_path / "session.jsonl"))
    assert [each["entry"] for each in json.loads(done.out)["findings"]] == ["m5", "m6"]


FLOWS: dict[str, list[Line]] = {
    "delegation": [asked(1), answer(2), delegated(3), answer(4, **SIDE), answer(5)],
    "delegation with a tool": [
        asked(1), answer(2), delegated(3), call(4, **SIDE), result(5, **SIDE), answer(6, **SIDE),
        answer(7), asked(8),
    ],
    "delegation beside the chain": [
        asked(1), answer(2), delegated(3), answer(4, **SIDE), answer(5, parentUuid="m2"),
    ],
    "request and response": [asked(1), call(2), result(3)],
    "compaction": [
        line(1, message="/compact"), line(2, "compact_system", message="conversation_compacting"),
        compacted(3), answer(4),
    ],
    "branching": [asked(1), answer(2), asked(3), answer(4), asked(5, parentUuid="m2"), answer(6)],
}  # fmt: skip


@pytest.mark.parametrize("name", FLOWS)
def test_the_flows_of_the_document_give_no_finding(name: str, tmp_path: Path) -> None:
    assert checked(tmp_path, FLOWS[name]) == (0, {})


def test_a_result_of_a_sub_agents_call_is_marked_by_a_repair(tmp_path: Path) -> None:
    lines = [asked(1), answer(2), *BREAKS["the last result"]]
    checked(tmp_path, lines)
    out = tmp_path / "repaired.jsonl"
    assert run("repair", str(tmp_path / "session.jsonl"), "-o", str(out)).code == 0
    repaired = [json.loads(each) for each in out.read_text().splitlines()]
    assert repaired[4] == {**lines[4], "isSidechain": True}
    assert run("check", str(out)).code == 0


def test_an_object_without_further_members_becomes_text(tmp_path: Path) -> None:
    said = {"role": "assistant", "content": "Yes."}
    checked(tmp_path, [asked(1), answer(2) | {"message": said}])
    out = tmp_path / "repaired.jsonl"
    assert run("repair", str(tmp_path / "session.jsonl"), "-o", str(out)).code == 0
    assert json.loads(out.read_text().splitlines()[1]) == answer(2)


def test_a_line_of_another_programs_files_is_judged_as_before(tmp_path: Path) -> None:
    said = {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}
    path = tmp_path / "session.jsonl"
    path.write_text(json.dumps(line(2, "assistant", message=said, parentUuid="gone")) + "\n")
    done = run("check", "--json", "--from", "claude-code", str(path))
    found = {each["code"]: each["severity"] for each in json.loads(done.out)["findings"]}
    assert found["TRE111"] == "warning"
    assert not any(code.startswith("CLM") for code in found)


def test_the_page_of_a_rule_names_the_formats_with_another_severity() -> None:
    assert "warning (error in claude-messages)" in run("rule", "TRE111").out
    (reported,) = json.loads(run("rule", "TRE111", "--json").out)["rules"]
    assert reported["severity"] == "warning"
    assert reported["severities"] == {"claude-messages": "error"}
