"""Undo and redo add nothing to the conversation, checked file by file from the outside."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import talktree
from talktree.errors import UsageError, WorldMoved
from talktree.session import Session, Store
from talktree.session.navigation import Navigation
from tests.cli.transcript import environment


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def session(work: Path) -> Iterator[Session]:
    with Store(work / ".sage").create(workspace=work, title="A page") as made:
        yield made


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a user does."""
    return subprocess.run(
        ["talktree", *arguments],
        cwd=folder,
        env={**environment(), "TALKTREE_HOME": f"{folder}-home"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def turn(session: Session, work: Path, prompt: str, **files: str) -> str:
    """Add a prompt and a reply that writes files; return the reply."""
    session.user(prompt, todos=[prompt])
    call = {"id": f"call-{prompt}", "name": "write"}
    reply = session.assistant(f"I do: {prompt}", calls=[call])
    with session.step(paths=list(files)):
        for name, text in files.items():
            (work / name).write_text(text)
    session.results({"call": f"call-{prompt}", "output": "written"})
    return reply


def go(journey: Navigation) -> None:
    assert journey.apply(journey.plan().digest).exit_code == 0


def folder_of(session: Session) -> Path:
    return session.store.root / "sessions" / session.id


def lines_of(session: Session, log: str) -> list[dict[str, Any]]:
    text = (folder_of(session) / f"{log}.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def files_in(work: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in work.iterdir() if path.is_file()}


def test_fourteen_moves_over_two_turns_leave_two_turns(session: Session, work: Path) -> None:
    turn(session, work, "one", a="1", b="1")
    last = turn(session, work, "two", a="2")
    end, said = session.leaf, [message.text for message in session.context_messages()]
    files = files_in(work)
    logs = {name: (folder_of(session) / name).read_bytes() for name in LOGS}
    for _ in range(7):
        go(session.undo(turn=True))
        go(session.redo())
    assert {name: (folder_of(session) / name).read_bytes() for name in LOGS} == logs
    assert [value["type"] for value in lines_of(session, "messages")] == [
        *("user", "assistant", "tool_result") * 2
    ]
    assert (session.leaf, files_in(work)) == (end, files)
    assert [message.text for message in session.context_messages()] == said
    [branch] = session.branches()
    assert (branch.leaf, branch.messages) == (end, 6)
    conversation = talktree.read(folder_of(session)).conversation
    assert len(conversation) == 6
    assert len(conversation.branches()) == 1
    done = run(work, "check", ".sage")
    assert (done.returncode, done.stdout) == (0, "no findings in 1 source\n")
    assert session.check(read_data=True) == []
    assert len(session.moves_since_reply()) == 14
    assert last in [message.id for message in session.context_messages()]


LOGS = ("messages.jsonl", "snapshots.jsonl")


def test_the_leaf_after_an_undo_to_a_message_is_that_message(session: Session, work: Path) -> None:
    first = turn(session, work, "one", a="1")
    turn(session, work, "two", a="2")
    go(session.undo(to=first))
    assert session.leaf == first
    assert [message.text for message in session.context_messages()] == ["one", "I do: one"]
    with session.store.open(session.id) as other:
        assert other.leaf == first
    shown = json.loads(run(work, "session", "show", "--json").stdout)
    assert shown["at"] == first
    again = session.user("otherwise")
    assert session.message(again).parent == first
    assert len(session.branches()) == 2


def test_before_the_first_message_there_is_no_leaf(session: Session, work: Path) -> None:
    session.user("one")
    go(session.undo())
    assert session.leaf is None
    assert session.context_messages() == []
    assert session.current_todos() == ()
    other = session.user("another beginning")
    assert session.message(other).parent is None
    assert [message.text for message in session.context_messages()] == ["another beginning"]


def test_changes_after_an_undo_are_not_part_of_the_message(session: Session, work: Path) -> None:
    """A step right after an undo, without a new message: nothing it did is lost."""
    first = turn(session, work, "one", a="1")
    second = turn(session, work, "two", a="2")
    go(session.undo(to=first))
    with session.step(paths=["a"]):
        (work / "a").write_text("by hand")
    named = {value["messageId"] for value in lines_of(session, "snapshots")}
    assert named <= {value["uuid"] for value in lines_of(session, "messages")}
    assert [each.path for each in session.diff(first).files] == [b"a"]
    go(session.restore(second, force=True))
    assert (work / "a").read_text() == "2"
    go(session.undo(operation="last"))
    assert (work / "a").read_text() == "by hand"


def test_a_model_is_offered_what_moved_since_its_last_reply(session: Session, work: Path) -> None:
    first = turn(session, work, "one", a="1")
    turn(session, work, "two", a="2", b="2")
    assert session.moves_since_reply() == ()
    go(session.undo(to=first))
    [report] = session.moves_since_reply()
    assert (report.verb, report.message) == ("undo", first)
    assert [(path, word) for path, word in report.files] == [(b"a", "changed"), (b"b", "deleted")]
    assert "- a\n- b (removed)" in report.text
    reported = json.loads(run(work, "session", "log", "--since-reply", "--json").stdout)
    assert [each["kind"] for each in reported["operations"]] == ["undo"]
    session.user("go on")
    assert len(session.moves_since_reply()) == 1
    session.assistant("I know")
    assert session.moves_since_reply() == ()


def test_a_move_needs_no_digest_as_long_as_nothing_moved(session: Session, work: Path) -> None:
    turn(session, work, "one", a="1")
    turn(session, work, "two", a="2")
    assert session.undo(turn=True).apply().exit_code == 0
    assert (work / "a").read_text() == "1"
    redo = session.redo()
    redo.plan()
    (work / "a").write_text("somebody else's")
    with pytest.raises(WorldMoved):
        redo.apply()
    assert (work / "a").read_text() == "somebody else's"


def test_results_for_calls_that_no_one_made_are_refused(session: Session, work: Path) -> None:
    turn(session, work, "one", a="1")
    before = (folder_of(session) / "messages.jsonl").read_bytes()
    for name in (None, "write"):
        with pytest.raises(UsageError):
            session.results({"call": "call-none", "output": "x", "name": name})
    assert (folder_of(session) / "messages.jsonl").read_bytes() == before
    with session.store.open(session.id) as other:
        other.results({"call": "call-one", "output": "once more"})
        other.sidechain().assistant("aside", calls=[{"id": "side", "name": "read"}])
    with session.store.open(session.id) as again, pytest.raises(UsageError):
        again.results({"call": "side", "output": "of another line"})


def test_folder_name_and_id_are_the_users_choice(work: Path) -> None:
    store = Store(work / ".talktree", agent="Robin")
    with store.create(workspace=work, id="first-try") as session:
        turn(session, work, "one", a="1")
    assert (work / ".talktree" / "sessions" / "first-try" / "messages.jsonl").is_file()
    assert not (work / ".sage").exists()
    shown = run(work, "session", "show", "first-try", "--root", ".talktree")
    assert "Robin" in shown.stdout
    assert "Sage" not in shown.stdout
    reported = json.loads(run(work, "session", "show", "--root", ".talktree", "--json").stdout)
    assert [each["speaker"] for each in reported["messages"]] == ["User", "Robin", "Tool"]
    assert Store(work / ".talktree").agent == "Robin"
    assert run(work, "check", ".talktree").returncode == 0


def test_lines_have_the_nulls_of_the_document(session: Session, work: Path) -> None:
    turn(session, work, "one", a="1")
    [result] = lines_of(session, "messages")[-1]["toolResults"]
    assert list(result) == ["toolCallId", "toolName", "content", "success", "error"]
    assert result["error"] is None
    tracked = [value["snapshot"]["trackedFiles"] for value in lines_of(session, "snapshots")]
    [created] = [files["a"] for files in tracked if "a" in files]
    assert list(created) == ["originalContent", "contentHash", "size", "state"]
    assert (created["originalContent"], created["state"]) == (None, "created")


@pytest.mark.parametrize("verb", ["undo", "restore"])
@pytest.mark.parametrize("by", ["api", "cli"])
def test_to_a_message_is_after_it_and_before_it_is_before(
    session: Session, work: Path, verb: str, by: str
) -> None:
    replies = [turn(session, work, name, a=name) for name in ("one", "two", "three")]
    prompts = [value["uuid"] for value in lines_of(session, "messages") if value["type"] == "user"]

    def move(id: str, *, before: bool) -> None:
        if by == "cli":
            where = ("--before" if before else "--to", id)
            done = run(work, "session", verb, *where, "--workspace", ".", "--yes")
            assert done.returncode == 0, done.stderr
            session.refresh()
        elif verb == "undo":
            go(session.undo(before=id) if before else session.undo(to=id))
        else:
            go(session.restore(id, before=before))

    move(replies[1], before=False)
    assert ((work / "a").read_text(), session.leaf) == ("two", replies[1])
    move(replies[1], before=True)
    assert ((work / "a").read_text(), session.leaf) == ("one", prompts[1])
    move(prompts[0], before=True)
    assert ((work / "a").exists(), session.leaf) == (False, None)


def test_files_that_moved_alone_are_known_to_what_is_said_next(
    session: Session, work: Path
) -> None:
    turn(session, work, "one", a="1")
    turn(session, work, "two", a="2")
    go(session.undo(scopes=("files",)))
    assert (work / "a").read_text() == "1"
    turn(session, work, "three", a="3")
    go(session.undo(turn=True))
    assert (work / "a").read_text() == "1"
    go(session.redo())
    assert (work / "a").read_text() == "3"
