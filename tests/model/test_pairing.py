"""Tool results find their calls: by id, by parent, by order."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from talktree.model.message import Message
from talktree.model.pairing import TurnPairing
from talktree.model.parts import ToolCall, ToolResult
from tests.talk import call, reply, result, said


def pairs(messages: Iterable[Message]) -> list[tuple[str, str | None]]:
    """Return each result message and the call message it was paired with."""
    turn = TurnPairing()
    found = []
    for message in messages:
        if turn.is_ended_by(message):
            found += turn.close_turn()
        turn.take_message(message)
    found += turn.close_turn()
    return [(each.result.message, each.call.message if each.call else None) for each in found]


def test_a_result_that_names_its_call_is_believed() -> None:
    talk = [
        call("a", "u", ToolCall("One", id="1")),
        call("b", "a", ToolCall("Two", id="2")),
        result("r2", "a", ToolResult(call="2")),
        result("r1", "b", ToolResult(call="1")),
    ]
    assert pairs(talk) == [("r2", "b"), ("r1", "a")]


def test_results_below_a_call_each_belong_to_it_in_any_order() -> None:
    calls = [call("a", "u", ToolCall("One")), call("b", "a", ToolCall("Two"))]
    results = [result("ra", "a", ToolResult()), result("rb", "b", ToolResult())]
    assert pairs([*calls, *results]) == [("ra", "a"), ("rb", "b")]
    assert pairs([*calls, *reversed(results)]) == [("rb", "b"), ("ra", "a")]


def test_results_in_a_chain_answer_parallel_calls_in_order() -> None:
    names = ["a", "b", "c"]
    calls = [call(name, "u", ToolCall(name)) for name in names]
    chain = [
        result(f"r{name}", before, ToolResult())
        for name, before in zip(names, ["c", "ra", "rb"], strict=True)
    ]
    assert pairs([*calls, *chain]) == [("ra", "a"), ("rb", "b"), ("rc", "c")]


def test_results_beside_one_another_answer_in_order() -> None:
    calls = [call("a", "u", ToolCall("One")), call("b", "a", ToolCall("Two"))]
    assert pairs([*calls, result("r1", "b", ToolResult()), result("r2", "b", ToolResult())]) == [
        ("r1", "a"),
        ("r2", "b"),
    ]


def test_several_calls_and_results_in_one_message() -> None:
    talk = [
        call("a", "u", ToolCall("One"), ToolCall("Two")),
        result("r", "a", ToolResult(name="x"), ToolResult(name="y")),
    ]
    assert pairs(talk) == [("r", "a"), ("r", "a")]


def test_a_call_no_one_answered_does_not_take_the_next_result() -> None:
    talk = [
        call("a", "u", ToolCall("One")),
        said("u2", "a", "never mind"),
        call("b", "u2", ToolCall("Two")),
        result("r", "b", ToolResult()),
    ]
    assert pairs(talk) == [("r", "b")]


def test_a_result_may_come_turns_later_if_it_names_its_call() -> None:
    talk = [
        call("a", "u", ToolCall("One", id="slow")),
        said("u2", "a", "meanwhile"),
        reply("b", "u2"),
        result("r", "b", ToolResult(call="slow")),
    ]
    assert pairs(talk) == [("r", "a")]


def test_a_result_of_an_unknown_call_stays_alone() -> None:
    assert pairs([result("r", "u", ToolResult(call="nobody"))]) == [("r", None)]
    assert pairs(
        [call("a", "u", ToolCall("One", id="1")), result("r", "a", ToolResult(call="2"))]
    ) == [("r", None)]


@given(st.permutations(range(6)), st.integers(1, 6))
def test_every_named_result_finds_its_call_in_any_order(order: list[int], rounds: int) -> None:
    talk = [call(f"c{number}", "u", ToolCall("T", id=str(number))) for number in range(6)]
    talk += [result(f"r{number}", "u", ToolResult(call=str(number))) for number in order[:rounds]]
    assert pairs(talk) == [(f"r{number}", f"c{number}") for number in order[:rounds]]


@given(st.lists(st.sampled_from(["call", "result", "said", "named", "answer"]), max_size=30))
def test_no_call_is_answered_twice(kinds: list[str]) -> None:
    made = {
        "call": lambda id, above: call(id, above, ToolCall("T")),
        "result": lambda id, above: result(id, above, ToolResult()),
        "said": lambda id, above: said(id, above),
        "named": lambda id, above: call(id, above, ToolCall("T", id="same")),
        "answer": lambda id, above: result(id, above, ToolResult(call="same")),
    }
    talk = [made[kind](f"m{n}", f"m{n - 1}" if n else None) for n, kind in enumerate(kinds)]
    answered = [there for _, there in pairs(talk) if there is not None]
    assert len(set(answered)) == len(answered)
    assert len(pairs(talk)) == sum(kind in ("result", "answer") for kind in kinds)
