"""Scans of watched folders: bounded, honest about their limits, and not misled by times."""

from __future__ import annotations

import mmap
import os
import time
from pathlib import Path

from hypothesis import strategies as st

from talktree.session.capture.blobs import Contents
from talktree.session.capture.file_state import ABSENT, FileContentState, UnknownState, is_same
from talktree.session.capture.limits import Limits
from talktree.session.capture.scan import FolderScan, Walker
from talktree.session.capture.snapshots import SnapshotLine
from talktree.session.capture.step import CaptureStep
from talktree.session.handle import SessionHandle
from tests.session.trees import (
    edits,
    message_of,
    place,
    session,
    thing_of,
    work_of,
)

STORE = (b".sage",)
SHARP = Limits(racy_seconds=0)
many_edits = st.lists(edits, max_size=12)


def log(opened: SessionHandle, message: str) -> list[SnapshotLine]:
    return opened.index.snapshots([message])


def test_the_next_process_reads_only_what_is_new(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    for number in range(5):
        (work / str(number)).write_bytes(b"%d" % number)
        os.utime(work / str(number), (1, 1))
    with session(tmp_path, SHARP) as opened, CaptureStep(opened, message_of(opened), watch=[b"."]):
        pass
    with session(tmp_path, SHARP) as opened:
        message = message_of(opened)
        (work / "2").write_bytes(b"other")
        with CaptureStep(opened, message, watch=[b"."]) as step:
            (work / "3").unlink()
        assert [path for taken in log(opened, message) for path, _ in taken.seen] == [b"2"]
        (change,) = step.changed
        assert change.path == b"3"
        assert thing_of(change.before, opened.contents)[1] == b"3"
    # A cache that is damaged, or whose contents are gone, only costs reading.
    cache = work / ".sage" / "cache" / "s.files"
    cache.write_bytes(cache.read_bytes()[5:-3].replace(b"0", b"1"))
    with session(tmp_path, SHARP) as opened:
        for name in list(opened.contents.list_hashes()):
            opened.contents.remove(name)
        with CaptureStep(opened, message_of(opened), watch=[b"."]) as step:
            (work / "1").unlink()
        assert thing_of(step.changed[0].before, opened.contents)[1] == b"1"


def test_a_scan_is_bounded_and_says_so() -> None:
    with place(Limits(entries=10)) as opened:
        work, message = work_of(opened), message_of(opened)
        for folder in ("a", "b", "c"):
            (work / folder).mkdir()
            for number in range(4):
                (work / folder / str(number)).write_bytes(b"1")
        with CaptureStep(opened, message, watch=[b"."]) as step:
            for folder in ("a", "b", "c"):
                (work / folder / "1").write_bytes(b"2")
                (work / folder / "new").write_bytes(b"2")
        blind = {path for path, why in step.uncovered if "at most 10 entries" in why}
        assert len(blind) == 2
        got = {change.path for change in step.changed}
        assert not any(path.split(b"/")[0].decode() in blind for path in got)
        assert not any(change.after == ABSENT for change in step.changed)


def test_bytes_outside_the_bound_are_unknown_not_absent() -> None:
    with place(Limits(new_bytes=25)) as opened:
        work, message = work_of(opened), message_of(opened)
        for number in range(4):
            (work / str(number)).write_bytes(b"x" * 10)
        with CaptureStep(opened, message, watch=[b"."]) as step:
            for number in range(4):
                (work / str(number)).unlink()
        before = [change.before for taken in log(opened, message) for change in taken.changes]
        assert sum(isinstance(state, UnknownState) for state in before) == 2
        assert sum(isinstance(state, FileContentState) for state in before) == 2
        assert any("2 files were not read" in why for _, why in step.uncovered)


def test_hard_links_are_counted() -> None:
    with place() as opened:
        work, message = work_of(opened), message_of(opened)
        (work / "a").write_bytes(b"1")
        os.link(work / "a", work / "b")
        with CaptureStep(opened, message, paths=[b"a"]):
            (first,) = log(opened, message)
        assert isinstance(first.changes[0].before, FileContentState)
        assert first.changes[0].before.links == 2


def test_a_step_without_changes_claims_none() -> None:
    with place() as opened:
        work, message = work_of(opened), message_of(opened)
        (work / "a").write_bytes(b"1")
        with CaptureStep(opened, message, watch=[b"."]) as step:
            os.utime(work / "a", (5, 5))
            (work / "b").write_bytes(b"")
            (work / "b").unlink()
        assert step.changed == ()
        assert not any(taken.changes for taken in log(opened, message))


def test_an_edit_that_puts_size_and_times_back_is_found() -> None:
    with place(SHARP) as opened:
        file = work_of(opened) / "f"
        file.write_bytes(b"old")
        os.utime(file, (1, 1))
        time.sleep(0.02)
        with CaptureStep(opened, message_of(opened), watch=[b"."]) as step:
            file.write_bytes(b"new")
            os.utime(file, (1, 1))
        assert [change.path for change in step.changed] == [b"f"]


def test_a_young_file_is_read_again_although_its_times_are_the_same() -> None:
    """A memory-mapped file can be changed without a change of the file's times."""
    with place() as opened:
        file = work_of(opened) / "f"
        file.write_bytes(b"0000")
        with file.open("rb+") as held, mmap.mmap(held.fileno(), 4) as mapped:
            mapped[0:1] = b"1"
            with CaptureStep(opened, message_of(opened), watch=[b"."]) as step:
                mapped[1:2] = b"2"
        (change,) = step.changed
        assert thing_of(change.before, opened.contents)[1] == b"1000"
        assert thing_of(change.after, opened.contents)[1] == b"1200"


def test_scanned_contents_that_were_not_committed_are_stored_again() -> None:
    with place(SHARP) as opened:
        file = work_of(opened) / "f"
        file.write_bytes(b"old")
        time.sleep(0.02)
        assert opened.workspace is not None
        FolderScan(opened, Walker(opened.workspace, opened.limits), [b"."]).begin()
        opened.contents.close()
        opened.contents = Contents(opened.folder)
        with CaptureStep(opened, message_of(opened), paths=[], watch=[b"."]) as step:
            file.unlink()
        assert thing_of(step.changed[-1].before, opened.contents)[1] == b"old"


def test_same_is_not_claimed_of_unknown() -> None:
    assert not is_same(UnknownState("x"), UnknownState("x"))
