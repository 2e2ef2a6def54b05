"""A full disk: an error, nothing half-written, and writing continues when there is space."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from talktree.errors import NotSaved
from talktree.session.journal.journal import Durability, Journal
from tests.cases import TORTURE
from tests.session.faults import injected, need_strace, small_disk
from tests.session.journals import acks, opened, quarantined, served, verify, writer

DISK = 256 << 10
HOME = Path(__file__).parents[2]
SHORT_WRITE = """
import resource, signal, sys
from pathlib import Path
from talktree.errors import NotSaved
from tests.session.journals import opened

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
journal = opened(Path(sys.argv[1]))
messages = Path(sys.argv[1]) / "messages.jsonl"
journal.append("messages", b'{"writer":"w","message":0}')
before = messages.read_bytes()
try:
    journal.append("messages", b'{"text":"%s"}' % (b"x" * 50_000))
except NotSaved as error:
    assert "File too large" in str(error), error
else:
    sys.exit("saved more than there was room for")
assert messages.read_bytes() == before
journal.append("messages", b'{"writer":"w","message":1}')
"""


def fill(disk: Path, leave: int) -> Path:
    """Take all space but some pages."""
    ballast = disk / "ballast"
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    with open(ballast, "wb") as file:
        file.write(b"b" * max(0, free - leave))
    return ballast


def append_until_full(journal: Journal, size: int) -> int:
    """Append until a message is not saved; return the number of saved ones."""
    hint = ""
    for number in range(10_000):
        text = b'{"writer":"w","message":%d,"text":"%s"}' % (number, b"x" * size)
        try:
            journal.append("messages", text)
        except NotSaved as error:
            hint = error.hint or ""
            break
    assert "space" in hint
    return number


def levels() -> list[tuple[Durability, int, int]]:
    """Mode, bytes left, size of the messages."""
    modes: list[Durability] = ["safe", "fast"]
    count = 100 if TORTURE else 10
    return [
        (modes[at % 2], 4096 * (at % 11), (17 + at * 997) % (20_000 if at % 3 else 300))
        for at in range(count * 2)
    ]


@pytest.mark.parametrize(("mode", "leave", "size"), levels())
def test_a_disk_that_is_full_at_any_level(
    tmp_path: Path, mode: Durability, leave: int, size: int
) -> None:
    with small_disk(tmp_path / "disk", DISK) as disk:
        folder = disk / "session"
        folder.mkdir(0o700)
        ballast = fill(disk, leave)
        journal = opened(folder, mode)
        saved = append_until_full(journal, size)
        found = served(folder)
        assert [json.loads(line.raw)["message"] for line in found] == [*range(saved)]
        data = (folder / "messages.jsonl").read_bytes() if saved else b"\n"
        assert data.endswith(b"\n"), "nothing is half-written"
        with pytest.raises(NotSaved):
            journal.append("messages", b'{"text":"%s"}' % (b"y" * DISK))
        ballast.unlink()
        journal.append("messages", b'{"writer":"w","message":%d}' % saved)
        assert len(verify(folder, [])) == saved + 1
        assert quarantined(folder) == []
        journal.close()


def test_several_lines_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", DISK) as disk:
        journal = opened(disk / "session")
        journal.append("messages", b'{"writer":"w","message":0}')
        ballast = fill(disk, 8192)
        with pytest.raises(NotSaved):
            journal.append("messages", *[b'{"text":"%s"}' % (b"x" * 1000)] * 30)
        assert len(served(disk / "session")) == 1
        ballast.unlink()
        journal.append("messages", b'{"writer":"w","message":1}')
        verify(disk / "session", [])
        journal.close()


def test_a_truncated_end_on_a_full_disk_waits_for_space(tmp_path: Path) -> None:
    """The quarantine needs space before anything may be cut."""
    with small_disk(tmp_path / "disk", DISK) as disk:
        folder = disk / "session"
        folder.mkdir()
        truncated = b'{"ha' + b"x" * 10_000
        (folder / "messages.jsonl").write_bytes(b'{"writer":"w","message":0}\n' + truncated)
        ballast = fill(disk, 4096)
        journal = opened(folder)
        for _ in range(3):
            with pytest.raises(NotSaved):
                journal.append("messages", b'{"writer":"w","message":1}')
        assert (folder / "messages.jsonl").read_bytes().endswith(truncated)
        ballast.unlink()
        journal.append("messages", b'{"writer":"w","message":1}')
        assert quarantined(folder) == [truncated]
        assert len(served(folder)) == 2
        assert not [*folder.rglob(".unfinished-*")]
        journal.close()


def test_a_failed_sync_on_a_full_disk_is_renewed_when_there_is_space(tmp_path: Path) -> None:
    need_strace()
    with small_disk(tmp_path / "disk", DISK) as disk:
        folder = disk / "session"
        first = opened(folder, "safe")
        first.append("messages", b'{"writer":"w","message":0,"text":"%s"}' % (b"x" * 9000))
        first.close()
        ballast = fill(disk, 4096)
        fault = injected("fdatasync:error=EIO:when=1", tmp_path / "trace")
        out = writer(folder, "a", 3, before=fault).details()
        assert acks(out) == []
        ballast.unlink()
        journal = opened(folder, "safe")
        journal.append("messages", b'{"writer":"w","message":1}')
        assert len(verify(folder, [])) == 2
        assert quarantined(folder)[0].startswith(b'{"writer":"a","message":0')
        journal.close()


def test_a_short_write_is_cut_back(tmp_path: Path) -> None:
    """The kernel writes up to a limit of the process: a short write, then an error."""
    subprocess.run([sys.executable, "-c", SHORT_WRITE, str(tmp_path)], check=True, cwd=HOME)
    assert [json.loads(line.raw)["message"] for line in served(tmp_path)] == [0, 1]
    verify(tmp_path, [])
