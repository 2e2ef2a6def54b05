"""Faults of the system, made on purpose: errors and kills at chosen calls, disks that are full.

What a machine cannot do is said loudly; such a test counts as not run.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest


@cache
def _strace_works() -> bool:
    if shutil.which("strace") is None:
        return False
    done = subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True)
    return done.returncode == 0


def need_strace() -> None:
    """Leave a test out, loudly, where faults cannot be injected."""
    if not _strace_works():
        pytest.skip("NOT RUN: strace is missing or not allowed here, so no faults were injected")


def injected(fault: str, trace: Path, *paths: Path) -> list[str]:
    """The beginning of a command whose system calls fail: `write:error=EIO:when=3`."""
    call = fault.partition(":")[0]
    chosen = [word for path in paths for word in ("-P", str(path))]
    return [
        "strace",
        "-f",
        "-qq",
        "-o",
        str(trace),
        "-e",
        f"trace={call}",
        "-e",
        f"inject={fault}",
        *chosen,
    ]


def was_injected(trace: Path) -> bool:
    """Whether the fault came to pass; a kill leaves a word of it too."""
    text = trace.read_text()
    return "INJECTED" in text or "killed by SIGKILL" in text


@contextmanager
def small_disk(place: Path, size: int) -> Iterator[Path]:
    """A file system of a few pages, in memory."""
    place.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("NOT RUN: mounting is not allowed here, so no disk was full")
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "talktree-test", str(place)],
        capture_output=True,
    )
    if made.returncode != 0:
        pytest.skip("NOT RUN: mounting is not allowed here, so no disk was full")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


class Disk:
    """A file system of its own in a file, whose power can be cut."""

    SHUTDOWN = 0x8004587D
    FLUSH_ALL, FLUSH_LOG, FLUSH_NOTHING = 0, 1, 2

    def __init__(self, image: Path, place: Path) -> None:
        self.place = place
        self._image = image

    def mount(self) -> None:
        """Put it in its place."""
        made = _quietly("mount", "-o", "loop", str(self._image), str(self.place))
        if made.returncode != 0:
            pytest.skip("NOT RUN: images cannot be mounted here, so no power was cut")

    def unmount(self) -> None:
        """Take it away; nobody may use it any more."""
        _quietly("umount", str(self.place))
        assert not os.path.ismount(self.place)

    def cut_power(self, flag: int) -> None:
        """From now on nothing reaches the disk; what was not there yet is gone when it is back."""
        fd = os.open(self.place, os.O_RDONLY)
        try:
            fcntl.ioctl(fd, self.SHUTDOWN, struct.pack("I", flag))
        finally:
            os.close(fd)


@contextmanager
def disk(kind: str, folder: Path) -> Iterator[Disk]:
    """A fresh disk with a file system of this kind."""
    if os.geteuid() != 0 or shutil.which(f"mkfs.{kind}") is None:
        pytest.skip(f"NOT RUN: no {kind} can be made and mounted here, so no power was cut")
    image, place = folder / "image", folder / "disk"
    place.mkdir()
    with open(image, "wb") as file:
        file.truncate((320 if kind == "xfs" else 32) << 20)
    _quietly(f"mkfs.{kind}", "-q", str(image))
    made = Disk(image, place)
    made.mount()
    try:
        yield made
    finally:
        # A test that failed may have left files open there.
        _quietly("umount", "--lazy", str(place))


def _quietly(*command: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, capture_output=True)
