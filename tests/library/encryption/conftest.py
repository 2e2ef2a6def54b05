"""A home for commands, whose key agent ends with the test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.prefork import Prefork
from tests.library.encryption.locked_home import LockedHome


@pytest.fixture(scope="session")
def program() -> Iterator[str]:
    """Return the program, already loaded."""
    prefork = Prefork(dict(os.environ))
    yield str(prefork.programs / "talktree")
    prefork.close()


@pytest.fixture
def home(tmp_path: Path, program: str) -> Iterator[LockedHome]:
    made = LockedHome(tmp_path, program)
    yield made
    made.kill_agents()
