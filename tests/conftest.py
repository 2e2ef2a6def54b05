"""Settings for all tests: how many random cases, and markers."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# The same cases on every machine: a change breaks a test or it does not. What nobody has
# seen yet is looked for with new cases in each run of `make torture`.
settings.register_profile(
    "test",
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "torture", max_examples=5000, deadline=None, suppress_health_check=list(HealthCheck)
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "test"))


@pytest.fixture(scope="session", autouse=True)
def _own_data_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The key that marks sessions is made and used in a folder of the tests' own."""
    os.environ["TALKTREE_HOME"] = str(tmp_path_factory.mktemp("home"))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "torture: a long run, left out of `make test`")
    # Whoever started the tests in the background has muted Ctrl-C for all that they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)


LONG = ("torture", "machine", "scale", "incremental", "usage_straight", "browser")
"""What the names of files with long tests have in them."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # Long ones first, so that no processor is left alone with one of them at the end.
    items.sort(key=lambda item: not any(name in item.nodeid.split("::")[0] for name in LONG))
    if os.environ.get("HYPOTHESIS_PROFILE") == "torture":
        return
    kept = [item for item in items if item.get_closest_marker("torture") is None]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
