"""Faults of the system, made on purpose: errors and kills at chosen calls, full disks.

A test that the machine cannot run is reported as not run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from tests.torture.session.images import Image, image, why_not


@cache
def _strace_works() -> bool:
    if shutil.which("strace") is None:
        return False
    done = subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True)
    return done.returncode == 0


def need_strace() -> None:
    """Skip a test, reported as not run, where faults cannot be injected."""
    if not _strace_works():
        pytest.skip("NOT RUN: strace is missing or not allowed here, so no faults were injected")


def injected(fault: str, trace: Path, *paths: Path) -> list[str]:
    """Return the beginning of a command whose system calls fail: `write:error=EIO:when=3`."""
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
    """Whether the fault happened; a kill leaves a trace as well."""
    text = trace.read_text()
    return "INJECTED" in text or "killed by SIGKILL" in text


@contextmanager
def small_disk(place: Path, size: int) -> Iterator[Path]:
    """Mount a file system of a few pages, in memory."""
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


@contextmanager
def unwritable(place: Path) -> Iterator[None]:
    """Make a read-only folder; for root, who may write in any folder, a read-only mount."""
    place.mkdir(mode=0o500)
    root = os.geteuid() == 0
    if root and _quietly("mount", "-t", "tmpfs", "-o", "ro", "none", str(place)).returncode:
        pytest.skip("NOT RUN: mounting is not allowed here, and root may write in every folder")
    try:
        yield
    finally:
        if root:
            _quietly("umount", "--lazy", str(place))


@contextmanager
def disk(kind: str, folder: Path) -> Iterator[Image]:
    """Mount a fresh disk with a file system of this kind, whose power can be cut."""
    if reason := why_not(kind):
        pytest.skip(f"NOT RUN: {reason}, so no power was cut")
    with image(folder, kind) as made:
        yield made


def _quietly(*command: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, capture_output=True)
