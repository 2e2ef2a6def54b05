"""Locks: which exclude each other, and that they end with their holder."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from talktree.errors import LockHeld
from talktree.files.locking import folder_lock, range_lock

HOLDER = """
import os, sys, time
from talktree.files.locking import folder_lock, range_lock
kind, path = sys.argv[1:]
fd = os.open(path, os.O_RDONLY if os.path.isdir(path) else os.O_RDWR)
held = range_lock(fd, 3) if kind == "byte" else folder_lock(fd, exclusive=kind == "exclusive")
with held:
    print("held", flush=True)
    time.sleep(60)
"""


def holder(kind: str, path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, kind, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"")
    return path


def opened(path: Path) -> int:
    return os.open(path, os.O_RDWR)


def test_handles_of_one_process_exclude_each_other(file: Path) -> None:
    one, two = opened(file), opened(file)
    with range_lock(one, 0):
        with pytest.raises(LockHeld), range_lock(two, 0, wait=False):
            pass
        with range_lock(two, 1, wait=False):
            pass
        os.close(opened(file))
        with pytest.raises(LockHeld), range_lock(two, 0, wait=True, seconds=0.02):
            pass
    with range_lock(two, 0, wait=False):
        pass
    os.close(one)
    os.close(two)


def test_shared_locks_go_together(file: Path) -> None:
    one, two = opened(file), opened(file)
    with range_lock(one, 0, exclusive=False), range_lock(two, 0, exclusive=False, wait=False):
        pass
    with (
        range_lock(one, 0, exclusive=False),
        pytest.raises(LockHeld),
        range_lock(two, 0, wait=False),
    ):
        pass
    os.close(one)
    os.close(two)


def test_a_byte_is_free_when_its_holder_is_dead(file: Path) -> None:
    process = holder("byte", file)
    fd = opened(file)
    with pytest.raises(LockHeld) as caught, range_lock(fd, 3, wait=False):
        pass
    assert caught.value.hint
    entered = threading.Event()

    def wait() -> None:
        with range_lock(fd, 3):
            entered.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert not entered.is_set()
    end(process)
    waiting.join()
    assert entered.is_set()
    os.close(fd)


@pytest.mark.parametrize(
    ("held", "wanted", "refused"),
    [
        ("shared", False, False),
        ("shared", True, True),
        ("exclusive", False, True),
        ("exclusive", True, True),
    ],
)
def test_folders(tmp_path: Path, held: str, wanted: bool, refused: bool) -> None:
    process = holder(held, tmp_path)
    fd = os.open(tmp_path, os.O_RDONLY)
    if refused:
        with pytest.raises(LockHeld), folder_lock(fd, exclusive=wanted):
            pass
    else:
        with folder_lock(fd, exclusive=wanted):
            pass
    end(process)
    with folder_lock(fd, exclusive=wanted):
        pass
    os.close(fd)


def test_two_locks_through_one_descriptor_are_two(tmp_path: Path) -> None:
    fd = os.open(tmp_path, os.O_RDONLY)
    with folder_lock(fd, exclusive=False):
        with folder_lock(fd, exclusive=False):
            pass
        with pytest.raises(LockHeld), folder_lock(fd, exclusive=True):
            pass
    with folder_lock(fd, exclusive=True):
        pass
    os.close(fd)
