"""Recording on a disk that is full, or whose writes fail."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from talktree import api
from talktree.errors import NotSaved, TalktreeError
from talktree.session import Session, Store
from tests.session.faults import injected, need_strace, small_disk, was_injected

HERE = Path(__file__).parent.parent.parent


def verified(store: Store, id: str, saved: list[str]) -> None:
    """Assert that all acknowledged messages are there, every parent exists and the session is
    valid."""
    with store.open(id, write=False) as session:
        chain = [message.id for message in session.full_messages(saved[-1])]
        assert chain == saved
    assert [f"{each.code} {each.message}" for each in api.check(store.root).findings] == []


def fill(session: Session, saved: list[str]) -> None:
    """Record until the disk is full."""
    while True:
        id = session.user("y" * 3000)
        saved.append(id)


def test_a_full_disk_is_an_error_and_nothing_else(tmp_path: Path) -> None:
    saved: list[str] = []
    with small_disk(tmp_path / "disk", 256 * 1024) as disk:
        store = Store(disk / ".sage")
        session = store.create(workspace=tmp_path)
        ballast = disk / "ballast"
        saved.append(session.user("start", todos=["a"]))
        ballast.write_bytes(b"x" * 100 * 1024)
        with pytest.raises(NotSaved) as error:
            fill(session, saved)
        assert "space" in str(error.value)
        with pytest.raises(NotSaved):
            session.user("z" * 30_000, todos=[])
        ballast.unlink()
        saved.append(session.user("space is back"))
        assert [todo.content for todo in session.current_todos()] == ["a"]
        session.close()
        verified(store, session.id, saved)


def test_a_disk_too_full_to_close_loses_only_the_cache(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 256 * 1024) as disk:
        store = Store(disk / ".sage")
        session = store.create(workspace=tmp_path)
        saved = [session.user("start")]
        ballast = disk / "ballast"
        with open(ballast, "wb", buffering=0) as file, suppress(OSError):
            while file.write(b"x" * 512):
                pass
        session.close()
        assert any("metadata" in each for each in session.notices)
        with store.open(session.id) as again:
            assert again.leaf == saved[0]
        ballast.unlink()
        with store.open(session.id) as again:
            saved.append(again.user("space is back"))
        verified(store, session.id, saved)


def record(root: Path, id: str) -> None:
    """Record five messages in a separate process, each reported when it is acknowledged."""
    session = Store(root).open(id)
    for count in range(5):
        try:
            report("saved", session.user(f"message {count}"))
        except TalktreeError as error:
            report("lost", type(error).__name__)
    session.close()
    report("closed")


def report(*words: str) -> None:
    """Report to the test."""
    os.write(1, (" ".join(words) + "\n").encode())


@pytest.mark.parametrize("when", [2, 3, 4])
def test_a_failed_sync_leaves_no_gap_in_the_chain(tmp_path: Path, when: int) -> None:
    need_strace()
    store = Store(tmp_path / ".sage")
    with store.create(workspace=tmp_path) as session:
        saved = [session.user("start")]
    trace = tmp_path / "trace"
    log = store.root / "sessions" / session.id / "messages.jsonl"
    code = f"from tests.session.test_recording_faults import *; record(Path({str(store.root)!r}), "
    done = subprocess.run(
        [
            *injected(f"fdatasync:error=EIO:when={when}", trace, log),
            sys.executable, "-c", f"{code}{session.id!r})",
        ],
        capture_output=True,
        text=True,
        cwd=HERE,
        check=False,
    )  # fmt: skip
    assert done.stdout.endswith("closed\n"), done.stderr
    assert was_injected(trace)
    reported = [line.split() for line in done.stdout.splitlines()[:-1]]
    assert [word for word, _ in reported].count("lost") == 1
    saved += [id for word, id in reported if word == "saved"]
    verified(store, session.id, saved)
