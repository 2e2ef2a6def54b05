"""A studio of the bundled conversations, for all tests that only look."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.running import Running, running

DEMO = Path(__file__).parent.parent.parent / "demo"


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled conversations, in a folder of their own."""
    folder = tmp_path_factory.mktemp("demo") / "demo"
    shutil.copytree(DEMO, folder)
    return folder


@pytest.fixture(scope="session")
def seen(demo: Path) -> Iterator[Running]:
    """A studio that everybody looks at and nobody changes."""
    with running([demo]) as studio:
        yield studio
