"""A fault at every system call of the store, one at a time: killed there, or refused.

`strace` injects the faults. The script runs once untouched to count its calls; then once for each
call with that one tampered with.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.torture.session.acks import parse_reports
from tests.torture.session.script import SEED
from tests.torture.session.verify import problems
from tests.torture.session.writer import SESSION

CALLS = (
    *("write", "pwrite64", "fsync", "fdatasync", "syncfs", "ftruncate", "fallocate"),
    *("rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat"),
    *("mkdir", "mkdirat", "fchmod", "symlinkat"),
)
ERRORS = ("EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES", "EMFILE", "EINTR")
HOME = Path(__file__).parents[3]


class Fault(NamedTuple):
    """A fault and the call it is injected in."""

    call: str
    number: int
    what: str
    """`signal=SIGKILL`, or `error=` and its name."""


def why_not() -> str | None:
    """Return why faults cannot be injected on this machine; None if they can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    traced = subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, check=False)
    return "strace is not allowed to trace" if traced.returncode else None


def kills() -> list[Fault]:
    """Return a kill at every call."""
    return [Fault(call, number, "signal=SIGKILL") for call, number in _each(_counted())]


def failures() -> list[Fault]:
    """Return every error at every call."""
    counts = _counted()
    return [
        Fault(call, number, f"error={error}") for error in ERRORS for call, number in _each(counts)
    ]


def _each(counts: Counter[str]) -> Iterator[tuple[str, int]]:
    for call in CALLS:
        for number in range(1, counts[call] + 1):
            yield call, number


def suffered(faults: list[Fault]) -> list[str]:
    """Return what went wrong with any of the faults."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [each for found in pool.map(_suffer, faults) for each in found]


def _suffer(fault: Fault) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "work").mkdir()
        inject = f"inject={fault.call}:{fault.what}:when={fault.number}"
        done = _run(place, "-e", f"trace={fault.call}", "-e", inject)
        reported = parse_reports(done.stdout)
        if not reported.acked and not (place / "store" / "sessions" / SESSION).exists():
            return []
        if fault.what.startswith("error") and done.returncode:
            return [f"{fault}: ended with {done.returncode}: {done.stderr.decode()[-600:]}"]
        return [f"{fault}: {each}" for each in problems(place, reported, SEED)]


def _counted() -> Counter[str]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "work").mkdir()
        return _counts(Path(folder))


def _counts(place: Path) -> Counter[str]:
    """Count how often the script makes each call, in the thread that makes most."""
    log = place / "calls"
    _run(place, "-e", f"trace={','.join(CALLS)}", "-o", str(log))
    if not log.exists():
        return Counter()
    calls: Counter[str] = Counter()
    by_thread = Counter(re.findall(r"^(\d+) +(\w+)\(", log.read_text(errors="replace"), re.M))
    for (_, call), count in by_thread.items():
        calls[call] = max(calls[call], count)
    return calls


def _run(place: Path, *options: str) -> subprocess.CompletedProcess[bytes]:
    output = () if "-o" in options else ("-o", os.devnull)
    script = (sys.executable, "-B", "-m", "tests.torture.session.script", str(place))
    command = ["strace", "-f", "-qq", *options, *output, *script]
    environment = {**os.environ, "TALKTREE_HOME": str(place / "home")}
    return subprocess.run(
        command, capture_output=True, check=False, cwd=HOME, env=environment, timeout=600
    )
