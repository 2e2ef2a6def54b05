"""A failing sync, and every other failing call: nothing acknowledged is lost, and writing
continues."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from talktree.session.journal.lines import seal_line
from tests.cases import TORTURE
from tests.session.faults import injected, need_strace, was_injected
from tests.session.journals import ROOT, acks, opened, quarantined, served, verify, writer


def run(folder: Path, fault: str, *, count: int = 5) -> str:
    """Return the acknowledgements of a writer while a call failed."""
    trace = folder.parent / "trace"
    out = writer(folder, "a", count, before=injected(fault, trace)).details()
    assert was_injected(trace)
    return out


def goes_on(folder: Path) -> None:
    """Assert that the next writer can append and its message is there."""
    [place] = opened(folder, "safe").append("messages", b'{"writer":"after","message":1}')
    assert served(folder)[-1].start == place.start


def test_a_failed_sync_renews_the_file(tmp_path: Path) -> None:
    need_strace()
    folder = tmp_path / "s"
    folder.mkdir()
    out = run(folder, "fdatasync:error=EIO:when=3")
    reported = [line.split()[0] for line in out.splitlines()]
    assert reported == ["ready", "saved", "lost", "saved", "saved", "saved", "problem", "done"]
    found = verify(folder, acks(out))
    assert len(found) == 4
    [moved] = quarantined(folder)
    assert moved.startswith(b'{"writer":"a","message":1,')


def test_a_sync_that_fails_again_and_again(tmp_path: Path) -> None:
    need_strace()
    folder = tmp_path / "s"
    folder.mkdir()
    out = run(folder, "fdatasync:error=EIO:when=2+2", count=8)
    assert len(acks(out)) < 8
    assert [line.start for line in verify(folder, acks(out))] == [ack.start for ack in acks(out)]
    goes_on(folder)


def test_a_file_that_can_never_be_renewed(tmp_path: Path) -> None:
    """Every sync and every renewal fails: nothing is acknowledged, nothing gets lost."""
    need_strace()
    folder = tmp_path / "s"
    folder.mkdir()
    before = opened(folder, "safe").append("messages", b'{"writer":"before","message":0}')
    out = run(folder, "fdatasync,fsync:error=EIO")
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
    writers = [
        writer(folder, "faulty", 20, before=fault),
        *(writer(folder, f"w{at}", 30) for at in range(3)),
    ]
    outs = [each.details() for each in writers]
    acknowledged = [ack for out in outs for ack in acks(out)]
    found = verify(folder, acknowledged)
    assert {line.start for line in found} == {ack.start for ack in acknowledged}
    lost = sum(out.count("lost") for out in outs)
    # Others may have synced for it so often that it never called sync itself.
    assert (lost >= 1) == was_injected(trace)
    assert sum(moved.count(b"\n") for moved in quarantined(folder)) >= lost


def test_a_failure_that_is_reported_to_one_writer_only(tmp_path: Path) -> None:
    """The writer that saw the sync fail died before recording it; another has synced and recorded
    since."""
    need_strace()
    folder = tmp_path / "s"
    folder.mkdir()
    trace = tmp_path / "trace"
    fault = injected("sync_file_range:error=EIO:when=1", trace)
    writers = [
        writer(folder, "told", 1000, before=fault),
        *(writer(folder, f"w{at}", 600) for at in range(3)),
    ]
    outs = [each.details() for each in writers]
    verify(folder, [ack for out in outs for ack in acks(out)])
    assert was_injected(trace), "nobody synced for it"
    assert outs[0].count("lost") == 1
    assert not any(out.count("lost") for out in outs[1:])


BEGINNING = """
import sys
from pathlib import Path
from talktree.errors import NotSaved
from tests.session.journals import opened
first, second = opened(Path(sys.argv[1]), "safe"), opened(Path(sys.argv[1]), "safe")
def tell(number, work, *arguments):
    try:
        work(*arguments)
        print(number)
    except NotSaved:
        print("lost")
