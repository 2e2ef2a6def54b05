"""Recording: chained, in context, refused where it cannot be right; handles that share."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talktree import api
from talktree.errors import NotFound, UsageError, WorldMoved
from talktree.model.message import ThinkingSetting, Todo, Usage
from talktree.model.parts import Text, ToolCall, ToolResult
from talktree.session import Session, Store
from talktree.session.recording.context import STILL_TRUE


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def session(work: Path) -> Session:
    return Store(work / ".sage").create(workspace=work, durability="fast")


def values(session: Session, log: str = "messages") -> list[dict[str, Any]]:
    path = session.store.root / "sessions" / session.id / f"{log}.jsonl"
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def findings(session: Session) -> list[str]:
    session.close()
    report = api.check(session.store.root)
    return [f"{each.code} {each.message}" for each in report.findings]


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


def test_context_is_captured_by_itself(
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
def test_what_makes_no_sense_is_refused_before_anything_is_written(
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
    store.set(thinking={"phrases": {"denk nach": "high"}}, version="9.8.7", userType="internal")
    with store.create(workspace=work) as session:
        id = session.user("Denk nach, think")
        found = session.message(id)
    assert found.thinking == ThinkingSetting(level="high", triggers=("denk nach",))
    assert found.context is not None
    assert (found.context.version, found.context.user_type) == ("9.8.7", "internal")


def test_todos_stand_on_each_message_and_follow_the_chain(session: Session) -> None:
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


def test_names_prefixes_and_branches_stand_for_messages(session: Session) -> None:
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
    assert session.unanswered() == ()
    session.assistant(calls=[{"id": "a", "name": "ls"}, {"id": "b", "name": "rm"}])
    session.results({"call": "b", "output": "x"})
    session.close()
    with session.store.open(session.id) as again:
        assert [(call.id, call.name) for call in again.unanswered()] == [("a", "ls")]
        answer = again.results({"call": "a", "output": "interrupted", "error": True})
        assert again.unanswered() == ()
        (result,) = again.message(answer).parts
        assert isinstance(result, ToolResult)
        assert (result.name, result.error) == ("ls", True)
        again.user("Go on")
    assert findings(session) == []


# several handles


def test_a_handle_goes_on_from_its_own_leaf(session: Session) -> None:
    start = session.user("Hi")
    with session.store.open(session.id) as other:
        theirs = other.assistant("from the other")
        mine = session.assistant("from me")
        again = other.user("more")
    assert session.message(mine).parent == start
    assert session.message(again).parent == theirs
    assert findings(session) == []


def test_a_session_moved_by_others_is_not_written_to_blindly(session: Session) -> None:
    session.user("One")
    last = session.assistant("1")
    with session.store.open(session.id) as other:
        other.name("here")
        session.system("a name does not matter")
        undo = other.undo(to=last)
        assert undo.apply(undo.plan().digest).note == other.leaf
        written = session.opened.journal.length("messages")
        with pytest.raises(WorldMoved) as error:
            session.user("blind")
        assert "refresh" in (error.value.hint or "")
        assert session.opened.journal.length("messages") == written
        session.user("where I say", parent=last)
        with pytest.raises(WorldMoved):
            session.results({"call": "x", "output": "y"})
        session.refresh()
        session.user("knowing it")
    assert findings(session) == []


def test_ones_own_moves_are_known(session: Session) -> None:
    first = session.user("One")
    session.assistant("1")
    undo = session.undo(to=first)
    undo.apply(undo.plan().digest)
    note = session.leaf
    assert note is not None
    assert session.message(session.user("Two")).parent == note
    fork = session.fork(first)
    assert session.message(fork).parent == first
    assert session.message(session.user("Three")).parent == fork
    assert findings(session) == []


def test_a_plan_for_files_of_another_branch_warns(
    session: Session, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(work)
    (work / ".git").mkdir()
    (work / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    first = session.user("One")
    with session.step(paths=["a.txt"]):
        (work / "a.txt").write_text("a")
    second = session.assistant("Two")
    with session.step(second, paths=["a.txt"]):
        (work / "a.txt").write_text("b")
    assert session.restore(first).plan().warnings == ()
    (work / ".git" / "HEAD").write_text("ref: refs/heads/other\n")
    time.sleep(2 * STILL_TRUE)
    back = session.restore(first)
    assert back.plan().warnings == ("the git branch was main, now other",)
    assert back.apply(back.plan().digest).exit_code == 0
    assert session.restore(second, scopes=["conversation"]).plan().warnings == ()
    assert (work / "a.txt").read_text() == "a"


def test_threads_share_a_handle(session: Session) -> None:
    def work(number: int) -> None:
        for count in range(20):
            session.user(f"{number} {count}")

    threads = [threading.Thread(target=work, args=(each,)) for each in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = values(session)
    assert len(lines) == 80
    # One line of descent, in the order in which they were written.
    assert [line["parentUuid"] for line in lines[1:]] == [line["uuid"] for line in lines[:-1]]
    assert findings(session) == []


def test_reading_writes_nothing(session: Session) -> None:
    session.user("Hi")
    session.close()
    folder = session.store.root / "sessions" / session.id
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    with session.store.open(session.id, write=False) as reading:
        assert [message.text for message in reading.full_messages()] == ["Hi"]
        for verb in (reading.user, reading.name, reading.unname):
            with pytest.raises(UsageError, match="reading"):
                verb("x")
        undo = reading.undo()
        with pytest.raises(UsageError, match="reading"):
            undo.apply(undo.plan().digest)
    assert before == {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}


# compaction


def test_a_compaction_leaves_everything_readable(session: Session) -> None:
    for number in range(5):
        session.user(f"question {number}")
        session.assistant(f"answer {number}")
    session.compacting(trigger="auto", tokens=900)
    summary = session.compacted("ten messages", tokens_before=900, tokens_after=90)
    session.user("go on")
    assert session.context_messages()[0].id == summary
    assert len(session.context_messages()) == 2
    assert len(session.full_messages()) == 12
    line = next(each for each in values(session) if each.get("subtype") == "conversation_compacted")
    assert line["metadata"] == {
        "messagesBefore": 10, "messagesAfter": 1, "tokensBefore": 900, "tokensAfter": 90,
        "ratio": 0.1,
    }  # fmt: skip
    session.restoring()
    session.restored()
    assert session.context_messages() == session.full_messages()
    session.compacted("again")
    assert len(session.context_messages()) == 1
    assert findings(session) == []


@settings(max_examples=12)
@given(st.lists(st.sampled_from(["user", "compact", "restore"]), max_size=12))
def test_the_context_is_what_was_said_since_the_last_summary(
    tmp_path_factory: pytest.TempPathFactory, deeds: list[str]
) -> None:
    root = tmp_path_factory.mktemp("root")
    every: list[str] = []
    seen: list[str] = []
    with Store(root).create(workspace=root, durability="fast") as session:
        for number, deed in enumerate(deeds):
            if deed == "user":
                every.append(session.user(str(number)))
                seen.append(every[-1])
            elif deed == "compact":
                every.append(session.compacted(str(number)))
                seen = [every[-1]]
            else:
                session.restored()
                seen = list(every)
            assert [message.id for message in session.context_messages()] == seen
            assert [message.id for message in session.full_messages()] == every


# children


def test_a_child_and_its_parent_know_each_other(session: Session) -> None:
    asked = session.user("Research this")
    with session.child(agent="researcher", title="Research") as child:
        child.user("Do it")
        id = child.id
    assert [(each.session, each.message, each.agent) for each in session.children()] == [
        (id, asked, "researcher")
    ]
    described = {each.id: each for each in session.store.describe()}
    assert described[id].parent == session.id
    assert described[id].title == "Research"
    with pytest.raises(UsageError, match="closed"):
        child.user("more")
    assert findings(session) == []
