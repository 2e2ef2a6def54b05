"""Steps record exactly what an independent walk sees, whatever was done meanwhile."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import LockHeld, NotUndoable, PathEscapes
from talktree.files.locking import folder_lock
from talktree.session.capture.file_state import (
    ABSENT,
    FileContentState,
    Folder,
    UnknownState,
    name_from_json,
)
from talktree.session.capture.limits import Limits
from talktree.session.capture.snapshots import FileChange, SnapshotLine
from talktree.session.capture.step import CaptureStep
from talktree.session.handle import SessionHandle
from tests.cases import examples
from tests.session.trees import (
    CASES,
    EMPTY,
    EditAction,
    details,
    differences,
    do,
    edits,
    message_of,
    paths,
    place,
    session,
    thing_of,
    walked,
    work_of,
)

STORE = (b".sage",)
SHARP = Limits(racy_seconds=0)
many_edits = st.lists(edits, max_size=12)


def log(opened: SessionHandle, message: str) -> list[SnapshotLine]:
    return opened.index.snapshots([message])


@examples(CASES)
@given(many_edits, st.lists(many_edits, min_size=1, max_size=3), st.sampled_from([0.0, 2.0]))
def test_watched_changes_are_those_of_an_independent_walk(
    first: list[EditAction], steps: list[list[EditAction]], racy: float
) -> None:
    with place(Limits(racy_seconds=racy)) as opened:
        work = work_of(opened)
        for edit in first:
            do(work, edit)
        for each in steps:
            message = message_of(opened)
            before = walked(work, STORE)
            with CaptureStep(opened, message, watch=[b"."]) as step:
                for edit in each:
                    do(work, edit)
            after = walked(work, STORE)
            assert details(step.changed, opened.contents) == differences(before, after)
            assert step.uncovered == ()
            recorded = [change for taken in log(opened, message) for change in taken.changes]
            assert details(tuple(recorded), opened.contents) == differences(before, after)


@examples(CASES)
@given(many_edits, st.lists(paths, min_size=1, max_size=4), many_edits)
def test_named_paths_are_recorded_before_and_after(
    first: list[EditAction], named: list[bytes], then: list[EditAction]
) -> None:
    with place(SHARP) as opened:
        work, message = work_of(opened), message_of(opened)
        for edit in first:
            do(work, edit)
        before = walked(work, STORE)
        with CaptureStep(opened, message, paths=named, unprotected="mark") as step:
            early = {c.path: c for taken in log(opened, message) for c in taken.changes}
            for edit in then:
                do(work, edit)
        after = walked(work, STORE)
        wanted = differences(before, after)
        hidden = {name_from_json(path) for path, _ in step.uncovered}
        for change in step.changed:
            assert details((change,), opened.contents)[change.path] == wanted[change.path]
        got = {change.path for change in step.changed}
        above = {path.rsplit(b"/", cut)[0] for path in named for cut in (1, 2) if b"/" in path}
        lost = {path for path in above & wanted.keys() if after.get(path, EMPTY)[0] != "folder"}
        assert got >= lost - hidden
        for path in named:
            if path not in hidden and path in wanted:
                assert path in got
        for path, change in early.items():
            assert change.after is None
            if path not in hidden:
                assert thing_of(change.before, opened.contents) == before.get(path, EMPTY)


def test_missing_folders_above_a_path_are_recorded() -> None:
    with place() as opened:
        work, message = work_of(opened), message_of(opened)
        with CaptureStep(opened, message, paths=[b"x/y/z.txt"]) as step:
            (work / "x" / "y").mkdir(parents=True)
            (work / "x" / "y" / "z.txt").write_bytes(b"z")
        assert {change.path for change in step.changed} == {b"x", b"x/y", b"x/y/z.txt"}
        assert all(change.before == ABSENT for change in step.changed)
        kinds = {change.path: type(change.after) for change in step.changed}
        assert kinds == {b"x": Folder, b"x/y": Folder, b"x/y/z.txt": FileContentState}


def test_a_named_folder_includes_its_contents() -> None:
    with place() as opened:
        work, message = work_of(opened), message_of(opened)
        (work / "d" / "e").mkdir(parents=True)
        (work / "d" / "e" / "f").write_bytes(b"f")
        with CaptureStep(opened, message, paths=[b"d"]) as step:
            (work / "d" / "e" / "f").unlink()
            (work / "d" / "e").rmdir()
            (work / "d").rmdir()
        assert {change.path for change in step.changed} == {b"d", b"d/e", b"d/e/f"}
        assert all(change.after == ABSENT for change in step.changed)


def test_a_second_step_of_a_message_never_replaces_the_first_state() -> None:
    with place(SHARP) as opened:
        work, message = work_of(opened), message_of(opened)
        file = work / "f"
        file.write_bytes(b"first")
        for text in (b"second", b"third"):
            with CaptureStep(opened, message, paths=[b"f"]):
                file.write_bytes(text)
        with CaptureStep(opened, message, watch=[b"."]):
            file.write_bytes(b"fourth")
        befores = [c.before for taken in log(opened, message) for c in taken.changes]
        assert len(befores) == 5
        assert {thing_of(state, opened.contents)[1] for state in befores} == {b"first"}
        assert [taken.update for taken in log(opened, message)] == [False, *[True] * 5]


def test_user_changes_between_two_steps_of_a_message_are_kept_and_named() -> None:
    with place(SHARP) as opened:
        work, message = work_of(opened), message_of(opened)
        file = work / "f"
        file.write_bytes(b"first")
        with CaptureStep(opened, message, paths=[b"f"]):
            file.write_bytes(b"second")
        file.write_bytes(b"the user's")
        with CaptureStep(opened, message, paths=[b"f"]):
            file.write_bytes(b"third")
        seen = [
            thing_of(state, opened.contents)[1] for t in log(opened, message) for _, state in t.seen
        ]
        assert b"the user's" in seen


def test_before_states_are_in_the_log_before_the_tool_works() -> None:
    with place() as opened:
        work, message = work_of(opened), message_of(opened)
        (work / "f").write_bytes(b"old")
        with CaptureStep(opened, message, paths=[b"f"], watch=[b"."]) as step:
            (first,) = log(opened, message)
            assert first.watched == (b".",)
            assert not first.ended
            assert first.changes[0].after is None
            step.track(b"g")
            assert log(opened, message)[-1].changes == (FileChange(b"g", ABSENT, None),)
            (work / "g").write_bytes(b"g")
        assert log(opened, message)[-1].ended


def test_a_path_tracked_too_late_still_has_its_state_from_before() -> None:
    with place() as opened:
        work, message = work_of(opened), message_of(opened)
        (work / "f").write_bytes(b"old")
        with CaptureStep(opened, message, watch=[b"."]) as step:
            (work / "f").write_bytes(b"new")
            step.track(b"f", b"never")
        (change,) = step.changed
        assert thing_of(change.before, opened.contents)[1] == b"old"


def test_a_tool_that_fails_is_recorded_and_its_error_goes_on() -> None:
    with place() as opened:
        work, message = work_of(opened), message_of(opened)
        step = CaptureStep(opened, message, watch=[b"."])

        def fails() -> None:
            with step:
                (work / "f").write_bytes(b"half")
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fails()
        assert [change.path for change in step.changed] == [b"f"]


def test_nothing_of_version_control_or_the_store_is_looked_at() -> None:
    with place() as opened:
        work, message = work_of(opened), message_of(opened)
        (work / ".git").mkdir()
        (work / "deep" / ".hg").mkdir(parents=True)
        with CaptureStep(opened, message, watch=[b"."]) as step:
            (work / ".git" / "index").write_bytes(b"1")
            (work / "deep" / ".hg" / "x").write_bytes(b"1")
        assert step.changed == ()
        for path in (b".git/index", b"deep/.hg/x", b".sage/sessions/s/lock", b".git"):
            with pytest.raises(NotUndoable), CaptureStep(opened, message, paths=[path]):
                pass
        with CaptureStep(
            opened, message, watch=[b".git"], paths=[b".sage/x"], unprotected="mark"
        ) as step:
            pass
        assert {path for path, _ in step.uncovered} == {".git", ".sage/x"}


def test_the_store_is_left_alone_wherever_it_lies() -> None:
    with place() as opened:
        work, message = work_of(opened), message_of(opened)
        with CaptureStep(opened, message, watch=[b"."]) as step:
            os.rename(work / ".sage", work / "moved")
            os.rename(work / "moved", work / ".sage")
        assert step.changed == ()
        assert not any(b".sage" in path for path in opened.known.paths())


def test_odd_things_are_reported_and_never_opened(tmp_path: Path) -> None:
    with session(tmp_path) as opened:
        work, message = work_of(opened), message_of(opened)
        os.mkfifo(work / "pipe")
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(os.fsencode(os.path.relpath(work / "socket")))
            with CaptureStep(opened, message, watch=[b"."]) as step:
                os.mkfifo(work / "other")
        assert dict(step.uncovered) == {"pipe": "a FIFO", "socket": "a socket", "other": "a FIFO"}
        assert step.changed == (FileChange(b"other", ABSENT, UnknownState("a FIFO")),)
        with pytest.raises(NotUndoable), CaptureStep(opened, message, paths=[b"pipe"]):
            pass


def test_a_file_beyond_the_limit_is_refused_or_marked_before_it_is_changed() -> None:
    with place(Limits(largest_file=10)) as opened:
        work, message = work_of(opened), message_of(opened)
        (work / "big").write_bytes(b"x" * 11)
        with pytest.raises(NotUndoable, match="larger than"):
            CaptureStep(opened, message, paths=[b"big"]).__enter__()
        assert log(opened, message) == []
        with CaptureStep(opened, message, paths=[b"big"], unprotected="mark") as step:
            pass
        assert [path for path, _ in step.uncovered] == ["big"]
        with CaptureStep(opened, message, watch=[b"."]) as step:
            (work / "big").write_bytes(b"y" * 12)
        (change,) = log(opened, message)[-1].changes
        assert isinstance(change.after, UnknownState)
        assert [path for path, _ in step.uncovered] == ["big"]


@pytest.mark.parametrize(
    "path", [b"..", b"../x", b"a/../../x", b"/etc/passwd", b"", b".", b"a//b", b"a\0b", b"x" * 300]
)
def test_hostile_paths_are_refused(path: bytes) -> None:
    with place() as opened:
        message = message_of(opened)
        with pytest.raises(PathEscapes):
            CaptureStep(opened, message, paths=[path])
        if path != b".":
            with pytest.raises(PathEscapes):
                CaptureStep(opened, message, watch=[path])
        with CaptureStep(opened, message) as step, pytest.raises(PathEscapes):
            step.track(path)


def test_links_out_are_recorded_as_links_and_never_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_bytes(b"hidden")
    with session(tmp_path) as opened:
        work, message = work_of(opened), message_of(opened)
        (work / "out").symlink_to(secret)
        (work / "file").symlink_to(secret / "key")
        with pytest.raises(PathEscapes), CaptureStep(opened, message, paths=[b"out/key"]):
            pass
        with pytest.raises(PathEscapes), CaptureStep(opened, message, watch=[b"out/x"]):
            pass
        with CaptureStep(opened, message, paths=[b"out/key"], unprotected="mark") as step:
            pass
        assert [path for path, _ in step.uncovered] == ["out/key"]
        with CaptureStep(opened, message, paths=[b"file"], watch=[b"."]) as step:
            (secret / "key").write_bytes(b"changed")
            (secret / "more").write_bytes(b"more")
        assert step.changed == ()
        kept = {
            b"".join(
                opened.contents.pieces(
                    FileContentState(hash=name, size=opened.contents.size_of(name), mode=0)
                )
            )
            for name in opened.contents.list_hashes()
        }
        assert kept == set()


def test_a_workspace_that_is_being_moved_is_busy_and_steps_share_it() -> None:
    with place() as opened:
        message = message_of(opened)
        assert opened.workspace is not None
        alone = folder_lock(opened.workspace.fd, exclusive=True)
        with (
            CaptureStep(opened, message),
            CaptureStep(opened, message),
            pytest.raises(LockHeld),
            alone,
        ):
            pass
        with folder_lock(opened.workspace.fd, exclusive=True), pytest.raises(LockHeld):
            CaptureStep(opened, message).__enter__()
        with CaptureStep(opened, message):
            pass