def append(number, journal):
    tell(number, journal.append, "messages", b'{"number":%d}' % number)
append(0, first)
"""
GOES_ON = """
append(1, first)
append(2, second)
append(3, first)
"""
HELD = """
first.enter()
first.append("messages", b'{"number":1}')
[held] = first.leave()
append(2, first)
append(3, second)
tell(1, first.ensure_synced, held)
append(4, first)
"""


@pytest.mark.parametrize(
    ("script", "expected"), [(GOES_ON, "0 lost 2 3"), (HELD, "0 lost 3 lost 4")], ids=["on", "held"]
)
def test_a_failure_that_is_noted_late(tmp_path: Path, script: str, expected: str) -> None:
    """The sync fails and so does recording that; another writer continues before it can be
    recorded.

    What it has saved is not revoked, and does not vouch for what came before.
    """
    need_strace()
    folder, trace = tmp_path / "s", tmp_path / "trace"
    folder.mkdir()
    command = [sys.executable, "-c", BEGINNING + script, str(folder)]
    faults = ["-e", "trace=fdatasync,pwrite64", "-e", "inject=pwrite64:error=EIO:when=3"]
    done = subprocess.run(
        [*injected("fdatasync:error=EIO:when=3", trace), *faults, *command],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    assert trace.read_text().count("INJECTED") == 2
    assert done.stdout.split() == expected.split()
    numbers = [json.loads(line.raw)["number"] for line in served(folder)]
    saved = [int(word) for word in expected.split() if word != "lost"]
    assert [number for number in numbers if number in saved] == saved


CALLS = (
    *("openat", "write", "pwrite64", "pread64", "fdatasync", "fsync", "renameat", "ftruncate"),
    *("mkdirat", "fcntl", "newfstatat", "lseek", "fallocate", "sync_file_range"),
)
ERRORS = ("EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES", "EMFILE", "EINTR")
FAULTS = [
    f"{call}:{kind}"
    for call in CALLS
    for kind in (*(f"error={error}" for error in ERRORS), "signal=KILL")
]


def damaged_session(folder: Path) -> None:
    """Return a session with three messages and the beginning of a fourth."""
    folder.mkdir()
    lines = [seal_line(b'{"writer":"before","message":%d}' % at, at + 1) for at in range(3)]
    (folder / "messages.jsonl").write_bytes(b"\n".join([*lines, TRUNCATED]))


TRUNCATED = b'{"writer":"torn","mess'


def holds(place: Path, fault: str, when: int) -> bool:
    """Open a session with a truncated end and append to it while one call fails or kills.

    Return whether the fault happened; what was acknowledged is there in any case.
    """
    folder = place / f"{when}"
    damaged_session(folder)
    before = [line.raw for line in served(folder)]
    places = [folder, folder / "messages.jsonl", folder / "lock", folder / "quarantine"]
    trace = place / f"{when}.trace"
    process = writer(folder, "a", 4, before=injected(f"{fault}:when={when}", trace, *places))
    out = process.details(done=False)
    assert "signal=KILL" in fault or not out or out.endswith("done\n"), out
    acknowledged = acks(out)
    goes_on(folder)
    found = verify(folder, acknowledged)
    assert [line.raw for line in found[:3]] == before
    assert len(found) >= 4 + len(acknowledged)
    assert TRUNCATED in quarantined(folder)
    if was_injected(trace):
        return True
    assert len(acknowledged) == 4
    return False


@pytest.mark.parametrize("fault", random.Random(11).sample(FAULTS, 24))
def test_any_call_may_fail(tmp_path: Path, fault: str) -> None:
    need_strace()
    holds(tmp_path, fault, random.Random(fault).randrange(1, 8))


@pytest.mark.torture
@pytest.mark.parametrize("fault", FAULTS)
def test_each_call_fails_in_turn(tmp_path: Path, fault: str) -> None:
    """Fail the first call, the second one, and so on, until the work ends before the fault."""
    need_strace()
    when = 1
    while holds(tmp_path, fault, when):
        when += 1
