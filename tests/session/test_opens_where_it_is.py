"""Every view opens a session at its current message, not at the newest one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from talktree import api
from talktree.cli.main import run
from talktree.library.library import Library
from talktree.model.edit import append
from talktree.model.message import Message
from talktree.model.parts import Text
from talktree.session import Session, Store
from tests.web.running import running
from tests.web.working import cid_of


class Recorded:
    """A session of two turns in a store, with the ids of its messages."""

    def __init__(self, root: Path) -> None:
        self.store = Store(root / ".sage")
        with self.store.create(workspace=root, title="A page") as session:
            self.said = [session.user("One"), session.assistant("First")]
            self.said += [session.user("Two"), session.assistant("Second")]
        self.folder = self.store.root / "sessions" / session.id

    def undo(self, to: str) -> None:
        with self.store.open() as session:
            session.undo(to=to).apply()

    def say(self, text: str) -> str:
        with self.store.open() as session:
            return session.user(text)


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recorded:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    (tmp_path / "work").mkdir()
    return Recorded(tmp_path / "work")


def shown(path: Path | str, capsys: pytest.CaptureFixture[str], *more: str) -> list[str]:
    capsys.readouterr()
    assert run(["show", str(path), "--json", *more]) == 0
    [found] = json.loads(capsys.readouterr().out)["conversations"]
    assert found["counts"]["branches"] == len(found["branches"])
    return [each["id"] for each in found["messages"]]


def test_show_ends_at_the_message_that_an_undo_led_to(
    recorded: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    said = recorded.said
    assert shown(recorded.folder, capsys) == said
    recorded.undo(said[1])
    assert shown(recorded.folder, capsys) == said[:2]
    assert shown(recorded.store.root, capsys) == said[:2]
    assert shown(recorded.folder, capsys, "--all") == said
    assert shown(recorded.folder, capsys, "--branch", said[3]) == said
    assert run(["show", str(recorded.folder)]) == 0
    assert "2 undone messages hidden (use --all)" in capsys.readouterr().err
    with recorded.store.open() as session:
        session.redo().apply()
    assert shown(recorded.folder, capsys) == said


def test_the_tree_has_one_branch_and_marks_the_message(
    recorded: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded.undo(recorded.said[1])
    [branch] = api.read(recorded.folder).conversation.branches()
    assert (branch.kind, branch.leaf, branch.messages) == ("active", recorded.said[3], 4)
    assert run(["tree", str(recorded.folder)]) == 0
    [active] = [line for line in capsys.readouterr().out.splitlines() if "(active)" in line]
    assert "First" in active
    assert run(["check", str(recorded.folder)]) == 0


def test_the_session_is_at_the_message_after_an_undo(
    recorded: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded.undo(recorded.said[1])
    other = recorded.say("Another way")
    assert shown(recorded.folder, capsys) == [*recorded.said[:2], other]
    recorded.undo(recorded.said[3])
    assert shown(recorded.folder, capsys) == recorded.said
    assert len(api.read(recorded.folder).conversation.branches()) == 2


def test_a_new_first_prompt_is_where_the_session_is(
    recorded: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    with recorded.store.open() as session:
        other = session.edit(recorded.said[0], "Something else")
    assert shown(recorded.folder, capsys) == [other]


def test_the_library_knows_what_was_undone(
    recorded: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    id, states = recorded.folder.name, dict[str, str]()
    for to, words in ((None, "current"), (recorded.said[1], "abandoned")):
        if to is not None:
            recorded.undo(to)
        with Library.open(write=True) as library:
            library.import_([recorded.store.root])
            states = {hit.excerpt: hit.state for hit in library.search("second OR first")}
        assert states == {"First": "current", "Second": words}
    assert shown(id, capsys) == recorded.said[:2]


def test_the_studio_opens_there(recorded: Recorded) -> None:
    recorded.undo(recorded.said[1])
    with running([recorded.folder]) as studio:
        cid = cid_of(studio, recorded.folder)
        about = studio.get(f"/c/{cid}")
        assert about["leaf"] == recorded.said[1]
        assert about["branches_total"] == 1
        assert ids(studio.get(f"/c/{cid}/rows")) == recorded.said[:2]
        assert ids(studio.get(f"/c/{cid}/rows", leaf=recorded.said[1])) == recorded.said[:2]
        assert ids(studio.get(f"/c/{cid}/rows", leaf=recorded.said[3])) == recorded.said


def ids(rows: Any) -> list[str]:
    return [each["id"] for each in rows["rows"]]


def test_a_native_dump_opens_there_until_something_is_added(
    recorded: Recorded, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded.undo(recorded.said[1])
    dump, more = tmp_path / "dump.jsonl", tmp_path / "more.jsonl"
    assert run(["convert", str(recorded.folder), "-t", "native", "-o", str(dump), "-q"]) == 0
    assert shown(dump, capsys) == recorded.said[:2]
    document = api.read(dump)
    parts = (Text("Go on from here"),)
    new = Message(id="new", parent=recorded.said[1], role="user", parts=parts)
    added = append(document.conversation, new)
    assert [each.text for each in added.path()] == ["One", "First", "Go on from here"]
    api.write(document.with_conversation(added), more)
    assert len(shown(more, capsys)) == 3


def test_a_page_of_everything_has_the_undone_messages_apart(
    recorded: Recorded, tmp_path: Path
) -> None:
    recorded.undo(recorded.said[1])
    page, active = tmp_path / "page.md", tmp_path / "active.md"
    assert run(["export", str(recorded.folder), "-o", str(page)]) == 0
    assert run(["export", str(recorded.folder), "-o", str(active), "--branch", "active"]) == 0
    before, _, behind = page.read_text().partition("# Branch of 2 messages")
    assert "Second" not in before
    assert "Second" in behind
    assert "Second" not in active.read_text()


def test_a_damaged_log_of_operations_leaves_the_newest_message(
    recorded: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded.undo(recorded.said[1])
    log = recorded.folder / "operations.jsonl"
    log.write_bytes(log.read_bytes()[:-40] + b"\xff{]\n")
    assert shown(recorded.folder, capsys) == recorded.said
    log.write_bytes(b'{"kind":"moved","move":7}\n{"kind":"move","at":[]}\n[]\n\n"move"\n')
    assert shown(recorded.folder, capsys) == recorded.said


def mixed(session: Session, second: str) -> None:
    for _ in range(3):
        session.undo().apply()
        session.redo().apply()
        session.undo(to=second).apply()
        session.redo().apply()
    session.restore(second).apply()
    session.undo(operation="last").apply()


def test_fourteen_moves_are_seen_nowhere(
    recorded: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (recorded.folder / "messages.jsonl").read_bytes()
    with recorded.store.open() as session:
        mixed(session, recorded.said[1])
        assert [each.id for each in session.context_messages()] == recorded.said
    assert (recorded.folder / "messages.jsonl").read_bytes() == before
    log = (recorded.folder / "operations.jsonl").read_text()
    assert log.count('"kind":"moved"') == 14
    assert shown(recorded.folder, capsys) == recorded.said
    assert run(["check", str(recorded.store.root)]) == 0
