"""Settings for all tests: number of cases, markers, workers, and which skips count as failures."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from typing import TypeVar

import pytest
from hypothesis import is_hypothesis_test, seed

from tests.cases import SEED, TORTURE, load_profile
from tests.slow import is_slow

load_profile()

REQUIRED = "TALKTREE_REQUIRE_TOOLS"
"""If this variable is set, a test that is skipped because a tool is missing counts as failed."""
NOT_RUN = ("NOT RUN", "could not import")
"""Marks the reason of a test that is skipped because a tool is missing."""
LONG = ("torture", "machine", "scale", "incremental", "usage_straight", "browser")
"""Parts of the names of files with long tests."""
Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


@pytest.fixture(scope="session", autouse=True)
def _own_data_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the key that marks sessions in a temporary folder.

    Settings are read from a temporary folder, too, never from those of the developer.
    """
    os.environ["TALKTREE_HOME"] = str(tmp_path_factory.mktemp("home"))
    os.environ["XDG_CONFIG_HOME"] = str(tmp_path_factory.mktemp("config"))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "torture: a long run, left out of `make test`")
    config.addinivalue_line("markers", "slow: left out of `make quick`; tests/slow.py lists them")
    # Workers start later and inherit it, so that all draw from one seed.
    os.environ["TALKTREE_SEED"] = str(SEED)
    # A shell that starts the tests in the background ignores Ctrl-C for all their processes.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers() -> int:
    """Use one worker more than there are processors: many tests wait for a process or a disk."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if is_slow(item.nodeid):
            item.add_marker(pytest.mark.slow)
    # Long tests first, so that none of them runs alone on one processor at the end.
    items.sort(key=lambda item: not any(name in item.nodeid.split("::")[0] for name in LONG))
    if TORTURE:
        return
    long_runs = [item for item in items if item.get_closest_marker("torture") is not None]
    config.hook.pytest_deselected(items=long_runs)
    items[:] = [item for item in items if item.get_closest_marker("torture") is None]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let `make torture` draw new cases in each run, and the same ones from the same seed."""
    if TORTURE and isinstance(item, pytest.Function) and is_hypothesis_test(item.function):
        seed(f"{SEED} {item.nodeid}")(item.function)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Count a test that a missing tool skips as failed, where every tool must be there."""
    return _required((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Do the same for a file that is skipped as a whole."""
    return _required((yield))


def _required(report: Report) -> Report:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
    if os.environ.get(REQUIRED) and report.skipped and any(each in reason for each in NOT_RUN):
        report.outcome = "failed"
        report.longrepr = f"{REQUIRED} is set. {reason}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"TALKTREE_SEED={SEED} repeats this run")
