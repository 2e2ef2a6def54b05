"""A studio of the bundled conversations, for all tests that only read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.running import Running, running

DEMO = Path(__file__).parent.parent.parent / "demo"


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the bundled conversations, in a separate folder."""
    folder = tmp_path_factory.mktemp("demo") / "demo"
    shutil.copytree(DEMO, folder)
    return folder


@pytest.fixture(scope="session")
def seen(demo: Path) -> Iterator[Running]:
    """Start a studio that all tests share and none changes."""
    with running([demo]) as studio:
        yield studio
