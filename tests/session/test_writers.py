"""Many writers of one session, and writers that are killed: nothing acknowledged is ever lost."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from talktree.session.journal.journal import Durability
from talktree.session.journal.lines import read_lines, verify_seal
from tests.cases import TORTURE
from tests.session.journals import ROOT, acks, opened, quarantined, served, verify, writer

MODES: list[Durability] = ["safe", "fast"]

HOLDER = """
import sys, time
from pathlib import Path
from tests.session.journals import opened
journal = opened(Path(sys.argv[1]))
with journal.append_lock():
    print("held", flush=True)
    time.sleep(60)
"""


def read_all_the_time(folder: Path, stop: threading.Event, seen: list[str]) -> None:
    """Read beside the writers: every line that a reader ever gets is whole and valid."""
    path = folder / "messages.jsonl"
    while not stop.is_set():
        if path.exists():
            with open(path, "rb") as file:
                at = 0
                for _ in range(20):
                    for line in read_lines(file.fileno(), at):
                        seen.append(verify_seal(line.raw).state)
                        at = line.start + len(line.raw)
        time.sleep(0.01)


def kill_holders(folder: Path, count: int) -> None:
    for _ in range(count):
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(folder)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.kill()
        holder.communicate()


@pytest.mark.parametrize("mode", MODES)
def test_eight_writers_readers_and_dying_lock_holders(tmp_path: Path, mode: Durability) -> None:
    count, largest, holders = (1000, 1 << 20, 20) if TORTURE else (25, 1 << 17, 2)
    stop, seen = threading.Event(), list[str]()
    reader = threading.Thread(target=read_all_the_time, args=(tmp_path, stop, seen))
    reader.start()
    try:
        writers = [
            writer(tmp_path, f"w{at}", count, durability=mode, largest=largest) for at in range(8)
        ]
        kill_holders(tmp_path, holders)
        outs = [each.details() for each in writers]
    finally:
        stop.set()
        reader.join()
    found = verify(tmp_path, [ack for out in outs for ack in acks(out)])
    assert len(found) == 8 * count
    assert seen
    assert set(seen) == {"good"}
    assert not any("problem" in out for out in outs)


@pytest.mark.parametrize("seed", range(100 if TORTURE else 4))
def test_killed_at_random_times(tmp_path: Path, seed: int) -> None:
    """Four writers, each killed at some time, and others in their place."""
    chance = random.Random(seed)
    outs = []
    for round in range(3 if TORTURE else 2):
        names = [f"r{round}w{at}" for at in range(4)]
        largest = chance.choice([300, 30_000, 2_000_000 if TORTURE else 300_000])
        mode = chance.choice(MODES)
        writers = [
            writer(tmp_path, name, 10_000, durability=mode, seed=seed, largest=largest)
            for name in names
        ]
        for each in writers:
            each.wait_for(chance.randrange(1, 20))
        for each in writers:
            time.sleep(chance.random() * 0.01)
            each.kill()
        outs += [each.details(done=False) for each in writers]
    opened(tmp_path, "safe").append("messages", b'{"writer":"last","message":0}')
    verify(tmp_path, [ack for out in outs for ack in acks(out)])
    for truncated in quarantined(tmp_path):
        assert truncated.startswith(b'{"writer":"r')
        assert not truncated.endswith(b"\n")


def test_a_writer_that_dies_in_the_middle_of_a_line(tmp_path: Path) -> None:
    """A kill cuts large writes short; the next writer moves the partial line away."""
    journal = opened(tmp_path, "safe")
    journal.append("messages", b'{"writer":"a","message":0}')
    with open(tmp_path / "messages.jsonl", "ab") as file:
        file.write(b'{"writer":"b","mess')
    journal.append("messages", b'{"writer":"a","message":1}')
    verify(tmp_path, [])
    assert quarantined(tmp_path) == [b'{"writer":"b","mess']
    assert len(served(tmp_path)) == 2
