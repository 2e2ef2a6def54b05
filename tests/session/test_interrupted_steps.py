"""Processes that die inside a step: the state before is known, whatever the tool did."""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.session.capture.file_state import ABSENT, FileContentState, UnknownState
from talktree.session.capture.interrupted_steps import WHY, end_cut_off_steps
from talktree.session.capture.limits import Limits
from talktree.session.capture.snapshots import find_named_contents, parse_snapshot
from talktree.session.capture.step import CaptureStep
from talktree.session.handle import SessionHandle
from talktree.session.journal.lines import read_lines
from talktree.text.json.decode import decode
from tests.cases import examples
from tests.session.trees import (
    CASES,
    EditAction,
    differences,
    do,
    edits,
    message_of,
    session,
    thing_of,
    walked,
    work_of,
)

STORE = (b".sage",)
SHARP = Limits(racy_seconds=0)
many_edits = st.lists(edits, max_size=10)


def in_child(work: Callable[[], None]) -> int:
    """Run a function in a separate process and wait for its end; return its status."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(7)
    return os.waitpid(child, 0)[1]


def die_in_a_step(top: Path, message: str, then: list[EditAction], named: list[bytes]) -> None:
    def work() -> None:
        with session(top, SHARP) as opened:
            CaptureStep(opened, message, paths=named, watch=[b"."], unprotected="mark").__enter__()
            for edit in then:
                do(top / "work", edit)
            os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(work) == signal.SIGKILL


@examples(CASES // 2)
@given(many_edits, many_edits, many_edits, st.sampled_from([[], [b"a"], [b"d/a", b"b"]]))
def test_a_step_that_died_is_ended_with_what_was_there_before(
    first: list[EditAction], between: list[EditAction], then: list[EditAction], named: list[bytes]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        with session(top, SHARP) as opened:
            message = message_of(opened)
            for edit in first:
                do(top / "work", edit)
            with CaptureStep(opened, message_of(opened), watch=[b"."]):
                for edit in between[:5]:
                    do(top / "work", edit)
        for edit in between[5:]:
            do(top / "work", edit)
        before = walked(top / "work", STORE)
        die_in_a_step(top, message, then, named)
        wanted = differences(before, walked(top / "work", STORE))
        with session(top, SHARP) as opened:
            assert len(end_cut_off_steps(opened)) == 1
            assert end_cut_off_steps(opened) == []
            last = opened.index.snapshots([message])[-1]
            changed = {
                change.path: change for change in last.changes if change.after == UnknownState(WHY)
            }
            assert changed.keys() == wanted.keys()
            for path, change in changed.items():
                assert thing_of(change.before, opened.contents) == wanted[path][0]
            assert last.ended


def test_the_next_step_ends_the_one_that_died_first(tmp_path: Path) -> None:
    with session(tmp_path) as opened:
        message = message_of(opened)
        (work_of(opened) / "f").write_bytes(b"old")
    die_in_a_step(tmp_path, message, [("write", b"f", b"new"), ("write", b"g", b"g")], [])
    with session(tmp_path) as opened:
        with CaptureStep(opened, message, watch=[b"."]):
            pass
        assert opened.notices == ["a step was cut off; 2 paths are not what they were before it"]
        effects = {c.path: c for one in opened.index.snapshots([message]) for c in one.changes}
        assert effects[b"g"].before == ABSENT
        assert thing_of(effects[b"f"].before, opened.contents)[1] == b"old"


def test_a_step_at_work_is_not_cut_off(tmp_path: Path) -> None:
    with session(tmp_path) as opened, session(tmp_path) as other:
        with CaptureStep(opened, message_of(opened), watch=[b"."]):
            assert end_cut_off_steps(opened) == []
            assert end_cut_off_steps(other) == []
        assert end_cut_off_steps(other) == []


def check_blobs(opened: SessionHandle) -> int:
    """Assert that all blobs match their names and all named blobs exist; return their number."""
    for name in opened.contents.list_hashes():
        path = opened.folder.path / "backups" / f"{name}.backup"
        assert sha256(path.read_bytes()).hexdigest() == name
        assert path.stat().st_mode & 0o777 == 0o600
    count = 0
    kept = set(opened.contents.list_hashes())
    for line in read_lines(opened.journal.descriptor("snapshots")):
        value = decode(line.raw).value
        assert kept.issuperset(find_named_contents(value))
        for change in parse_snapshot(value).changes:
            for state in (change.before, change.after):
                if isinstance(state, FileContentState):
                    assert opened.contents.find_problem(state) is None
                    count += 1
    return count


def step_for_ever(top: Path, seed: int) -> None:
    chance = random.Random(seed)
    with session(top, Limits(racy_seconds=0)) as opened:
        while True:
            with CaptureStep(opened, message_of(opened), watch=[b"."], paths=[b"0"]):
                for _ in range(chance.randint(0, 60)):
                    path = top / "work" / str(chance.randint(0, 200))
                    path.write_bytes(chance.randbytes(chance.choice([0, 10, 5000])))


@pytest.mark.parametrize("seed", range(8))
def test_a_kill_at_any_time_leaves_nothing_under_a_wrong_name(tmp_path: Path, seed: int) -> None:
    killed_at_random_times(tmp_path, [seed])


@pytest.mark.torture
def test_a_kill_at_any_time_very_often(tmp_path: Path) -> None:
    killed_at_random_times(tmp_path, range(500))


def killed_at_random_times(top: Path, seeds: range | list[int]) -> None:
    for seed in seeds:
        child = os.fork()
        if child == 0:
            try:
                step_for_ever(top, seed)
            finally:
                os._exit(7)
        time.sleep(random.Random(seed).uniform(0.02, 0.2))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        if (top / "work" / ".sage" / "sessions" / "s" / "backups").exists():
            with session(top) as opened:
                check_blobs(opened)
                end_cut_off_steps(opened)
                check_blobs(opened)
