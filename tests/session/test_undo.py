"""Undo, redo, restore, switch, revert: the effect of each on files, messages and tasks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from talktree.errors import NotUndoable
from talktree.session.undo import commands
from talktree.session.undo.history import find_position
from talktree.session.undo.plan_text import format_plan
from tests.session.working import Place, kinds, working


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Place]:
    with working(tmp_path) as place:
        yield place


# moving


def test_undo_walks_back_and_redo_forward(at: Place) -> None:
    at.put("old_txt", "was here")
    trees = [at.tree]
    at.session.user("please")
    for files in ({"a": "1"}, {"a": "2", "dir__b": "b"}, {"old_txt": None, "dir__b": None}):
        at.step(**files)
        trees.append(at.tree)
    opened = at.session.opened
    for tree in (*trees[-2::-1], trees[0]):
        assert at.apply(commands.undo(opened)).exit_code == 0
        assert at.tree == tree
    with pytest.raises(NotUndoable):
        commands.undo(opened).plan()
    for tree in (trees[0], *trees[1:]):
        assert at.apply(commands.redo(opened)).exit_code == 0
        assert at.tree == tree
    with pytest.raises(NotUndoable):
        commands.redo(opened).plan()


def test_new_work_after_an_undo_is_a_branch_and_nothing_is_lost(at: Place) -> None:
    at.session.user("please")
    first = at.step(a="first")
    at.apply(commands.undo(at.session.opened))
    second = at.step(a="second", b="b")
    with pytest.raises(NotUndoable):
        commands.redo(at.session.opened).plan()
    assert len(at.session.branches()) == 2
    at.apply(commands.restore(at.session.opened, first))
    assert (at.read("a"), at.read("b")) == ("first", None)
    at.apply(commands.switch(at.session.opened, second))
    assert (at.read("a"), at.read("b")) == ("second", "b")


def test_undo_of_a_turn_goes_over_all_its_steps(at: Place) -> None:
    at.session.user("one")
    at.step(a="1")
    at.session.user("two")
    at.step(a="2")
    at.step(a="3", b="b")
    at.apply(commands.undo(at.session.opened, turn=True))
    assert (at.read("a"), at.read("b")) == ("1", None)


def test_undo_of_an_undo_and_of_a_redo(at: Place) -> None:
    at.session.user("please")
    at.step(a="1")
    opened = at.session.opened
    at.apply(commands.undo(opened))
    at.apply(commands.undo(opened, operation="last"))
    assert at.read("a") == "1"
    at.apply(commands.redo(opened))
    assert at.read("a") is None
    at.apply(commands.redo(opened))
    assert at.read("a") == "1"
    at.apply(commands.undo(opened, operation="last"))
    assert at.read("a") is None


def test_an_older_operation_is_taken_back_where_nothing_changed_since(at: Place) -> None:
    at.session.user("please")
    at.step(a="1", b="1")
    undo = at.apply(commands.undo(at.session.opened))
    at.step(b="new")
    plan = commands.undo(at.session.opened, operation=undo.move).plan()
    assert kinds(plan) == {"a": "write", "b": "conflict"}


def test_it_works_after_opening_again_and_after_compaction(at: Place) -> None:
    at.session.user("please")
    first = at.step(a="1")
    at.session.record_compaction_start()
    at.session.record_compaction("they made a")
    at.step(a="2")
    at.again()
    at.apply(commands.undo(at.session.opened))
    assert at.read("a") == "1"
    at.again()
    at.apply(commands.redo(at.session.opened))
    assert at.read("a") == "2"
    at.apply(commands.undo(at.session.opened, to=first))
    assert at.read("a") == "1"


def test_changes_of_a_sidechain_belong_to_its_message(at: Place) -> None:
    at.session.user("please")
    caller = at.session.assistant("I ask another")
    inner = at.session.user("make a", parent=caller, sidechain=True)
    with at.session.step(inner, watch=["."]):
        at.put("a", "by the other")
    at.session.assistant("done")
    at.apply(commands.undo(at.session.opened))
    assert at.read("a") is None
    at.apply(commands.redo(at.session.opened))
    assert at.read("a") == "by the other"


# scopes


def test_files_alone_go_back_step_by_step(at: Place) -> None:
    at.session.user("please")
    at.step(a="1")
    last = at.step(a="2")
    opened = at.session.opened
    for content in ("1", None):
        at.apply(commands.undo(opened, scopes=("files",)))
        assert at.read("a") == content
        assert find_position(opened).conversation == last
    with pytest.raises(NotUndoable):
        commands.undo(opened, scopes=("files",)).plan()
    at.step(b="b")
    at.apply(commands.undo(opened))
    assert (at.read("a"), at.read("b")) == (None, None)


def test_the_talk_alone_goes_back(at: Place) -> None:
    at.session.user("please")
    first = at.step(a="1")
    at.step(a="2")
    at.apply(commands.undo(at.session.opened, scopes=("conversation",)))
    assert at.read("a") == "2"
    assert find_position(at.session.opened).conversation == first
    assert "The files were not touched." in at.session.moves_since_reply()[-1].text


def test_tasks_follow_the_parent_chain_and_are_a_scope_of_their_own(at: Place) -> None:
    at.session.user("please", todos=["one"])
    first = at.step(a="1")
    at.session.todos(["one", "two"])
    at.step(a="2")
    opened = at.session.opened
    at.apply(commands.undo(opened, to=first, scopes=("files", "conversation")))
    assert [todo.content for todo in at.session.current_todos()] == ["one", "two"]
    at.apply(commands.redo(opened))
    at.apply(commands.undo(opened, to=first, scopes=("todos",)))
    assert [todo.content for todo in at.session.current_todos()] == ["one"]
    assert at.read("a") == "2"


def test_a_switch_with_and_without_files(at: Place) -> None:
    at.session.user("please")
    one = at.step(a="1")
    at.session.name("first")
    at.apply(commands.undo(at.session.opened))
    at.step(a="2")
    at.apply(commands.switch(at.session.opened, "first", scopes=("conversation", "todos")))
    assert at.read("a") == "2"
    assert find_position(at.session.opened).conversation == one
    at.apply(commands.undo(at.session.opened, operation="last"))
    at.apply(commands.switch(at.session.opened, "first"))
    assert at.read("a") == "1"


# single files, single messages


def test_one_file_goes_back_step_by_step_and_forward(at: Place) -> None:
    at.session.user("please")
    at.step(a="1", b="1")
    at.step(a="2", b="2")
    at.step(b="3")
    opened = at.session.opened
    at.apply(commands.undo(opened, paths=[b"a"]))
    assert (at.read("a"), at.read("b")) == ("1", "3")
    at.apply(commands.undo(opened, paths=[b"a"]))
    assert (at.read("a"), at.read("b")) == (None, "3")
    at.apply(commands.redo(opened))
    at.apply(commands.redo(opened))
    assert (at.read("a"), at.read("b")) == ("2", "3")
    at.apply(commands.undo(opened, turn=True))
    assert (at.read("a"), at.read("b")) == (None, None)


def test_the_effect_of_one_message_is_taken_back(at: Place) -> None:
    at.session.user("please")
    wrong = at.step(a="1", b="1")
    last = at.step(b="2")
    plan = commands.revert(at.session.opened, wrong).plan()
    assert kinds(plan) == {"a": "delete", "b": "conflict"}
    at.apply(commands.revert(at.session.opened, wrong))
    assert (at.read("a"), at.read("b")) == (None, "2")
    assert find_position(at.session.opened).conversation == last
    at.apply(commands.undo(at.session.opened, operation="last"))
    assert (at.read("a"), at.read("b")) == ("1", "2")


# ownership


def test_a_turn_without_file_changes_changes_no_file(at: Place) -> None:
    at.session.user("please")
    at.step(a="1")
    at.put("b", "the user's")
    at.session.user("thanks")
    plan = commands.undo(at.session.opened).plan()
    assert plan.actions == ()
    before = at.tree
    at.apply(commands.undo(at.session.opened))
    assert at.tree == before


def test_a_folder_goes_only_if_it_is_empty(at: Place) -> None:
    at.session.user("please")
    at.step(dir__a="1")
    at.put("dir__mine", "the user's")
    outcome = at.apply(commands.undo(at.session.opened))
    assert outcome.exit_code == 1
    assert (at.read("dir/a"), at.read("dir/mine")) == (None, "the user's")


def test_a_file_that_only_read_was_missing_is_not_deleted(at: Place) -> None:
    at.session.user("please")
    message = at.session.assistant("I read it")
    with at.session.step(message, paths=["later.txt"]):
        pass
    at.put("later_txt", "the user's")
    at.apply(commands.undo(at.session.opened))
    assert at.read("later.txt") == "the user's"


def test_uncovered_files_are_reported_also_if_there_is_nothing_to_do(at: Place) -> None:
    at.session.user("please")
    message = at.session.assistant("a pipe")
    with at.session.step(message, paths=["pipe"], unprotected="mark"):
        os.mkfifo(at.work / "pipe")
    later = at.session.assistant("another")
    with at.session.step(later, paths=["pipe"], unprotected="mark"):
        pass
    plan = commands.undo(at.session.opened, turn=True).plan()
    assert any(path == "pipe" for path, _ in plan.uncovered)
    assert "not covered: pipe" in format_plan(plan, at.session.opened)
