"""A sync that fails, and every other call: nothing acknowledged is lost, and writing goes on."""

from __future__ import annotations

import itertools
import os
import random
from pathlib import Path

import pytest

from talktree.session.seal import sealed
from tests.session.faults import injected, need_strace, was_injected
from tests.session.journals import acks, opened, quarantined, served, verify, writer

TORTURE = os.environ.get("HYPOTHESIS_PROFILE") == "torture"


def run(
    folder: Path, fault: str, *, count: int = 5, name: str = "a", **more: int
) -> tuple[str, bool]:
    """What a writer was told while a call failed, and whether it did fail."""
    trace = folder.parent / f"{folder.name}.{name}.trace"
    process = writer(folder, name, count, before=injected(fault, trace), **more)
    out, err = process.communicate()
    killed = "signal=KILL" in fault
    assert killed or process.returncode == 0, err
    return out, was_injected(trace)


def goes_on(folder: Path) -> None:
    """The next writer gets in and its message is there."""
    [place] = opened(folder, "safe").append("messages", b'{"writer":"after","message":1}')
    assert served(folder)[-1].start == place.start


def test_a_failed_sync_renews_the_file(tmp_path: Path) -> None:
    need_strace()
    folder = tmp_path / "s"
    folder.mkdir()
    out, _ = run(folder, "fdatasync:error=EIO:when=3")
    told = [line.split()[0] for line in out.splitlines()]
    assert told == ["ready", "saved", "lost", "saved", "saved", "saved", "problem", "done"]
    found = verify(folder, acks(out))
    assert len(found) == 4
    [moved] = quarantined(folder)
    assert moved.startswith(b'{"writer":"a","message":1,')


def test_a_sync_that_fails_again_and_again(tmp_path: Path) -> None:
    need_strace()
    folder = tmp_path / "s"
    folder.mkdir()
    out, _ = run(folder, "fdatasync:error=EIO:when=2+2", count=8)
    assert len(acks(out)) < 8
    assert out.endswith("done\n")
    assert [line.start for line in verify(folder, acks(out))] == [ack.start for ack in acks(out)]
    goes_on(folder)


def test_a_file_that_can_never_be_renewed(tmp_path: Path) -> None:
    """Every sync and every renewal fails: nothing is acknowledged, nothing gets lost."""
    need_strace()
    folder = tmp_path / "s"
    folder.mkdir()
    before = opened(folder, "safe").append("messages", b'{"writer":"before","message":0}')
    out, _ = run(folder, "fdatasync,fsync:error=EIO")
    assert acks(out) == []
    assert out.count("lost") == 5
    assert served(folder)[0].start == before[0].start
    goes_on(folder)
    verify(folder, [])
    assert len(served(folder)) == 2
    assert sum(moved.count(b"\n") for moved in quarantined(folder)) == 1, "later ones wrote nothing"


@pytest.mark.parametrize("when", range(2, 30 if TORTURE else 6))
def test_other_writers_behind_a_failed_sync(tmp_path: Path, when: int) -> None:
    need_strace()
    folder = tmp_path / "s"
    folder.mkdir()
    trace = tmp_path / "trace"
    fault = injected(f"fdatasync:error=EIO:when={when}", trace)
    processes = [
        writer(folder, "faulty", 20, before=fault),
        *(writer(folder, f"w{at}", 30) for at in range(3)),
    ]
    outs = [process.communicate()[0] for process in processes]
    assert all(out.endswith("done\n") for out in outs)
    assert was_injected(trace)
    acknowledged = [ack for out in outs for ack in acks(out)]
    found = verify(folder, acknowledged)
    assert {line.start for line in found} == {ack.start for ack in acknowledged}
    lost = sum(out.count("lost") for out in outs)
    assert lost >= 1
    assert sum(moved.count(b"\n") for moved in quarantined(folder)) >= lost


CALLS = (
    "openat",
    "write",
    "pwrite64",
    "fdatasync",
    "fsync",
    "renameat",
    "ftruncate",
    "mkdirat",
    "fcntl",
    "newfstatat",
    "pread64",
    "lseek",
    "fallocate",
)
ERRORS = ("EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES", "EMFILE", "EINTR")
MOST = 40


def faults() -> list[tuple[str, int]]:
    """What is done to which call, and at which time."""
    kinds = [f"error={error}" for error in ERRORS] + ["signal=KILL"]
    every = [
        (f"{call}:{kind}", when)
        for call, kind, when in itertools.product(CALLS, kinds, range(1, MOST))
    ]
    if TORTURE:
        return every
    near = [each for each in every if each[1] < 8]
    return random.Random(1).sample(near, 24)


def damaged_session(folder: Path) -> None:
    """Three messages and the beginning of a fourth."""
    folder.mkdir()
    lines = [sealed(b'{"writer":"before","message":%d}' % at, at + 1) for at in range(3)]
    (folder / "messages.jsonl").write_bytes(b"\n".join([*lines, b'{"writer":"torn","mess']))


@pytest.mark.parametrize(("fault", "when"), faults())
def test_any_call_may_fail(tmp_path: Path, fault: str, when: int) -> None:
    """Opening a session with a torn end and appending to it, with one call that fails or kills."""
    need_strace()
    folder = tmp_path / "s"
    damaged_session(folder)
    places = [folder, folder / "messages.jsonl", folder / "lock", folder / "quarantine"]
    trace = tmp_path / "trace"
    process = writer(folder, "a", 4, before=injected(f"{fault}:when={when}", trace, *places))
    out, err = process.communicate()
    assert "signal=KILL" in fault or out.endswith("done\n"), err
    acknowledged = acks(out)
    assert was_injected(trace) or len(acknowledged) == 4
    goes_on(folder)
    found = verify(folder, acknowledged)
    assert [line.raw for line in found[:3]] == (folder / "messages.jsonl").read_bytes().split(
        b"\n"
    )[:3]
    assert b'{"writer":"torn","mess' in quarantined(folder)
    assert len(found) >= 4 + len(acknowledged)
