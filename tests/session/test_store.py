"""The store: creating, finding and describing sessions; files of other programs."""

from __future__ import annotations

import gc
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from talktree import api
from talktree.errors import NotFound, TalktreeError, UsageError
from talktree.session import Store
from talktree.session.workspace import Parent

DATA = Path(__file__).parent.parent / "data" / "sage"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def store(work: Path) -> Store:
    return Store(work / ".sage")


def codes(path: Path) -> list[str]:
    return [f"{each.code} {each.message}" for each in api.check(path).findings]


def metadata(store: Store, id: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (store.root / "sessions" / id / "metadata.json").read_bytes()
    )
    return found


def test_an_empty_store_says_so(store: Store) -> None:
    assert store.list_ids() == []
    assert store.find_newest() is None
    assert store.list_sessions() == []
    with pytest.raises(NotFound):
        store.open()
    with pytest.raises(NotFound):
        store.open("x")
    assert not store.root.exists()


def test_a_new_session_is_complete_and_private(store: Store, work: Path) -> None:
    with store.create(title="T", workspace=work) as session:
        id = session.id
    assert store.list_ids() == [id]
    for path in [store.root, *store.root.rglob("*")]:
        mode = path.stat().st_mode & 0o777
        assert mode == (0o700 if path.is_dir() else 0o600), path
    reported = metadata(store, id)
    assert (reported["id"], reported["customTitle"], reported["state"]) == (id, "T", "active")
    assert reported["messageCount"] == 0
    assert codes(store.root) == []


def test_sessions_are_found_by_their_beginnings(store: Store, work: Path) -> None:
    for id in ("alpha", "beta", "alp"):
        store.create(workspace=work, id=id).close()
    assert store.list_ids() == ["alp", "alpha", "beta"]
    assert store.open("b").id == "beta"
    assert store.open("alp").id == "alp"
    with pytest.raises(UsageError):
        store.open("a")
    with pytest.raises(UsageError):
        store.create(workspace=work, id="beta")
    with store.open("beta") as session:
        session.user("newest now")
    os.utime(store.root / "sessions" / "beta" / "messages.jsonl", ns=(2**62, 2**62))
    assert store.find_newest() == "beta"
    assert store.open().id == "beta"
    assert store.list_sessions()[0].id == "beta"
    assert store.list_sessions()[0].title == "newest now"


@pytest.mark.parametrize("id", ["../x", "a/b", "", ".", "nul", "/etc/passwd", "x" * 200])
def test_ids_cannot_leave_the_store(store: Store, work: Path, id: str) -> None:
    store.create(workspace=work).close()
    before = sorted(work.parent.rglob("*"))
    with pytest.raises(TalktreeError):
        store.create(workspace=work, id=id)
    with pytest.raises(TalktreeError):
        store.open(id)
    assert sorted(work.parent.rglob("*")) == before


def test_links_are_not_sessions(store: Store, work: Path, tmp_path: Path) -> None:
    store.create(workspace=work, id="real").close()
    outside = tmp_path / "outside"
    shutil.copytree(store.root / "sessions" / "real", outside)
    (store.root / "sessions" / "linked").symlink_to(outside)
    assert store.list_ids() == ["real"]
    with pytest.raises(NotFound):
        store.open("linked")
    shutil.move(store.root / "sessions", tmp_path / "sessions")
    (store.root / "sessions").symlink_to(tmp_path / "sessions")
    with pytest.raises(TalktreeError):
        store.open("real")


def test_a_workspace_must_be_there(store: Store, work: Path) -> None:
    with pytest.raises(NotFound):
        store.create(workspace=work / "nowhere")
    assert store.list_ids() == []


def test_nothing_stays_open(store: Store, work: Path) -> None:
    def use() -> None:
        with store.create(workspace=work) as session:
            session.user("Hi")
            id = session.id
        with pytest.raises(UsageError):
            store.create(workspace=work, id=id)
        with pytest.raises(NotFound):
            store.create(workspace=work / "nowhere")
        with store.open(id) as session:
            session.assistant("Hello")
            with session.step(paths=["a"]):
                (work / "a").write_text("a")
            undo = session.undo()
            undo.apply(undo.plan().digest)
        store.open(id, write=False).close()
        store.list_sessions()

    use()
    gc.collect()
    before = os.listdir("/proc/self/fd")
    use()
    gc.collect()
    assert os.listdir("/proc/self/fd") == before


