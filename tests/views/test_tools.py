"""Known tools have their expected form, others are shown as they are."""

from __future__ import annotations

import pytest

from talktree.model.parts import Attachment, Text, ToolCall, ToolResult
from talktree.views.terminal import to_text
from talktree.views.tools import format_call_lines, format_call_title, format_result_lines


def shown(name: str, input: object, output: str | None = "", *, error: bool = False) -> list[str]:
    """Return the lines of a call with its result."""
    result = None if output is None else ToolResult((Text(output),), error=error)
    return [to_text(line) for line in format_call_lines(ToolCall(name, input), result)]


@pytest.mark.parametrize("name", ["Bash", "bash", "BASH"])
def test_a_shell_command_and_its_output(name: str) -> None:
    assert shown(name, {"command": "ls\nwc"}, "a\nb\n") == ["$ ls", "  wc", "  a", "  b"]


def test_long_output_is_cut_and_counted() -> None:
    lines = shown("Bash", {"command": "seq 100"}, "\n".join(map(str, range(100))))
    assert lines[0] == "$ seq 100"
    assert lines[-1] == "  … 88 more lines"
    assert len(lines) == 14


def test_colours_of_output_are_left_out_and_what_acts_is_written_out() -> None:
    lines = shown("Bash", {"command": "ls"}, "\x1b[1;32mok\x1b[0m \x1b]0;title\x07")
    assert lines[1] == "  ok \\x1b]0;title\\x07"


def test_a_long_line_of_output_is_cut_and_counted() -> None:
    lines = shown("Bash", {"command": "x"}, "y" * 5_000_000)
    assert lines[1] == f"  {'y' * 400}… (+4,999,600)"


def test_nothing_is_cut_when_all_is_asked_for() -> None:
    call = ToolCall("Bash", {"command": "seq 100"})
    lines = format_call_lines(call, ToolResult((Text("\n".join(map(str, range(100)))),)), full=True)
    assert len(lines) == 101


def test_an_edit_is_a_diff() -> None:
    edit = {"file_path": "a.py", "old_string": "one\ntwo\nthree", "new_string": "one\n2\nthree"}
    assert shown("Edit", edit) == ["Edit a.py  +1 -1", "   one", "  -two", "  +2", "   three"]
    named = {"path": "a.py", "old_str": "x", "new_str": "y"}
    assert shown("str_replace", named) == ["str_replace a.py  +1 -1", "  -x", "  +y"]


def test_several_edits_are_several_diffs() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, "odd", {"old_string": "c", "new_string": ""}]
    assert shown("MultiEdit", {"file_path": "f", "edits": edits}) == [
        "MultiEdit f  +1 -2",
        "  -a",
        "  +b",
        "  ⋯",
        "  -c",
    ]


def test_a_huge_edit_is_shown_without_comparing_it() -> None:
    old, new = "\n".join(["x"] * 5000), "\n".join(["y"] * 5000)
    lines = shown("Edit", {"file_path": "f", "old_string": old, "new_string": new})
    assert lines[-1] == "  … 9,940 more lines"


def test_a_written_file_is_all_new() -> None:
    assert shown("Write", {"file_path": "f", "content": "a\nb\n"}) == [
        "Write f  +2",
        "  +a",
        "  +b",
    ]


def test_tasks_are_a_checklist() -> None:
    states = ["completed", "in_progress", "pending", "blocked"]
    todos = [{"content": state, "status": state} for state in states]
    assert shown("TodoWrite", {"todos": todos}) == [
        "TodoWrite",
        "  [x] completed",
        "  [>] in_progress",
        "  [ ] pending",
        "  [ ] blocked  (blocked)",
    ]


@pytest.mark.parametrize(
    ("name", "input", "line"),
    [
        ("Read", {"file_path": "a.py", "offset": 3}, "Read a.py  offset 3  → 2 lines"),
        ("Grep", {"pattern": "def", "path": "src"}, "Grep def  path src  → 2 lines"),
        ("glob", {"pattern": "*.md"}, "glob *.md  → 2 lines"),
        ("WebFetch", {"url": "https://x.org"}, "WebFetch https://x.org  → 2 lines"),
        ("WebSearch", {"query": "tides"}, "WebSearch tides  → 2 lines"),
    ],
)
def test_looking_something_up_is_one_line(name: str, input: object, line: str) -> None:
    assert shown(name, input, "x\ny") == [line]


def test_a_sub_agent_is_reported_by_its_task() -> None:
    asked = {"description": "Review", "prompt": "Look at\nall of it", "subagent_type": "critic"}
    assert shown("Task", asked, "Fine.") == [
        "Task Review  (critic)",
        "  Look at all of it",
        "  Fine.",
    ]
    assert shown("Agent", asked, "Fine.")[0] == "Agent Review  (critic)"


def test_a_slash_command_is_a_chip() -> None:
    assert shown("SlashCommand", {"command": "/compact now"}) == ["[/compact now]"]


def test_any_other_tool_shows_its_arguments_and_answer() -> None:
    assert shown("weigh", {"item": "flour"}, "500 g") == ['weigh {"item":"flour"}', "  500 g"]
    assert shown("ping", None, "pong") == ["ping", "  pong"]


@pytest.mark.parametrize("name", ["Read", "Edit", "TodoWrite", "Bash", "weigh"])
def test_a_failure_is_never_folded_away(name: str) -> None:
    assert shown(name, {}, "no such thing", error=True)[-2:] == ["  failed", "  no such thing"]


@pytest.mark.parametrize("name", ["Read", "Bash", "weigh"])
def test_a_missing_result_is_said(name: str) -> None:
    assert shown(name, {}, None)[-1] == "  no result"


@pytest.mark.parametrize(
    "input", [None, [], "text", 7, {"command": 3}, {"edits": "x"}, {"todos": 1}]
)
@pytest.mark.parametrize(
    "name", ["Bash", "Edit", "Write", "TodoWrite", "Read", "Task", "Skill", ""]
)
def test_odd_arguments_do_not_fail(name: str, input: object) -> None:
    assert shown(name, input, "x")
    assert isinstance(format_call_title(ToolCall(name, input)), str)


def test_a_result_automatically_names_its_tool() -> None:
    result = ToolResult(
        (Text("late"), Attachment("a.png", "image/png", "data:image/png;base64,AAAA"))
    )
    lines = [to_text(line) for line in format_result_lines(result, "Bash")]
    assert lines == ["result of Bash", "  late", "  [attachment: a.png, image/png, 3 bytes]"]
