"""Tool calls and results: paired on each branch, repaired without losing a real result."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree import api
from talktree.checks.registry import choose_rules, rules_for
from talktree.checks.report import make_report
from talktree.checks.support.tool_results import LOST, is_placeholder
from talktree.files import Source
from talktree.formats.rule import Rule
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.message import Message
from talktree.model.parts import Text, ToolCall, ToolResult
from talktree.repairs.run import repair_document
from tests.checks.session import Session, call, lines, name

MISSING = "[Tool result missing due to internal error]"


def rules(format: str = "claude-code", *codes: str) -> list[Rule]:
    return choose_rules(rules_for(format), select=codes or ("TOL", "TRE"))


def codes(document: Document) -> list[str]:
    return [each.code for each in make_report(document, rules(document.format, "TOL")).findings]


def repaired(document: Document) -> Conversation:
    done = repair_document(document, unsafe=True, rules=rules(document.format))
    assert not repair_document(done.after, unsafe=True, rules=rules(document.format)).changed
    return done.after.conversation


def texts_of_results(conversation: Conversation) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for message in conversation.messages():
        for part in message.parts:
            if isinstance(part, ToolResult) and isinstance(part.output[0], Text):
                found.setdefault(part.call or "", []).append(part.output[0].text)
    return found


# pairing results with calls


def test_forks_may_repeat_a_call_and_its_result() -> None:
    session = Session()
    start = session.say()
    for _ in range(3):
        session.reply(call("toolu_1"), parent=start)
        session.give(("toolu_1", "rake"))
        session.reply()
        session.say()
    assert codes(session.document()) == []


def test_a_replay_after_a_compaction_is_not_a_second_call() -> None:
    session = Session()
    session.say()
    for _ in range(2):
        session.reply(call("toolu_1"))
        last = session.give(("toolu_1", "rake"))
        boundary = session.add(
            "system",
            None,
            None,
            subtype="compact_boundary",
            content="Conversation compacted",
            logicalParentUuid=name(last),
            compactMetadata={"trigger": "auto", "preTokens": 9},
        )
        session.say("What was said so far.", boundary, isCompactSummary=True)
    assert codes(session.document()) == []


def test_parallel_results_may_are_beside_each_other() -> None:
    session = Session()
    session.say()
    one = session.reply(call("toolu_1"), api="msg_x")
    two = session.reply(call("toolu_2"), api="msg_x")
    session.give(("toolu_2", "spade"), parent=two)
    session.give(("toolu_1", "rake"), parent=one)
    session.reply()
    assert codes(session.document()) == []


def test_a_result_on_another_branch_is_not_an_orphan() -> None:
    session = Session()
    start = session.say()
    session.reply(call("toolu_1"), parent=start)
    session.say(parent=start)
    session.give(("toolu_1", "rake"))
    assert "TOL102" not in codes(session.document())


@pytest.mark.parametrize("count", [3, 3000])
def test_many_calls_with_one_id_are_each_reported(count: int) -> None:
    session = Session()
    session.say()
    for number in range(count):
        session.reply(call("toolu_1"))
        session.give(("toolu_1", f"{number}"))
    assert codes(session.document()) == ["TOL103"] * (count - 1)


def test_a_copied_record_is_not_a_second_call() -> None:
    session = Session()
    session.say()
    session.reply(call("toolu_1"))
    session.lines.append(session.lines[-1])
    session.lines.append(session.lines[-1])
    session.give(("toolu_1", "rake"), parent=2)
    session.reply()
    assert codes(session.document()) == []


# repairing


def test_a_real_result_wins_over_a_placeholder_wherever_it_is() -> None:
    for beside in (False, True):
        session = Session()
        session.say()
        asked = session.reply(call("toolu_1"))
        session.give(("toolu_1", MISSING))
        session.reply()
        session.say()
        session.give(("toolu_1", "rake"), parent=asked if beside else 0)
        document = session.document()
        assert "TOL104" in codes(document)
        after = repaired(document)
        assert texts_of_results(after) == {"toolu_1": ["rake"]}
        assert len(after.tree.roots) == 1


def test_children_of_a_dropped_result_move_to_the_kept_one() -> None:
    session = Session()
    session.say()
    asked = session.reply(call("toolu_1"))
    session.give(("toolu_1", MISSING))
    last = session.reply()
    kept = session.give(("toolu_1", "rake"), parent=asked)
    after = repaired(session.document())
    assert after[name(last)].parent == name(kept)


def test_orphans_in_a_row_leave_one_line() -> None:
    session = Session()
    first = session.say()
    for number in range(4):
        session.give((f"toolu_{number}", "rake"))
    last = session.reply()
    after = repaired(session.document())
    assert after[name(last)].parent == name(first)


def test_a_result_stays_whose_call_may_be_in_the_file_before() -> None:
    session = Session()
    session.say()
    session.reply(call("toolu_1"))
    session.give(("toolu_1", "rake"))
    session.reply()
    files = {"one.jsonl": lines(session.lines[:2]), "two.jsonl": lines(session.lines[2:])}
    document = api.read(Source.of_files(files), format="claude-code")
    (found,) = (each for each in make_report(document, rules("claude-code", "TOL102")).findings)
    assert found.fix is None
    assert "one" in found.message


def test_an_answer_is_between_the_call_and_what_follows_on_all_branches() -> None:
    session = Session()
    session.say()
    asked = session.reply(call("toolu_1"), call("toolu_2"))
    follow = [session.say(parent=asked), session.say(parent=asked)]
    after = repaired(session.document())
    for each in follow:
        path = after.path(name(each))
        answers = [part for message in path for part in message.parts if is_placeholder(part)]
        assert [part.call for part in answers if isinstance(part, ToolResult)] == [
            "toolu_1",
            "toolu_2",
        ]


def test_an_answer_is_marked_and_says_that_it_is_an_error() -> None:
    session = Session()
    session.say()
    session.reply(call("toolu_1"))
    session.say()
    after = repaired(session.document())
    (made,) = (each for each in after.messages() if any(map(is_placeholder, each.parts)))
    (part,) = made.parts
    assert isinstance(part, ToolResult)
    assert part.error
    assert part.output == (Text(LOST),)


def test_nothing_is_inserted_after_a_call_that_may_still_run() -> None:
    session = Session()
    session.say()
    session.reply(call("toolu_1"))
    done = repair_document(session.document(), unsafe=True, rules=rules())
    assert not done.changed


def test_a_safe_repair_leaves_tools_alone() -> None:
    session = Session()
    session.say()
    session.reply(call("toolu_1"), call("toolu_1"))
    session.give(("toolu_9", "rake"))
    session.reply()
    assert not repair_document(session.document(), rules=rules()).changed


SAGE = {
    "type": "assistant",
    "sessionId": "s",
    "version": "0.1.0",
    "context": {"cwd": "/home/mira", "platform": "linux"},
    "todos": [],
    "isSidechain": False,
}


def test_other_formats_are_answered_in_their_own_shape() -> None:
    def line(number: int, role: str, **said: object) -> dict[str, object]:
        return {
            **SAGE,
            "type": role,
            "uuid": name(number),
            "parentUuid": name(number - 1) if number > 1 else None,
            "timestamp": f"2026-03-04T09:00:0{number}.000Z",
            "message": {"role": role, "content": "", **said},
        }

    calls = [{"id": f"call_{each}", "name": "bash", "arguments": {}} for each in (1, 2)]
    given = {"toolCallId": "call_1", "toolName": "bash", "content": "rake", "success": True}
    answer = {**line(3, "tool_result"), "toolResults": [given]}
    del answer["message"]
    data = lines([line(1, "user"), line(2, "assistant", toolCalls=calls), answer, line(4, "user")])
    document = api.read(Source.of_bytes(data, name="messages.jsonl"), format="sage")
    assert codes(document) == ["TOL101"]
    after = repaired(document)
    made = [each for each in after.messages() if any(map(is_placeholder, each.parts))]
    assert [each.role for each in made] == ["tool"]
    assert texts_of_results(after).keys() == {"call_1", "call_2"}


# random damage

STEPS = st.lists(st.sampled_from(["say", "reply", "call", "calls", "give", "again"]), max_size=14)


@given(steps=STEPS, ids=st.lists(st.integers(1, 4), min_size=14, max_size=14))
def test_after_repair_every_line_can_be_sent(steps: list[str], ids: list[int]) -> None:
    session = Session()
    session.say()
    for step, number in zip(steps, ids, strict=False):
        _take(session, step, number)
    session.say("The end.")
    before = session.document()
    real = {text for texts in texts_of_results(before.conversation).values() for text in texts}
    after = repaired(before)
    _assert_sendable(after)
    assert len(after.tree.roots) == 1
    texts = {text for each in texts_of_results(after).values() for text in each}
    assert texts - {LOST} <= real


def _take(session: Session, step: str, number: int) -> None:
    match step:
        case "say":
            session.say()
        case "reply":
            session.reply()
        case "call":
            session.reply(call(f"toolu_{number}"))
        case "calls":
            session.reply(call(f"toolu_{number}"), call(f"toolu_{number + 1}"))
        case "give":
            session.give((f"toolu_{number}", f"{len(session.lines)}"))
        case _:
            text = f"{len(session.lines)}"
            session.give((f"toolu_{number}", text), (f"toolu_{number}", MISSING))


def _assert_sendable(conversation: Conversation) -> None:
    """Assert that each call has a unique id and one result, and each result has a call."""
    called = [part.id for part in _parts(conversation) if isinstance(part, ToolCall)]
    given = [part.call for part in _parts(conversation) if isinstance(part, ToolResult)]
    assert len(set(called)) == len(called)
    assert sorted(map(str, given)) == sorted(map(str, called))


def _parts(conversation: Conversation) -> Iterator[object]:
    return (
        part
        for message in conversation.path()
        if isinstance(message, Message)
        for part in message.parts
    )


def test_a_call_whose_message_has_half_a_character_in_its_id_is_answered() -> None:
    session = Session()
    session.say()
    session.reply(call("t1"), uuid="\ud800")
    session.say("And?", parent=None, parentUuid="\ud800")
    answered = [
        part
        for entry in repaired(session.document()).entries
        if isinstance(entry, Message)
        for part in entry.parts
        if isinstance(part, ToolResult)
    ]
    assert [part.call for part in answered] == ["t1"]
