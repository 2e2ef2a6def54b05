"""Threads that append together: each gets its own outcome; an interrupted one blocks no other."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import NotFound, NotSaved
from talktree.session.journal.commit import CommitGroup
from talktree.session.journal.journal import Journal
from talktree.session.journal.lines import verify_seal
from talktree.session.journal.log import LinePosition, WrittenLines
from tests.session.journals import opened, served

WRITERS = 8


def together(*works: Callable[[], object]) -> list[BaseException | object]:
    """Run functions in threads that start at the same moment; return their outcomes."""
    start = threading.Barrier(len(works))

    def run(work: Callable[[], object]) -> object:
        start.wait()
        try:
            return work()
        except BaseException as error:
            return error

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


@pytest.mark.parametrize("mode", ["safe", "fast"])
def test_each_thread_gets_the_places_of_its_own_lines(tmp_path: Path, mode: str) -> None:
    journal = opened(tmp_path, "safe" if mode == "safe" else "fast")

    def write(writer: int) -> list[tuple[bytes, LinePosition]]:
        found = []
        for number in range(30):
            line = b'{"writer":%d,"number":%d}' % (writer, number)
            found.append((line, journal.append("messages", line)[0]))
        return found

    outcomes = together(*(partial(write, writer) for writer in range(WRITERS)))
    lines = {line.start: line.raw for line in served(tmp_path)}
    assert len(lines) == WRITERS * 30
    for outcome in outcomes:
        assert isinstance(outcome, list)
        for line, place in outcome:
            raw = lines[place.start]
            assert raw.startswith(line[:-1])
            assert verify_seal(raw) == (place.number, "good")


def test_errors_go_to_the_thread_whose_work_failed(tmp_path: Path) -> None:
    journal = opened(tmp_path, "safe")

    def good() -> object:
        return journal.run_in_group(lambda: journal.append("messages", b'{"good":1}'))

    def bad() -> object:
        def work() -> object:
            raise NotFound("no such message")

        return journal.run_in_group(work)

    for _ in range(20):
        outcomes = together(good, bad, good, bad, good)
        assert [isinstance(each, NotFound) for each in outcomes] == [False, True] * 2 + [False]
    assert len(served(tmp_path)) == 60


class Stage:
    """An empty journal, which counts the threads inside and can be made to fail."""

    def __init__(self) -> None:
        self.inside = 0
        self.written = 0
        self.reached = 0
        self.fails: list[BaseException] = []
        self.stops: list[bool] = []
        """Whether Ctrl-C arrives while the next work is done,"""
        self.stops_leaving: list[bool] = []
        """or when it is done and the lock is released."""

    def enter(self) -> None:
        self.inside += 1
        assert self.inside == 1

    def leave(self, *, settle: bool = False) -> list[WrittenLines]:
        self.inside -= 1
        if self.stops_leaving and self.stops_leaving.pop():
            raise KeyboardInterrupt
        return [WrittenLines(0, (0, 0), 0, b"", [], self.written, 0)]

    def ensure_synced(self, written: WrittenLines) -> None:
        # Meanwhile the others arrive, so that a group waits to be served.
        time.sleep(0.001)
        if self.fails:
            raise self.fails.pop()
        self.reached = max(self.reached, written.syncs)

    def work(self) -> int:
        assert self.inside == 1
        if self.stops and self.stops.pop():
            raise KeyboardInterrupt
        self.written += 1
        return self.written


@given(
    st.lists(st.sampled_from([KeyboardInterrupt, NotSaved]), max_size=3),
    st.lists(st.booleans(), max_size=2 * WRITERS),
    st.lists(st.booleans(), max_size=4),
)
def test_an_interrupted_thread_blocks_no_other(
    failures: list[type[BaseException]], stops: list[bool], stops_leaving: list[bool]
) -> None:
    stage = Stage()
    stage.fails = [kind("stopped") for kind in failures]
    stage.stops = [*stops]
    stage.stops_leaving = [*stops_leaving]
    group = CommitGroup(stage)

    def write() -> list[BaseException | int]:
        return [once() for _ in range(3)]

    def once() -> BaseException | int:
        try:
            number = group.run(stage.work)
        except (KeyboardInterrupt, NotSaved) as error:
            return error
        # Acknowledged means written, whichever thread led.
        assert stage.reached >= number
        return number

    found = together(*[write] * WRITERS)
    outcomes = [one for each in found if isinstance(each, list) for one in each]
    assert len(outcomes) == 3 * WRITERS
    numbers = [each for each in outcomes if isinstance(each, int)]
    assert len(set(numbers)) == len(numbers)
    lost = [each for each in outcomes if not isinstance(each, int)]
    interrupted = sum(isinstance(each, KeyboardInterrupt) for each in lost)
    assert interrupted <= failures.count(KeyboardInterrupt) + sum(stops) + sum(stops_leaving)
    stage.fails, stage.stops, stage.stops_leaving = [], [], []
    assert group.run(stage.work) == stage.written == stage.reached


def test_a_waiting_thread_that_is_interrupted_is_not_appointed(tmp_path: Path) -> None:
    """Ctrl-C in the main thread while another leads must not leave the rest without a leader."""
    journal: Journal = opened(tmp_path, "safe")
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> object:
        begun.set()
        go_on.wait(20)
        return journal.append("messages", b'{"slow":1}')

    leader = threading.Thread(target=lambda: journal.run_in_group(slow))
    leader.start()
    begun.wait(20)
    stop = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    stop.start()
    with pytest.raises(KeyboardInterrupt):
        journal.append("messages", b'{"waiting":1}')
    go_on.set()
    leader.join(20)
    assert not leader.is_alive()
    journal.append("messages", b'{"after":1}')
    assert [line.raw[:9] for line in served(tmp_path)] == [b'{"slow":1', b'{"after":']
