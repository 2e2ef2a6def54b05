"""A plan can be inspected before anything happens, and only that plan is executed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from talktree.errors import LockHeld, UsageError, WorldMoved
from talktree.session.undo import commands
from talktree.session.undo.plan_text import format_plan
from tests.session.working import Place, in_conflict, kinds, working


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Place]:
    with working(tmp_path) as place:
        yield place


def test_a_plan_changes_nothing_and_is_repeatable(at: Place) -> None:
    in_conflict(at)
    opened = at.session.opened
    lengths = [opened.journal.length(log) for log in ("messages", "snapshots", "operations")]
    kept, before = sorted(opened.contents.list_hashes()), at.tree
    plan = commands.undo(opened, force=True).plan()
    assert commands.undo(opened, force=True).plan() == plan
    assert at.tree == before
    assert sorted(opened.contents.list_hashes()) == kept
    after = [opened.journal.length(log) for log in ("messages", "snapshots", "operations")]
    assert after == lengths


@pytest.mark.parametrize("what", ["content", "mode", "another", "talk"])
def test_apply_refuses_if_the_world_moved(at: Place, what: str) -> None:
    at.session.user("please")
    at.step(a="1")
    move = commands.undo(at.session.opened)
    digest = move.plan().digest
    match what:
        case "content":
            at.put("a", "2")
        case "mode":
            (at.work / "a").chmod(0o711)
        case "another":
            (at.work / "a").unlink()
            (at.work / "a").symlink_to("b")
        case "talk":
            at.session.user("wait")
    before = at.tree
    with pytest.raises(WorldMoved):
        move.apply(digest)
    assert at.tree == before


def test_no_one_moves_while_a_tool_works(at: Place) -> None:
    at.session.user("please")
    message = at.step(a="1")
    move = commands.undo(at.session.opened)
    digest = move.plan().digest
    with at.session.step(message, paths=["b"]), pytest.raises(LockHeld):
        move.apply(digest)
    assert at.read("a") == "1"


def test_a_damaged_content_is_reported_in_the_plan_and_the_rest_is_done(at: Place) -> None:
    at.put("a", "old a")
    at.put("b", "old b")
    at.session.user("please")
    at.step(a="new", b="new", c="new")
    folder = at.session.opened.folder.path / "backups"
    for path in folder.iterdir():
        if path.read_bytes() == b"old a":
            path.write_bytes(b"bad a")
        elif path.read_bytes() == b"old b":
            path.unlink()
    plan = commands.undo(at.session.opened).plan()
    assert kinds(plan) == {"a": "cannot", "b": "cannot", "c": "delete"}
    outcome = at.apply(commands.undo(at.session.opened))
    assert outcome.exit_code == 1
    assert (at.read("a"), at.read("c")) == ("new", None)


def test_a_plan_as_text_and_json(at: Place) -> None:
    in_conflict(at)
    plan = commands.undo(at.session.opened, force=True).plan()
    text = format_plan(plan, at.session.opened)
    assert "-five" in text
    assert f"digest: {plan.digest}" in text
    value = plan.to_json()
    assert [each["action"] for each in value["plan"]] == ["write"]
    assert value["digest"] == plan.digest


def test_a_model_can_be_sent_what_moved(at: Place) -> None:
    at.session.user("please")
    at.step(a="1", b="1")
    at.apply(commands.undo(at.session.opened))
    [report] = at.session.moves_since_reply()
    assert "- a (removed)" in report.text


def test_questions_that_make_no_sense_are_refused(at: Place) -> None:
    at.session.user("please")
    with pytest.raises(UsageError):
        commands.undo(at.session.opened, turn=True, operation="last")
    with pytest.raises(UsageError):
        commands.undo(at.session.opened, scopes=())
