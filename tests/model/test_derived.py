"""Facts derived from messages: speakers, tasks, waits, totals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree.model.derived import find_speaker, find_todos, normalize_tool_name
from talktree.model.message import META, SIDECHAIN, Message, Todo, Usage
from talktree.model.parts import Event, Part, Text, ToolCall, ToolResult
from talktree.model.statistics import Tally, compute_latencies
from talktree.views.speakers import find_format_speaker
from tests.talk import at, call, reply, result, said, talk


@pytest.mark.parametrize(
    ("parts", "flags", "name"),
    [
        ((Text("hello"),), (), "User"),
        ((), (), "User"),
        ((Text("a reminder"),), (META,), "System"),
        ((ToolResult((Text("done"),), call="1"),), (), "Tool"),
        ((ToolResult((Text("done"),), call="1"), Text("and go on")), (), "User"),
        ((ToolResult((Text("done"),), call="1"),), (SIDECHAIN,), "Tool"),
        ((Event("command", "/plan"),), (), "Command"),
        ((Event("command_output", "ok"),), (META,), "Command"),
        ((Event("summary", "so far"),), (), "Summary"),
        ((Event("other", "x"),), (), "User"),
    ],
)
def test_programs_texts_are_not_attributed_to_the_user(
    parts: tuple[Part, ...], flags: tuple[str, ...], name: str
) -> None:
    assert find_speaker(Message(role="user", parts=parts, flags=frozenset(flags))) == name


@pytest.mark.parametrize(
    ("role", "flags", "format", "name"),
    [
        ("user", (), "claude-code", "User"),
        ("assistant", (), "claude-code", "Claude"),
        ("user", (SIDECHAIN,), "claude-messages", "Claude"),
        ("assistant", (SIDECHAIN,), "claude-messages", "Sub-agent"),
        ("user", (SIDECHAIN,), "sage", "Sage"),
        ("assistant", (), "studio", "Assistant"),
        ("tool", (), "sage", "Tool"),
        ("system", (SIDECHAIN,), "claude-code", "System"),
        ("custom_title", (), "sage", "Custom title"),
        ("", (), "studio", "Unknown"),
    ],
)
def test_speakers(role: str, flags: tuple[str, ...], format: str, name: str) -> None:
    assert find_format_speaker(format, Message(role=role, flags=frozenset(flags))) == name


def test_tool_names_are_compared_without_case_and_joints() -> None:
    assert (
        normalize_tool_name("TodoWrite")
        == normalize_tool_name("todo_write")
        == normalize_tool_name("todo-write")
    )


def test_todos_come_from_the_message_or_from_the_last_call_that_writes_them() -> None:
    listed = (Todo("x", "pending"),)
    first = ToolCall("TodoWrite", {"todos": [{"content": "a", "status": "pending"}]})
    second = ToolCall("todo_write", {"todos": [{"content": "b", "status": "completed"}, 7, {}]})
    assert find_todos(said("m", todos=listed)) == listed
    assert find_todos(call("m", None, first, second)) == (
        Todo("b", "completed"),
        Todo("", "pending"),
    )
    assert find_todos(call("m", None, ToolCall("TodoWrite", {"todos": "none"}))) is None
    assert find_todos(call("m", None, ToolCall("TodoWrite", ["odd"]))) is None
    assert find_todos(said("m")) is None


def test_a_reply_is_waited_for_from_the_prompt_on_past_notes() -> None:
    conversation = talk(
        [
            said("u", time_ns=at(0)),
            said("note", "u", time_ns=at(1), flags=frozenset({META})),
            reply("a", "note", time_ns=at(4)),
            reply("a2", "a", time_ns=at(9)),
            said("u2", "a2", time_ns=at(20)),
            reply("b", "u2", time_ns=at(22.5)),
            reply("retry", "u2", time_ns=at(30)),
            said("u3", "b", time_ns=at(40)),
            reply("earlier", "u3", time_ns=at(39)),
            reply("untimed", "u3"),
        ]
    )
    assert sorted(compute_latencies(conversation)) == [2.5, 4.0, 10.0]


def test_a_gap_of_more_than_an_hour_is_not_the_time_of_an_answer() -> None:
    conversation = talk(
        [
            said("u1", time_ns=at(0)),
            reply("a1", "u1", time_ns=at(3600)),
            said("u2", "a1", time_ns=at(4000)),
            reply("a2", "u2", time_ns=at(7601)),
            said("u3", "a2", time_ns=at(8000)),
            reply("a3", "u3", time_ns=at(7999)),
        ]
    )
    assert list(compute_latencies(conversation)) == [3600.0]


def test_no_one_waits_in_a_sidechain() -> None:
    aside = frozenset({SIDECHAIN})
    conversation = talk(
        [said("u", time_ns=at(0), flags=aside), reply("a", "u", time_ns=at(5), flags=aside)]
    )
    assert list(compute_latencies(conversation)) == []


# totals


def counted(*messages: Message) -> Tally:
    tally = Tally()
    tally.add_conversation(talk(messages))
    return tally


def test_pieces_of_one_api_message_count_once_with_the_largest_output() -> None:
    pieces = [
        reply(f"a{n}", "u", api_message="api", model="m", time_ns=at(n), usage=Usage(10, out, 3, 4))
        for n, out in enumerate([1, 50, 20])
    ]
    tally = counted(said("u"), *pieces, reply("b", "a2", model="m", usage=Usage(5, 5)))
    spent = tally.tokens
    assert (spent.api_messages, spent.input, spent.output) == (2, 15, 55)
    assert (spent.cache_read, spent.cache_write) == (3, 4)
    assert tally.models["m"].tokens.output == 55
    assert [day.tokens.output for day in tally.days.values()] == [50]


def test_a_copied_conversation_does_not_cost_its_tokens_again() -> None:
    original = talk([reply("a", api_message="api", usage=Usage(10, 20))])
    tally = Tally()
    tally.add_conversation(original)
    tally.add_conversation(original)
    assert (tally.conversations, tally.messages) == (2, 2)
    assert (tally.tokens.input, tally.tokens.output) == (10, 20)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 100)), max_size=20))
def test_tokens_do_not_depend_on_the_order_of_pieces(pieces: list[tuple[str, int]]) -> None:
    messages = [
        reply(f"m{n}", api_message=api, usage=Usage(7, out)) for n, (api, out) in enumerate(pieces)
    ]
    there, back = counted(*messages).tokens, counted(*reversed(messages)).tokens
    largest = {api: max(out for other, out in pieces if other == api) for api, _ in pieces}
    assert there.output == back.output == sum(largest.values())
    assert there.input == back.input == 7 * len(largest)


def test_tools_count_calls_answers_failures_and_time() -> None:
    tally = counted(
        said("u"),
        call("a", "u", ToolCall("Bash", id="1"), ToolCall("Read", id="2"), time_ns=at(0)),
        result("r", "a", ToolResult(call="2"), time_ns=at(1)),
        result("s", "r", ToolResult(call="1", error=True), time_ns=at(3)),
        call("b", "s", ToolCall("Bash", id="3"), time_ns=at(5)),
    )
    bash, read = tally.tools["Bash"], tally.tools["Read"]
    assert (bash.calls, bash.answered, bash.failures, list(bash.seconds)) == (2, 1, 1, [3.0])
    assert (read.calls, read.answered, read.failures, list(read.seconds)) == (1, 1, 0, [1.0])


def test_a_sidechain_between_call_and_result_does_not_disturb_them() -> None:
    aside = frozenset({SIDECHAIN})
    tally = counted(
        call("a", None, ToolCall("Task")),
        said("s", "a", flags=aside),
        call("t", "s", ToolCall("Bash"), flags=aside),
        result("q", "t", ToolResult(), flags=aside),
        result("r", "a", ToolResult(error=True)),
    )
    assert (tally.tools["Task"].failures, tally.tools["Bash"].failures) == (1, 0)
    assert tally.sidechains == 1


def test_days_spans_roles_and_tasks() -> None:
    done, still = Todo("a", "completed"), Todo("b", "in_progress")
    tally = counted(
        said("u", time_ns=at(0), todos=(still,)),
        reply("a", "u", time_ns=at(86_400), todos=(done, still)),
        replace(said("n", "a", todos=()), parts=(Event("note"),)),
    )
    assert [day.messages for day in tally.days.values()] == [1, 1]
    assert (tally.first, tally.last) == (at(0), at(86_400))
    assert dict(tally.roles) == {"user": 2, "assistant": 1}
    assert (tally.todos_done, tally.todos_open) == (1, 1)
