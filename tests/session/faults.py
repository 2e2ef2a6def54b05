"""Faults of the system, made on purpose: errors and kills at chosen calls, disks that are full.

What a machine cannot do is said loudly; such a test counts as not run.
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