def test_talking_needs_no_index(store: Store, work: Path) -> None:
    with store.create(workspace=work, title="T") as session:
        session.user("Hi", todos=["a"])
        session.assistant("Hello")
    with store.open() as session:
        assert session.current_todos()
        session.user("More")
        session.title("Other")
    assert not (store.root / "cache").exists()


# metadata.json, a cache


@pytest.mark.parametrize(
    "damage", [None, b"", b"\0" * 300, b"{", b"[]", b'{"id": 3}', b"{}", b'"x"', b"\xff\xfe"]
)
def test_metadata_are_made_again(store: Store, work: Path, damage: bytes | None) -> None:
    parent = Parent("p", "m")
    with store.create(title="T", workspace=work, id="s", parent=parent) as session:
        session.user("First question")
        session.user("x" * 200)
    whole = metadata(store, "s")
    path = store.root / "sessions" / "s" / "metadata.json"
    path.unlink() if damage is None else path.write_bytes(damage)
    store.open("s").close()
    again = metadata(store, "s")
    assert again | {"createdAt": ""} == whole | {"createdAt": ""}
    assert again["createdAt"] >= whole["createdAt"]
    assert (again["customTitle"], again["parentSessionId"]) == ("T", "p")
    assert again["lastPrompt"] == "x" * 100 + "..."
    assert codes(store.root / "sessions" / "s") == []


def test_stale_metadata_are_brought_up_to_date(store: Store, work: Path) -> None:
    with store.create(workspace=work, id="s") as session:
        session.user("One")
    path = store.root / "sessions" / "s" / "metadata.json"
    old = path.read_bytes()
    with store.open("s") as session:
        session.user("Two")
        session.title("Titled")
    new = path.read_bytes()
    path.write_bytes(old)
    store.open("s").close()
    assert json.loads(path.read_bytes()) == json.loads(new)
    assert codes(store.root) == []


def test_metadata_of_other_programs_stays(store: Store, work: Path) -> None:
    store.create(workspace=work, id="s").close()
    path = store.root / "sessions" / "s" / "metadata.json"
    value = json.loads(path.read_bytes()) | {"model": "m", "name": "N", "state": "paused"}
    path.write_text(json.dumps(value, indent=4))
    with store.open("s") as session:
        session.user("Hi")
    again = metadata(store, "s")
    assert (again["model"], again["name"], again["state"]) == ("m", "N", "paused")
    assert path.read_text().startswith('{\n    "id"')
    with store.open("s") as session:
        session.close(state="completed")
    assert metadata(store, "s")["state"] == "completed"


def test_two_writers_leave_right_metadata(store: Store, work: Path) -> None:
    one = store.create(workspace=work, id="s", durability="fast")
    other = store.open("s", durability="fast")
    for number in range(5):
        one.user(f"one {number}")
        other.user(f"other {number}")
    other.close()
    one.user("last")
    one.close()
    assert metadata(store, "s")["messageCount"] == 11
    assert metadata(store, "s")["lastPrompt"] == "last"
    assert codes(store.root) == []


# sessions of other programs


def test_a_folder_of_another_program_is_continued(store: Store, work: Path) -> None:
    source = DATA / "good" / "session-tide-table"
    target = store.root / "sessions" / "tide"
    target.parent.mkdir(parents=True)
    shutil.copytree(source, target)
    before = {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}
    known = codes(target)
    with store.open("tide", workspace=work) as session:
        last = session.leaf
        assert last is not None
        said = session.full_messages()
        id = session.user("And tomorrow?")
        assert session.message(id).parent == last
        assert len(session.full_messages()) == len(said) + 1
    for path, content in before.items():
        if path.name != "metadata.json":
            assert path.read_bytes().startswith(content)
    assert set(codes(target)) <= set(known)


def test_opening_for_reading_leaves_it_untouched(store: Store) -> None:
    target = store.root / "sessions" / "tide"
    target.parent.mkdir(parents=True)
    shutil.copytree(DATA / "good" / "session-tide-table", target)
    shutil.rmtree(target / "backups", ignore_errors=True)
    before = sorted(target.rglob("*")), (target / "messages.jsonl").read_bytes()
    with store.open("tide", write=False) as session:
        assert session.full_messages()
        assert session.opened.workspace is None
    assert (sorted(target.rglob("*")), (target / "messages.jsonl").read_bytes()) == before
