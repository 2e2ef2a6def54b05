"""Recording: linked messages with context, refused where invalid; several handles on one
session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from talktree.errors import NotFound, UsageError
from talktree.model.message import ThinkingSetting, Todo, Usage
from talktree.model.parts import Text, ToolCall, ToolResult
from talktree.session import Session, Store
from tests.session.logs import findings, values


def test_each_message_follows_the_one_before(session: Session) -> None:
    said = [
        session.user("Hi"),
        session.assistant("Hello", calls=[{"id": "c1", "name": "ls", "input": {"all": True}}]),
        session.results({"call": "c1", "output": "a b"}),
        session.system("Be kind"),
        session.error("api", "overloaded"),
        session.summary("They greeted"),
        session.title("Greetings"),
        session.todos(["rest"]),
    ]
    lines = values(session)
    assert [line["uuid"] for line in lines] == said
    assert [line["parentUuid"] for line in lines] == [None, *said[:-1]]
    assert [line["type"] for line in lines] == [
        "user", "assistant", "tool_result", "system", "error", "summary", "custom_title", "system",
    ]  # fmt: skip
    assert {line["sessionId"] for line in lines} == {session.id}
    assert session.leaf == said[-1]
    assert findings(session) == []


def test_context_is_captured_automatically(
    session: Session, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(work)
    session.user("Hi")
    line = values(session)[0]
    assert line["context"]["cwd"] == str(work)
    assert set(line["context"]) >= {"cwd", "platform", "userType"}
    assert line["version"].count(".") == 2
    assert session.differences() == ()
    (work / "b").mkdir()
    monkeypatch.chdir(work / "b")
    assert [each.kind for each in session.differences()] == ["cwd"]


def test_values_of_the_model_and_plain_dicts_are_the_same(session: Session) -> None:
    session.assistant(
        calls=[ToolCall("ls", {"a": 1}, "c1"), {"name": "ls", "input": {"a": 1}, "id": "c1"}],
        usage=Usage(1, 2, 3, 4),
        model="m-1",
        thinking="high",
        extra={"cost": 3},
    )
    session.assistant(usage={"input": 1, "output": 2, "cache_read": 3, "cache_write": 4})
    session.results(
        ToolResult((Text("x"),), "c1"),
        {"call": "c1", "output": "x"},
        {"call": "c1", "output": "no", "error": True},
    )
    first, second, third = values(session)
    one, other = first["message"]["toolCalls"]
    assert one == other
    assert first["usage"] == second["usage"]
    assert (first["model"], first["cost"]) == ("m-1", 3)
    assert first["thinkingMetadata"] == {"level": "high", "disabled": False, "triggers": []}
    assert third["toolResults"][0] == third["toolResults"][1]
    assert third["toolResults"][0]["toolName"] == "ls"
    failed = third["toolResults"][2]
    assert (failed["success"], failed["error"], failed["content"]) == (False, "no", "")


@pytest.mark.parametrize(
    "say",
    [
        lambda s: s.assistant(calls=[{"input": {}}]),
        lambda s: s.assistant(calls=[{"name": "x", "arguments": {}}]),
        lambda s: s.assistant(usage={"tokens": 3}),
        lambda s: s.results(),
        lambda s: s.results({"call": "c", "content": "x"}),
        lambda s: s.results({"call": "c", "output": ["x"]}),
        lambda s: s.user("x", extra={"uuid": "mine"}),
        lambda s: s.user("x", todos=[{"content": "a", "status": "done"}]),
        lambda s: s.user("x", todos=[{"task": "a"}]),
        lambda s: s.user("x", thinking="ultra"),
        lambda s: s.user("x", parent="nobody"),
        lambda s: s.step(),
        lambda s: s.sidechain(),
        lambda s: s.name("x"),
        lambda s: s.close(state="asleep"),
    ],
)
def test_invalid_messages_are_refused_before_anything_is_written(
    session: Session, say: Any
) -> None:
    with pytest.raises((UsageError, NotFound)) as error:
        say(session)
    assert error.value.hint
    assert session.opened.journal.length("messages") == 0
    session.user("still works")


def test_thinking_is_recorded_with_what_triggered_it(session: Session) -> None:
    asked = session.user("Ultrathink about it")
    off = session.user("ultrathink", thinking=False)
    plain = session.user("no")
    assert session.message(asked).thinking == ThinkingSetting(
        level="high", triggers=("ultrathink",)
    )
    disabled = session.message(off).thinking
    assert disabled is not None
    assert disabled.disabled
    assert session.message(plain).thinking is None


def test_phrases_come_from_the_settings(work: Path) -> None:
    store = Store(work / ".sage")
    store.change_settings(
        thinking={"phrases": {"denk nach": "high"}}, version="9.8.7", userType="internal"
    )
    with store.create(workspace=work) as session:
        id = session.user("Denk nach, think")
        found = session.message(id)
    assert found.thinking == ThinkingSetting(level="high", triggers=("denk nach",))
    assert found.context is not None
    assert (found.context.version, found.context.user_type) == ("9.8.7", "internal")


def test_todos_are_on_each_message_and_follow_the_chain(session: Session) -> None:
    first = session.user("Go", todos=["a", {"content": "b", "status": "in_progress"}])
    second = session.assistant("going")
    third = session.assistant("done", todos=[Todo("a", "completed"), Todo("b", "completed")])
    assert session.todos_at(first) == session.todos_at(second)
    assert [todo.status for todo in session.current_todos()] == ["completed"] * 2
    branch = session.user("Otherwise", parent=second)
    assert [todo.status for todo in session.todos_at(branch)] == ["pending", "in_progress"]
    assert [
        (each.message, each.done, len(each.todos)) for each in session.todo_progress(third)
    ] == [
        (first, 0, 2),
        (third, 2, 2),
    ]
    assert session.todo_progress(third)[1].changed == ("completed: a", "completed: b")
    session.todos([])
    assert session.todo_progress()[-1].changed == ("gone: a", "gone: b")
    with session.store.open(session.id) as again:
        assert again.current_todos() == ()
    assert findings(session) == []


def test_editing_is_saying_it_beside(session: Session) -> None:
    first = session.user("One")
    session.assistant("1")
    other = session.edit(first, "Two")
    assert [message.text for message in session.full_messages()] == ["Two"]
    reply = session.assistant("2")
    edited = session.edit(session.user("More"), "Less")
    assert session.message(edited).parent == reply
    with pytest.raises(UsageError):
        session.edit(reply, "3")
    assert {branch.leaf for branch in session.branches()} >= {edited}
    assert session.message(other).parent is None
    assert findings(session) == []


def test_sidechains_stay_beside(session: Session) -> None:
    main = session.user("Look around")
    side = session.sidechain()
    asked = side.user("Search")
    found = side.assistant("Found", calls=[{"id": "c", "name": "grep"}])
    side.results({"call": "c", "output": "x"})
    assert session.message(asked).parent == main
    assert session.message(found).parent == asked
    assert session.leaf == main
    with session.store.open(session.id) as again:
        assert again.leaf == main
    assert session.message(session.assistant("ok")).parent == main
    assert all(line["isSidechain"] for line in values(session)[1:4])
    assert findings(session) == []


def test_names_prefixes_and_branches_are_for_messages(session: Session) -> None:
    first = session.user("One")
    session.assistant("1")
    session.name("start", first)
    assert session.message("start").id == first
    assert session.message(first[:8]).id == first
    session.unname("start")
    with pytest.raises(NotFound):
        session.message("start")
    assert findings(session) == []


def test_an_interrupted_agent_finds_the_calls_it_left(session: Session) -> None:
    session.user("Go")
    assert session.find_unanswered() == ()
    session.assistant(calls=[{"id": "a", "name": "ls"}, {"id": "b", "name": "rm"}])
    session.results({"call": "b", "output": "x"})
    session.close()
    with session.store.open(session.id) as again:
        assert [(call.id, call.name) for call in again.find_unanswered()] == [("a", "ls")]
        answer = again.results({"call": "a", "output": "interrupted", "error": True})
        assert again.find_unanswered() == ()
        (result,) = again.message(answer).parts
        assert isinstance(result, ToolResult)
        assert (result.name, result.error) == ("ls", True)
        again.user("Go on")
    assert findings(session) == []
