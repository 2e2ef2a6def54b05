"""Interrupted moves: killed before every single call, short of space, or disturbed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from talktree.errors import NotSaved, TalktreeError
from talktree.session.store import Store
from talktree.session.undo import commands
from talktree.session.undo.commands import UndoMove
from talktree.session.undo.execute import execute_plan
from talktree.session.undo.move_records import LoggedMove, format_move_start_line
from talktree.session.undo.move_records import parse_moves as known_moves
from talktree.session.undo.recover import open_ground
from talktree.session.undo.target_folder import TEMPORARY, make_temporary_name
from tests.session.killed import killed_at
from tests.session.machine import FAST
from tests.session.trees import Thing, walked
from tests.session.working import Place, working


def eventful(at: Place) -> tuple[dict[bytes, Thing], dict[bytes, Thing]]:
    """Record a step with every kind of change; return the trees before and after."""
    for name in ("changed", "gone", "mode", "to-folder", "to-link"):
        at.put(name, f"old {name}")
    at.put("to-file__inner__deep", "old")
    at.put("to-file__other", "old")
    (at.work / "link").symlink_to("changed")
    before = at.tree
    at.session.user("please")
    message = at.session.assistant("everything at once")
    with at.session.step(message, watch=["."]):
        at.put("changed", "new")
        at.put("gone", None)
        (at.work / "mode").chmod(0o755)
        for name in ("to-folder", "to-link", "link"):
            (at.work / name).unlink()
        at.put("to-folder__sub__file", "new")
        (at.work / "to-link").symlink_to("nowhere")
        subprocess.run(["rm", "-r", at.work / "to-file"], check=True)
        at.put("to-file", "a file now")
        at.put("fresh__folder__file", b"\0\xff")
        (at.work / "empty").mkdir()
        (at.work / "link").symlink_to("mode")
    return before, at.tree


@pytest.fixture
def quick_path() -> Iterator[Path]:
    """Return a folder where syncing costs nothing."""
    with TemporaryDirectory(dir=FAST) as folder:
        yield Path(folder)


def states_of(at: Place) -> list[str]:
    return [move.state for move in known_moves(at.session.opened.index.operations())]


@pytest.mark.parametrize("stride", [11, pytest.param(1, marks=pytest.mark.torture)])
def test_a_move_that_is_killed_before_any_call_is_whole_when_opened_again(
    quick_path: Path, stride: int
) -> None:
    """The state is the one before if the line `move` was not written, otherwise the one after."""
    with working(quick_path) as at:
        before, after = eventful(at)
        id, call, seen = at.session.id, 0, set()
        while True:

            def undo() -> None:
                with Store(quick_path / "store").open(id, durability="fast") as session:
                    move = commands.undo(session.opened)
                    move.apply(move.plan().digest)

            killed = killed_at(call, undo)
            at.again()
            assert at.tree in (before, after), call
            undone = at.tree == before
            assert states_of(at)[-1:] == (["moved"] if undone else states_of(at)[-1:])
            assert "open" not in states_of(at)
            seen.add((killed, undone))
            if undone:
                at.apply(commands.redo(at.session.opened))
            assert at.tree == after
            if not killed:
                break
            call += stride
        assert seen == {(True, False), (True, True), (False, True)}
        assert call > 60


def test_a_recovery_that_is_killed_too_is_finished_by_the_next(quick_path: Path) -> None:
    with working(quick_path) as at:
        before, after = eventful(at)
        id = at.session.id

        def undo() -> None:
            with Store(quick_path / "store").open(id, durability="fast") as session:
                move = commands.undo(session.opened)
                move.apply(move.plan().digest)

        def reopen() -> None:
            Store(quick_path / "store").open(id, durability="fast").close()

        for first in range(60, 130, 14):
            killed_at(first, undo)
            for second in range(first % 5, 60, 15):
                killed_at(second, reopen)
            at.again()
            assert at.tree in (before, after), first
            assert "open" not in states_of(at)
            if at.tree == before:
                at.apply(commands.redo(at.session.opened))
            assert at.tree == after


def interrupted(at: Place, done: bool) -> LoggedMove:
    """Interrupt an undo after its first line, and perhaps after one of two files."""
    move = commands.undo(at.session.opened)
    made = move._make_plan(open_ground(at.session.opened), safe=True)
    reported = move._log_move(made)
    at.session.opened.contents.flush()
    at.session.opened.journal.append("operations", format_move_start_line(at.session.id, reported))
    if done:
        at.put("a", "old a")
    return reported


def two_files(at: Place) -> None:
    at.put("a", "old a")
    at.put("b", "old b")
    at.session.user("please")
    at.step(a="new a", b="new b")


def test_an_interrupted_move_is_finished(tmp_path: Path) -> None:
    with working(tmp_path) as at:
        two_files(at)
        interrupted(at, done=True)
        at.again()
        assert (at.read("a"), at.read("b")) == ("old a", "old b")
        assert any("was finished; every path" in notice for notice in at.session.notices)
        at.apply(commands.redo(at.session.opened))
        assert (at.read("a"), at.read("b")) == ("new a", "new b")


def test_a_path_in_neither_state_is_left_alone_and_named(tmp_path: Path) -> None:
    with working(tmp_path) as at:
        two_files(at)
        interrupted(at, done=True)
        at.put("b", "the user's")
        at.again()
        assert (at.read("a"), at.read("b")) == ("old a", "the user's")
        assert any("b: somebody else has changed it" in each for each in at.session.notices)
        assert states_of(at) == ["moved"]


def test_a_move_that_cannot_be_finished_is_taken_back(tmp_path: Path) -> None:
    with working(tmp_path) as at:
        two_files(at)
        interrupted(at, done=True)
        for path in (at.session.opened.folder.path / "backups").iterdir():
            if path.read_bytes() == b"old b":
                path.unlink()
        at.again()
        assert (at.read("a"), at.read("b")) == ("new a", "new b")
        assert states_of(at) == ["withdrawn"]


def test_a_thing_put_aside_is_never_lost(tmp_path: Path) -> None:
    with working(tmp_path) as at:
        two_files(at)
        reported = interrupted(at, done=False)
        (at.work / "a").rename(at.work / make_temporary_name(reported.id, b"a", b".old").decode())
        (at.work / make_temporary_name(reported.id, b"b", b".new").decode()).write_text("half")
        at.again()
        assert at.tree.keys() == {b"a", b"b"}
        assert (at.read("a"), at.read("b")) == ("old a", "old b")


@contextmanager
def tiny_disk(path: Path, size: str) -> Iterator[None]:
    path.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path], capture_output=True
    )
    if made.returncode != 0:
        pytest.skip(f"NOT RUN: no disk could be mounted: {made.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", path], check=True)


def failed(at: Place, move: UndoMove) -> NotSaved | None:
    try:
        at.apply(move)
    except NotSaved as error:
        return error
    return None


@pytest.mark.parametrize("rest", range(0, 200, 25))
def test_a_full_disk_changes_nothing(tmp_path: Path, rest: int) -> None:
    """Everything is as before, and it works once there is space."""
    with tiny_disk(tmp_path / "work", "1m"), working(tmp_path) as at:
        for name in "abcdef":
            at.put(name, name * 20_000)
        before = at.tree
        at.session.user("please")
        message = at.session.assistant("emptied")
        with at.session.step(message, watch=["."]):
            for name in "abcdef":
                at.put(name, name)
        after = at.tree
        (at.work / "ballast").write_bytes(b"x" * (800_000 + rest * 1000))
        move = commands.undo(at.session.opened)
        digest = move.plan().digest
        failure = failed(at, move)
        if failure is not None:
            assert "No space left" in failure.message
            (at.work / "ballast").unlink()
            assert at.tree == after
            assert states_of(at) == ["withdrawn"]
            assert move.apply(digest).exit_code == 0
        (at.work / "ballast").unlink(missing_ok=True)
        assert at.tree == before


def test_nothing_temporary_is_left_by_a_failure(tmp_path: Path) -> None:
    """A folder takes the place of a file right before it is replaced."""
    with working(tmp_path) as at:
        two_files(at)
        move = commands.undo(at.session.opened)
        made = move._make_plan(open_ground(at.session.opened), safe=True)
        reported = move._log_move(made)
        at.put("b", "the user's, in the last moment")
        with pytest.raises(TalktreeError):
            execute_plan(
                at.session.opened,
                open_ground(at.session.opened),
                reported,
                made.plan,
                made.draft.stamps if made.draft else {},
            )
        assert at.read("b") == "the user's, in the last moment"
        assert at.read("a") == "new a"
        assert not [name for name in walked(at.work) if name.startswith(TEMPORARY)]
        assert os.listdir(at.work)
