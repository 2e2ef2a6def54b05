"""Foreign sessions: restored to a chosen folder, and nothing in them leads out of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import NotFound, NotUndoable, WorldMoved
from talktree.session.session import Session
from talktree.session.store import Store
from talktree.session.undo import commands
from talktree.session.undo.restore_into import restore_into
from tests.cases import examples
from tests.session.machine import FAST
from tests.session.made import said
from tests.session.trees import walked
from tests.session.working import kinds

OLD, NEW = b"old content", b"new content"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """Return a store with one foreign session, and files around it that must stay."""
    (tmp_path / "secret").write_text("secret")
    folder = tmp_path / "store" / "sessions" / "s1"
    (folder / "backups").mkdir(parents=True)
    (folder / "messages.jsonl").write_bytes(said("m1") + b"\n" + said("m2", "m1") + b"\n")
    yield tmp_path
    assert (tmp_path / "secret").read_text() == "secret"
    assert not (tmp_path / "escaped").exists()


def opened(place: Path, *snapshots: dict[str, Any], **more: Any) -> Session:
    lines = [
        {"type": "file_history_snapshot", "messageId": "m2", "snapshot": snapshot}
        for snapshot in snapshots
    ]
    path = place / "store" / "sessions" / "s1" / "snapshots.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return Store(place / "store").open("s1", **more)


def kept(place: Path, data: bytes, name: str | None = None) -> str:
    """Put a content in the store; return its hash."""
    hash = sha256(data).hexdigest()
    path = place / "store" / "sessions" / "s1" / (name or f"backups/{hash}.backup")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return hash


def file(data: bytes, mode: str = "0644") -> dict[str, Any]:
    hash = sha256(data).hexdigest()
    return {"kind": "file", "hash": hash, "size": len(data), "mode": mode}


def became(state: dict[str, Any]) -> dict[str, Any]:
    return {"before": {"kind": "absent"}, "after": state}


def restored(session: Session, folder: Path, message: str | None = None) -> dict[str, str]:
    filling = restore_into(session.opened, message, folder)
    plan = filling.plan()
    assert plan.digest == filling.plan().digest
    filling.apply(plan.digest)
    return {each.path.decode(): each.reason for each in plan.left}


def test_files_come_into_a_fresh_folder_only(elsewhere: Path) -> None:
    kept(elsewhere, NEW)
    link = {"kind": "link", "target": "a"}
    paths = {
        "d/a": became(file(NEW, "4755")),
        "l": became(link),
        "e": became({"kind": "folder", "mode": "0755"}),
    }
    with opened(elsewhere, {"paths": paths}) as session:
        with pytest.raises(NotUndoable):
            commands.restore(session.opened, "m1").plan()
        assert restored(session, elsewhere / "out") == {}
    tree = walked(elsewhere / "out")
    assert tree[b"d/a"] == ("file", NEW, 0o755)
    assert tree[b"l"] == ("link", b"a", 0)
    assert set(tree) == {b"d", b"d/a", b"l", b"e"}


def test_each_point_has_its_files(elsewhere: Path) -> None:
    kept(elsewhere, OLD)
    kept(elsewhere, NEW)
    with opened(elsewhere, {"paths": {"a": {"before": file(OLD), "after": file(NEW)}}}) as session:
        restored(session, elsewhere / "one", "m1")
        restored(session, elsewhere / "two", "m2")
    assert (elsewhere / "one" / "a").read_bytes() == OLD
    assert (elsewhere / "two" / "a").read_bytes() == NEW


def test_only_some_files_come(elsewhere: Path) -> None:
    kept(elsewhere, NEW)
    paths = {"a": became(file(NEW)), "d/b": became(file(NEW)), "gone": became({"kind": "absent"})}
    with opened(elsewhere, {"paths": paths}) as session:
        filling = session.restore_into(elsewhere / "out", paths=["d/b", "gone"])
        filling.apply(filling.plan().digest)
        with pytest.raises(NotFound, match="no-such"):
            session.restore_into(elsewhere / "out", paths=["no-such"])
    assert set(walked(elsewhere / "out")) == {b"d", b"d/b"}


@pytest.mark.parametrize("how", ["both", "theirs", "force"])
def test_files_in_the_way_are_moved_aside_and_never_lost(elsewhere: Path, how: str) -> None:
    kept(elsewhere, NEW)
    out = elsewhere / "out"
    out.mkdir()
    (out / "a").write_text("mine")
    (out / "b").symlink_to("a")
    (out / "c").mkdir()
    paths = {name: became(file(NEW)) for name in "abc"}
    choices: Any = {} if how == "force" else dict.fromkeys("abc", how)
    with opened(elsewhere, {"paths": paths}) as session:
        assert all(
            set(action.choices) <= {"keep", "both"}
            for action in session.restore_into(out).plan().conflicts
        )
        filling = session.restore_into(out, choices=choices, force=how == "force")
        plan = filling.plan()
        assert filling.diff_action(next(each for each in plan.actions if each.path == b"a"))
        outcome = filling.apply(plan.digest)
    assert outcome.exit_code == 1
    found = {path: thing[:2] for path, thing in walked(out).items()}
    beside = f"a.kept-{sha256(b'mine').hexdigest()[:8]}".encode()
    assert found == {
        b"a": ("file", NEW),
        beside: ("file", b"mine"),
        b"b": ("file", NEW),
        b"b.kept-link": ("link", b"a"),
        b"c": ("folder", b""),
    }


def test_conflicts_resolved_with_keep_stay(elsewhere: Path) -> None:
    kept(elsewhere, NEW)
    (elsewhere / "out").mkdir()
    (elsewhere / "out" / "a").write_text("mine")
    with opened(elsewhere, {"paths": {"a": became(file(NEW)), "b": became(file(NEW))}}) as session:
        filling = session.restore_into(elsewhere / "out", choices={"a": "keep"}, force=True)
        assert kinds(filling.plan()) == {"a": "skip", "b": "write"}
        filling.apply(filling.plan().digest)
    assert set(walked(elsewhere / "out")) == {b"a", b"b"}
    assert (elsewhere / "out" / "a").read_text() == "mine"


def test_nothing_that_is_there_is_written_over(elsewhere: Path) -> None:
    kept(elsewhere, NEW)
    (elsewhere / "out").mkdir()
    (elsewhere / "out" / "a").write_text("mine")
    with opened(elsewhere, {"paths": {"a": became(file(NEW)), "b": became(file(NEW))}}) as session:
        left = restored(session, elsewhere / "out")
        assert set(left) == {"a"}
        filling = restore_into(session.opened, None, elsewhere / "other")
        digest = filling.plan().digest
        (elsewhere / "other").mkdir()
        (elsewhere / "other" / "b").write_text("mine")
        with pytest.raises(WorldMoved):
            filling.apply(digest)
    assert (elsewhere / "out" / "a").read_text() == "mine"


HOSTILE = [
    "../escaped",
    "/tmp/escaped",
    "a/../../escaped",
    "",
    ".",
    "..",
    "a//b",
    "a/./b",
    "a%00b",
    "%2e%2e/escaped",
    "x" * 300,
]


@pytest.mark.parametrize("name", HOSTILE)
def test_paths_that_lead_out_are_refused_with_a_reason(elsewhere: Path, name: str) -> None:
    kept(elsewhere, NEW)
    with opened(
        elsewhere, {"paths": {name: became(file(NEW)), "good": became(file(NEW))}}
    ) as session:
        filling = restore_into(session.opened, None, elsewhere / "out")
        plan = filling.plan()
        filling.apply(plan.digest)
        reasons = [why for path, why in plan.uncovered if path == name]
        assert len(reasons) == 1
        assert "workspace" in reasons[0]
    assert set(walked(elsewhere / "out")) == {b"good"}


@pytest.mark.parametrize("target", ["/etc/passwd", "../secret", "d/../../secret", "d/../x"])
def test_links_that_lead_out_are_refused(elsewhere: Path, target: str) -> None:
    link = {"kind": "link", "target": target}
    with opened(elsewhere, {"paths": {"l": became(link)}}) as session:
        left = restored(session, elsewhere / "out")
    assert "leads out" in left["l"]
    assert walked(elsewhere / "out") == {}


def test_a_link_in_the_chosen_folder_is_not_followed(elsewhere: Path) -> None:
    kept(elsewhere, NEW)
    (elsewhere / "out").mkdir()
    (elsewhere / "out" / "d").symlink_to(elsewhere)
    with opened(
        elsewhere, {"paths": {"d/secret": became(file(NEW)), "d/escaped": became(file(NEW))}}
    ) as session:
        left = restored(session, elsewhere / "out")
    assert set(left) == {"d/secret", "d/escaped"}


@pytest.mark.parametrize("name", [".git/hooks/pre-commit", "sub/.git/config", ".hg/x"])
def test_version_control_is_never_touched(elsewhere: Path, name: str) -> None:
    kept(elsewhere, NEW)
    with opened(elsewhere, {"paths": {name: became(file(NEW))}}) as session:
        left = restored(session, elsewhere / "out")
    assert "version-control" in left[name]


def test_contents_that_are_missing_or_wrong_are_refused(elsewhere: Path) -> None:
    hash = sha256(NEW).hexdigest()
    kept(elsewhere, b"something else", f"backups/{hash}.backup")
    paths = {
        "wrong": became(file(NEW)),
        "missing": became(file(OLD)),
        "odd": became({**file(OLD), "hash": "../secret"}),
    }
    with opened(elsewhere, {"paths": paths}) as session:
        left = restored(session, elsewhere / "out")
    assert "is damaged" in left["wrong"]
    assert "is missing" in left["missing"]
    assert "odd" in left


# snapshots of other programs


def foreign(place: str, hash: str | None) -> dict[str, Any]:
    backup = {"backupPath": place, "originalHash": hash}
    return {
        "trackedFiles": {
            "a": {"contentHash": sha256(NEW).hexdigest(), "size": len(NEW), "state": "modified"}
        },
        "fileBackups": {"a": backup},
    }


@pytest.mark.parametrize("name", ["backups/a_1.backup", "../../elsewhere/a_1.backup"])
def test_a_backup_of_another_program_is_found_and_verified(elsewhere: Path, name: str) -> None:
    if name.startswith(".."):
        name = "elsewhere/a_1.backup"
        (elsewhere / "store" / "elsewhere").mkdir()
        (elsewhere / "store" / name).write_bytes(OLD)
    else:
        kept(elsewhere, OLD, name)
    with opened(elsewhere, foreign(name, sha256(OLD).hexdigest())) as session:
        assert restored(session, elsewhere / "out", "m1") == {}
    assert (elsewhere / "out" / "a").read_bytes() == OLD


@pytest.mark.parametrize(
    ("place", "hash", "why"),
    [
        ("../../../secret", sha256(b"secret").hexdigest(), "outside"),
        ("/etc/hostname", sha256(b"x").hexdigest(), "outside"),
        ("backups/link", sha256(b"secret").hexdigest(), "outside"),
        ("backups/none", sha256(b"x").hexdigest(), "missing"),
        ("backups/other", sha256(b"x").hexdigest(), "damaged"),
        ("backups/other", None, "no hash"),
        ("backups", sha256(b"x").hexdigest(), "cannot be read"),
    ],
)
def test_a_backup_of_another_program_is_a_foreign_claim(
    elsewhere: Path, place: str, hash: str | None, why: str
) -> None:
    kept(elsewhere, b"other", "backups/other")
    link = elsewhere / "store" / "sessions" / "s1" / "backups" / "link"
    link.symlink_to(elsewhere / "secret")
    with opened(elsewhere, foreign(place, hash)) as session:
        left = restored(session, elsewhere / "out", "m1")
    assert why in left["a"]
    assert walked(elsewhere / "out") == {}


def test_undo_of_another_programs_step_in_a_mapped_workspace(elsewhere: Path) -> None:
    kept(elsewhere, OLD, "backups/a_1.backup")
    work = elsewhere / "work"
    work.mkdir()
    (work / "a").write_bytes(NEW)
    (work / "a").chmod(0o644)
    with opened(
        elsewhere, foreign("backups/a_1.backup", sha256(OLD).hexdigest()), workspace=work
    ) as session:
        move = commands.undo(session.opened)
        plan = move.plan()
        assert kinds(plan) == {"a": "write"}
        assert move.apply(plan.digest).exit_code == 0
        assert (work / "a").read_bytes() == OLD
        session.refresh()
        again = commands.redo(session.opened)
        again.apply(again.plan().digest)
    assert (work / "a").read_bytes() == NEW


# moves that a foreign session reports as interrupted


def test_a_foreign_interrupted_move_is_never_finished(elsewhere: Path) -> None:
    kept(elsewhere, NEW)
    work = elsewhere / "work"
    work.mkdir()
    (work / "a").write_bytes(OLD)
    (work / "a").chmod(0o644)
    nowhere = {"files": None, "conversation": None, "todos": None}
    line = {
        "type": "operation",
        "id": "o1",
        "kind": "move",
        "verb": "undo",
        "note": "n1",
        "parent": "m1",
        "scopes": ["files"],
        "from": nowhere,
        "to": nowhere,
        "at": nowhere,
        "paths": {"a": {"before": file(OLD), "after": file(NEW)}, "../escaped": became(file(NEW))},
    }
    folder = elsewhere / "store" / "sessions" / "s1"
    (folder / "operations.jsonl").write_text(json.dumps(line) + "\n")
    with opened(elsewhere, {"paths": {}}):
        pass
    with opened(elsewhere, {"paths": {}}, workspace=work):
        pass
    with opened(elsewhere, {"paths": {}}):
        pass
    assert (work / "a").read_bytes() == OLD


names = st.one_of(
    st.sampled_from([*HOSTILE, "a", "a/b", "l", "l/x", ".git/x", "a/b/c"]),
    st.text(max_size=12),
    st.lists(st.sampled_from(["..", ".", "a", "", "l", "b"]), max_size=5).map("/".join),
)
states = st.one_of(
    st.just(file(NEW)),
    st.just({"kind": "folder", "mode": "0755"}),
    st.sampled_from(["..", "../..", ".", "a", "a/..", "l/../x", "../l", "/etc"]).map(
        lambda target: {"kind": "link", "target": target}
    ),
    st.just({"kind": "absent"}),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists, max_leaves=3
    ),
)


@examples(40, torture=5000)
@given(paths=st.dictionaries(names, states, max_size=6))
def test_no_session_writes_outside_of_the_folder(paths: dict[str, Any]) -> None:
    with TemporaryDirectory(dir=FAST) as top:
        _try_to_write_outside(Path(top), paths)


def _try_to_write_outside(top: Path, paths: dict[str, Any]) -> None:
    folder = top / "store" / "sessions" / "s1"
    (folder / "backups").mkdir(parents=True)
    (folder / "messages.jsonl").write_bytes(said("m1") + b"\n" + said("m2", "m1") + b"\n")
    kept(top, NEW)
    around = os.listdir(top)
    with opened(top, {"paths": {name: became(state) for name, state in paths.items()}}) as session:
        filling = restore_into(session.opened, None, top / "out")
        filling.apply(filling.plan().digest)
    assert sorted(os.listdir(top)) == sorted({*around, "out"})
    for path in walked(top / "out"):
        real = os.path.realpath(os.path.join(os.fsencode(top / "out"), path))
        assert Path(os.fsdecode(real)).is_relative_to(os.path.realpath(top / "out")), path
