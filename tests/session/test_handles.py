"""Several handles on one session: each continues from its own place, and none writes blindly."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from talktree.errors import UsageError, WorldMoved
from talktree.session import Session
from talktree.session.recording.context import STILL_TRUE
from tests.session.logs import findings, values


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
        assert undo.apply(undo.plan().digest).message == other.leaf == last
        written = session.opened.journal.length("messages")
        with pytest.raises(WorldMoved) as error:
            session.user("blind")
        assert "refresh" in (error.value.hint or "")
        assert session.opened.journal.length("messages") == written
        session.user("where I say", parent=last)
        with pytest.raises(WorldMoved):
            session.assistant("blind as well")
        session.refresh()
        session.user("knowing it")
    assert findings(session) == []


def test_ones_own_moves_are_known(session: Session) -> None:
    first = session.user("One")
    session.assistant("1")
    undo = session.undo(to=first)
    undo.apply(undo.plan().digest)
    assert session.leaf == first
    assert session.message(session.user("Two")).parent == first
    assert session.fork(first) == first
    assert session.message(session.user("Three")).parent == first
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
