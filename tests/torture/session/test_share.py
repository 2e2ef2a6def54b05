"""A short share of the faults that `make torture` makes by the thousand, chosen by the seed.

Each runs in a separate process, since it forks and kills; what a machine cannot run is reported and
counts as not run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import SEED, TORTURE
from tests.torture.session.__main__ import NOT_RUN

HOME = Path(__file__).parents[3]
EVERY = 1_000_000


def suffer(kind: str, share: int, full: int, home: Path) -> None:
    """Run it with the seed of this run, which is printed on failure."""
    count = str(full if TORTURE else share)
    done = subprocess.run(
        [sys.executable, "-m", "tests.torture.session", kind, count, str(SEED)],
        capture_output=True,
        check=False,
        cwd=HOME,
        env={**os.environ, "TALKTREE_HOME": str(home)},
    )
    reported = done.stdout.decode() + done.stderr.decode()
    if done.returncode == NOT_RUN:
        pytest.skip(reported.strip())
    assert done.returncode == 0, reported


def test_writers_killed_at_random_lose_nothing_acknowledged(tmp_path: Path) -> None:
    suffer("kills", 25, 2_500, tmp_path)


def test_a_kill_at_any_call_loses_nothing_acknowledged(tmp_path: Path) -> None:
    suffer("script-kills", 30, EVERY, tmp_path)


def test_an_error_at_any_call_is_reported_and_loses_nothing(tmp_path: Path) -> None:
    suffer("script-errors", 40, EVERY, tmp_path)


def test_a_power_cut_loses_nothing_acknowledged(tmp_path: Path) -> None:
    suffer("power", 10, 1_000, tmp_path)


def test_without_syncing_a_power_cut_loses_data(tmp_path: Path) -> None:
    """The control: a test of power cuts that passes like this tests nothing."""
    suffer("control", 3, 20, tmp_path)
