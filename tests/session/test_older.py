"""Older session files: read as they are, continued beside, never rewritten."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from talktree import api
from talktree.cli.main import run
from talktree.errors import NotFound, TalktreeError
from talktree.session import Store
from tests.web.running import running

OLDER = Path(__file__).parent.parent / "data" / "sage" / "good" / "legacy-session.json"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    root = tmp_path / "work" / ".sage"
    (root / "sessions").mkdir(parents=True)
    shutil.copy(OLDER, root / "sessions" / "2c9f.json")
    return Store(root)


def shown(path: Path) -> list[tuple[str, str]]:
    return [(each.id, each.text) for each in api.read(path).conversation.path()]


def test_it_opens_as_it_is(store: Store) -> None:
    assert store.list_ids() == ["2c9f"]
    assert store.find_newest() == "2c9f"
    assert store.list_sessions()[0].older
    with store.open("2c") as session:
        said = session.full_messages()
        assert [(each.id, each.text) for each in said] == shown(OLDER)
        assert session.leaf == said[-1].id
        assert session.message(said[0].id) == said[0]
        assert session.context_messages() == said
        assert session.full_messages(said[0].id) == said[:1]
        with pytest.raises(NotFound):
            session.message("@99")
        assert session.differences(said[0].id) is not None
    assert [path.name for path in (store.root / "sessions").iterdir()] == ["2c9f.json"]


def test_the_first_message_makes_a_folder_beside_it(store: Store, tmp_path: Path) -> None:
    file = store.root / "sessions" / "2c9f.json"
    before = file.read_bytes()
    with store.open("2c9f", workspace=tmp_path / "work") as session:
        last = session.leaf
        old = session.full_messages()
        first = session.user("Go on")
        second = session.assistant("Gladly")
        assert session.message(first).parent is None
        assert session.message(first).extra["continues"] == {"file": "2c9f.json", "message": last}
        assert [each.id for each in session.full_messages()][-2:] == [first, second]
        assert session.full_messages()[:-2] == old
    assert file.read_bytes() == before
    with store.open("2c9f") as again:
        assert again.leaf == second
        assert len(again.full_messages()) == len(old) + 2
        assert again.opened.workspace is not None
        again.record_compaction("all of it")
        assert len(again.context_messages()) == 1
        again.record_restoration()
        assert len(again.context_messages()) == len(old) + 3
    assert store.list_ids() == ["2c9f"]
    assert [each.code for each in api.check(store.root).findings] == []
    said = shown(store.root / "sessions" / "2c9f")
    assert [id for id, _ in said][: len(old) + 2] == [*(each.id for each in old), first, second]


def test_a_session_that_goes_on_keeps_its_title(store: Store, tmp_path: Path) -> None:
    title = api.read(OLDER).conversation.title
    assert title
    with store.open("2c9f", workspace=tmp_path / "work") as session:
        session.user("Go on")
    [described] = store.list_sessions()
    assert described.title == title


def test_a_branch_may_leave_inside_the_older_file(store: Store, tmp_path: Path) -> None:
    with store.open("2c9f", workspace=tmp_path / "work") as session:
        start = session.full_messages()[0]
        session.user("Go on")
        id = session.user("Otherwise", parent=start.id)
        assert session.full_messages() == [start, session.message(id)]
        edited = session.edit(id, "Or so")
        assert session.full_messages() == [start, session.message(edited)]
    assert [each.code for each in api.check(store.root).findings] == []


def test_undoing_everything_leads_back_to_the_older_file(store: Store, tmp_path: Path) -> None:
    with store.open("2c9f", workspace=tmp_path / "work") as session:
        old = session.full_messages()
        session.user("Go on")
        undo = session.undo()
        undo.apply(undo.plan().digest)
        assert session.full_messages() == old
        session.user("Otherwise")
        assert session.full_messages()[: len(old)] == old


@pytest.mark.parametrize("content", [b"", b"{", b"\0" * 10, b"[1]", json.dumps({"a": 1}).encode()])
def test_a_ruined_one_is_an_answer_and_no_crash(store: Store, content: bytes) -> None:
    file = store.root / "sessions" / "bad.json"
    file.write_bytes(content)
    with suppress(TalktreeError), store.open("bad") as session:
        session.full_messages()
    assert file.read_bytes() == content


def test_a_session_that_goes_on_is_one_conversation_everywhere(
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    old, root = shown(OLDER), str(store.root)
    for text in ("Go on", "Faster"):
        assert run(["session", "append", "--root", root, "--session", "2c9f", text]) == 0
    folder = store.root / "sessions" / "2c9f"
    for path in (store.root, folder.parent, folder):
        conversation = api.read(path).conversation
        assert [each.text for each in conversation.path()] == [
            *(text for _, text in old), "Go on", "Faster",
        ]  # fmt: skip
        assert [each.kind for each in conversation.branches()] == ["active"]
        assert conversation.title == api.read(OLDER).conversation.title
        assert run(["check", str(path)]) == 0
        capsys.readouterr()
        assert run(["stats", str(path), "--json"]) == 0
        counts = json.loads(capsys.readouterr().out)["totals"]
        assert (counts["conversations"], counts["branches"]) == (1, 1)
    assert run(["import", root]) == 0
    capsys.readouterr()
    assert run(["list", "--json"]) == 0
    [listed] = json.loads(capsys.readouterr().out)["conversations"]
    assert listed["messages"] == len(old) + 2
    with running([store.root]) as studio:
        about = studio.get("/c/1")
        assert about["branches_total"] == 1
        assert studio.get("/c/1/rows")["total"] == len(
            [each for each in api.read(folder).conversation.path() if each.text]
        )


def test_a_continued_session_goes_back_into_the_older_file(store: Store, tmp_path: Path) -> None:
    with store.open("2c9f", workspace=tmp_path / "work") as session:
        last = session.leaf
        first = session.user("Go on")
        session.undo(before=first).apply()
    [active] = [api.read(store.root).conversation.path()[-1].id]
    assert active == last
    with store.open("2c9f") as session:
        session.redo().apply()
    assert api.read(store.root).conversation.path()[-1].id == first


def test_folders_without_a_copy_are_read_with_the_file_beside_them(
    store: Store, tmp_path: Path
) -> None:
    with store.open("2c9f", workspace=tmp_path / "work") as session:
        session.user("Go on")
    copy = store.root / "sessions" / "2c9f" / "2c9f.json"
    assert copy.read_bytes() == OLDER.read_bytes()
    copy.unlink()
    assert [text for _, text in shown(store.root)] == [
        *(text for _, text in shown(OLDER)), "Go on",
    ]  # fmt: skip
    with store.open("2c9f") as session:
        session.user("Faster")
    assert copy.read_bytes() == OLDER.read_bytes()


def test_a_file_that_was_changed_meanwhile_is_a_conversation_of_its_own(
    store: Store, tmp_path: Path
) -> None:
    with store.open("2c9f", workspace=tmp_path / "work") as session:
        session.user("Go on")
    file = store.root / "sessions" / "2c9f.json"
    file.write_bytes(file.read_bytes().replace(b"baker", b"miner"))
    assert len(api.read(store.root).conversations) == 2
