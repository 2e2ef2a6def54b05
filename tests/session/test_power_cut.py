"""The power is cut while messages are written: everything acknowledged is there afterwards."""

from __future__ import annotations

import os
import random
import time
from hashlib import sha256
from pathlib import Path

import pytest

from tests.cases import TORTURE
from tests.session.faults import disk, need_strace
from tests.session.journals import Ack, acks, opened, served, verify, writer
from tests.torture.session.images import FLUSH_ALL, FLUSH_JOURNAL, FLUSH_NOTHING, Image

KINDS = ["ext4", "xfs"]
FLAGS = [FLUSH_ALL, FLUSH_JOURNAL, FLUSH_NOTHING]
WITHOUT_SYNC = [
    *("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync"),
    *("-e", "inject=fsync,fdatasync:retval=0"),
]


def acknowledged_before_the_cut(where: Image, seed: int, flag: int, before: list[str]) -> list[Ack]:
    """Run writers, cut the power; return what they were acknowledged until then and shortly
    after."""
    chance = random.Random(seed)
    folder = where.place / "session"
    folder.mkdir()
    sync = os.open(where.place, os.O_RDONLY)
    os.fsync(sync)
    os.close(sync)
    writers = [
        writer(
            folder, f"w{at}", 10_000, seed=seed, largest=chance.choice([300, 20_000]), before=before
        )
        for at in range(2)
    ]
    for each in writers:
        each.wait_for(2 + chance.randrange(20))
    time.sleep(chance.random() * 0.01)
    where.cut_power(flag)
    for each in writers:
        each.kill()
    return [ack for each in writers for ack in acks(each.details(done=False))]


def lost_in_the_cut(folder: Path, kind: str, seed: int, flag: int, before: list[str]) -> set[Ack]:
    """Return the acknowledged messages that are missing when the power is back."""
    with disk(kind, folder) as where:
        reported = acknowledged_before_the_cut(where, seed, flag, before)
        assert reported
        where.boot()
        session = where.place / "session"
        there = {(line.start, sha256(line.raw).hexdigest()) for line in served(session)}
        lost = {ack for ack in reported if (ack.start, ack.hash) not in there}
        if not lost:
            journal = opened(session, "safe")
            journal.append("messages", b'{"writer":"after","message":0}')
            journal.close()
            journal.folder.close()
            verify(session, reported)
        return lost


@pytest.mark.parametrize("seed", range(150 if TORTURE else 1))
@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_power_is_cut(tmp_path: Path, kind: str, flag: int, seed: int) -> None:
    assert lost_in_the_cut(tmp_path, kind, seed, flag, []) == set()


@pytest.mark.parametrize("kind", KINDS)
def test_without_syncs_the_same_loses_messages(tmp_path: Path, kind: str) -> None:
    """The control: if nothing were lost here, the test above would show nothing."""
    need_strace()
    assert lost_in_the_cut(tmp_path, kind, 1, FLUSH_NOTHING, WITHOUT_SYNC)
