"""Files that others have changed: left alone, reported, and resolved as the user decides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from talktree import api
from talktree.session.undo import commands
from talktree.session.undo.plan import Choice
from tests.session.working import Place, in_conflict, kinds, working


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Place]:
    with working(tmp_path) as place:
        yield place


def test_a_conflict_is_left_reported_and_offered(at: Place) -> None:
    in_conflict(at)
    plan = commands.undo(at.session.opened).plan()
    assert plan.conflicts[0].choices == ("keep", "theirs", "both", "merge")
    outcome = at.apply(commands.undo(at.session.opened))
    assert outcome.exit_code == 1
    assert at.read("a.txt") == "one\n2\n3\n4\nfive\n"


@pytest.mark.parametrize(
    ("choice", "content"),
    [
        ("keep", "one\n2\n3\n4\nfive\n"),
        ("theirs", "1\n2\n3\n4\n5\n"),
        ("both", "1\n2\n3\n4\n5\n"),
        ("merge", "one\n2\n3\n4\n5\n"),
    ],
)
def test_a_conflict_ends_as_the_user_says(at: Place, choice: str, content: str) -> None:
    in_conflict(at)
    before = at.tree
    chosen = commands.undo(at.session.opened, resolutions={b"a.txt": choice})  # type: ignore[dict-item]
    at.apply(chosen)
    assert at.read("a.txt") == content
    others = [name for name in at.tree if name != b"a.txt"]
    assert len(others) == (1 if choice == "both" else 0)
    for name in others:
        assert at.tree[name] == before[b"a.txt"]
    at.apply(commands.redo(at.session.opened))
    assert at.tree == before


def test_a_merge_that_overlaps_stays_a_conflict(at: Place) -> None:
    at.session.user("please")
    at.step(a="1\n")
    at.step(a="2\n")
    at.put("a", "3\n")
    plan = commands.undo(at.session.opened, resolutions={b"a": "merge"}).plan()
    assert kinds(plan) == {"a": "conflict"}
    assert "same lines" in plan.conflicts[0].reason


def test_a_copy_beside_never_takes_a_name_that_is_used(at: Place) -> None:
    in_conflict(at)
    first = commands.undo(at.session.opened, resolutions={b"a.txt": "both"}).plan()
    beside = next(each.beside for each in first.actions if each.beside)
    (at.work / beside.decode()).write_text("taken")
    at.apply(commands.undo(at.session.opened, resolutions={b"a.txt": "both"}))
    assert at.read(beside.decode()) == "taken"
    assert len(at.tree) == 3


def test_force_can_be_taken_back(at: Place) -> None:
    in_conflict(at)
    before = at.tree
    assert at.apply(commands.undo(at.session.opened, force=True)).exit_code == 0
    assert at.read("a.txt") == "1\n2\n3\n4\n5\n"
    at.apply(commands.undo(at.session.opened, operation="last"))
    assert at.tree == before


def test_user_changes_between_two_steps_are_restored_and_not_overlooked(at: Place) -> None:
    at.session.user("please")
    at.step(a="by the session")
    at.put("a", "by the user")
    at.step(a="by the session, again")
    at.apply(commands.undo(at.session.opened))
    assert at.read("a") == "by the user"
    assert kinds(commands.undo(at.session.opened).plan()) == {"a": "conflict"}
    assert kinds(commands.redo(at.session.opened).plan()) == {"a": "write"}
    at.apply(commands.redo(at.session.opened))
    assert kinds(commands.undo(at.session.opened, turn=True).plan()) == {"a": "conflict"}


def test_two_sessions_are_distinguished_by_content(at: Place) -> None:
    at.session.user("please")
    at.step(a="mine", b="mine")
    with at.store.create(workspace=at.work, durability="fast") as other:
        message = other.user("please")
        with other.step(message, watch=["."]):
            at.put("a", "theirs")
    plan = commands.undo(at.session.opened).plan()
    assert kinds(plan) == {"a": "conflict", "b": "delete"}


@pytest.mark.parametrize("choice", [None, "keep", "theirs", "both", "merge"])
def test_a_session_with_conflicts_gives_no_findings(at: Place, choice: Choice | None) -> None:
    in_conflict(at)
    choices: dict[bytes, Choice] = {} if choice is None else {b"a.txt": choice}
    at.apply(commands.undo(at.session.opened, resolutions=choices))
    assert at.session.check(read_data=True) == []
    at.session.close()
    assert api.check(at.store.root).findings == []
