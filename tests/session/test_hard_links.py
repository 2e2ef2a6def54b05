"""Files with several names: moving one name never changes an unrelated one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from talktree.session.undo import commands
from tests.session.working import Place, kinds, working


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Place]:
    with working(tmp_path) as place:
        place.put("a", "1")
        (place.work / "a").chmod(0o644)
        place.session.user("please")
        yield place


def undone_and_redone(at: Place) -> None:
    """Undo the last step and redo it; everything must be restored."""
    after = at.tree
    assert at.apply(commands.undo(at.session.opened)).exit_code == 0
    assert at.apply(commands.redo(at.session.opened)).exit_code == 0
    assert at.tree == after
    assert at.apply(commands.undo(at.session.opened)).exit_code == 0


def test_a_name_that_goes_and_one_whose_mode_changes(at: Place) -> None:
    before = at.tree
    with at.session.step(at.session.assistant("link"), watch=["."]):
        (at.work / "a").chmod(0o755)
        os.link(at.work / "a", at.work / "b")
    assert kinds(commands.undo(at.session.opened).plan()) == {"a": "chmod", "b": "delete"}
    undone_and_redone(at)
    assert at.tree == before


def test_all_names_get_the_mode_together(at: Place) -> None:
    os.link(at.work / "a", at.work / "b")
    before = at.tree
    with at.session.step(at.session.assistant("mode"), watch=["."]):
        (at.work / "a").chmod(0o755)
    assert kinds(commands.undo(at.session.opened).plan()) == {"a": "chmod", "b": "chmod"}
    undone_and_redone(at)
    assert at.tree == before
    assert (at.work / "a").samefile(at.work / "b")


def test_names_that_had_different_modes_become_files_of_their_own(at: Place) -> None:
    at.put("b", "1")
    (at.work / "b").chmod(0o600)
    before = at.tree
    with at.session.step(at.session.assistant("link"), watch=["."]):
        (at.work / "b").unlink()
        os.link(at.work / "a", at.work / "b")
        (at.work / "a").chmod(0o755)
    undone_and_redone(at)
    assert at.tree == before
    assert not (at.work / "a").samefile(at.work / "b")


@pytest.mark.parametrize("inside", [True, False])
def test_a_name_of_the_users_keeps_its_mode(at: Place, inside: bool) -> None:
    with at.session.step(at.session.assistant("mode"), watch=["."]):
        (at.work / "a").chmod(0o755)
    other = (at.work if inside else at.top) / "other"
    os.link(at.work / "a", other)
    plan = commands.undo(at.session.opened).plan()
    assert kinds(plan) == {"a": "write"}
    assert any("no longer the same file" in warning for warning in plan.warnings)
    assert at.apply(commands.undo(at.session.opened)).exit_code == 0
    assert (at.work / "a").stat().st_mode & 0o777 == 0o644
    assert other.stat().st_mode & 0o777 == 0o755
    assert other.read_text() == "1"


def test_hard_links_are_warned_of(at: Place) -> None:
    os.link(at.work / "a", at.work / "other")
    at.step(a="2")
    plan = commands.undo(at.session.opened, paths=[b"a"]).plan()
    assert any("hard links" in warning for warning in plan.warnings)
