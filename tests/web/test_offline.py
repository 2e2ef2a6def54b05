"""The studio without any network: everything works, and nothing connects out.

Where a network namespace cannot be made, every `connect` of the process is watched instead.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.transcript import environment

VISIT = Path(__file__).parent / "visit.py"
ALONE = ["unshare", "--user", "--map-root-user", "--net"]
LOOPBACK = re.compile(r'inet_addr\("127\.|"::1"|AF_UNIX')


def _visited(around: list[str], demo: Path, tmp_path: Path, *arguments: str) -> str:
    """Return the output of a visit to a studio of the demo, in a separate process."""
    done = subprocess.run(
        [*around, sys.executable, str(VISIT), str(demo), *arguments],
        cwd=Path(__file__).parent.parent.parent,
        env={**environment(), "TALKTREE_HOME": str(tmp_path / "home"), "PYTHONPATH": "."},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _can(command: list[str]) -> bool:
    found = shutil.which(command[0]) is not None
    return found and subprocess.run([*command, "true"], capture_output=True).returncode == 0


def test_everything_works_where_there_is_no_network(demo: Path, tmp_path: Path) -> None:
    if not _can(ALONE):
        pytest.skip("NOT RUN: no network namespace can be made here")
    said = _visited(ALONE, demo, tmp_path, "alone")
    assert re.search(r"^outside: unreachable$", said, re.MULTILINE), "it is a place without network"
    assert int(re.findall(r"^answers: (\d+)$", said, re.MULTILINE)[0]) > 100


def test_no_one_calls_out(demo: Path, tmp_path: Path) -> None:
    log = tmp_path / "calls"
    watch = ["strace", "-f", "-qq", "-e", "trace=connect,sendto,sendmsg", "-o", str(log)]
    if not _can(watch):
        pytest.skip("NOT RUN: strace is not installed")
    _visited(watch, demo, tmp_path)
    calls = [line for line in log.read_text().splitlines() if "AF_" in line]
    assert any("127.0.0.1" in line for line in calls), "the visit itself is seen"
    assert [line for line in calls if not LOOPBACK.search(line)] == []
