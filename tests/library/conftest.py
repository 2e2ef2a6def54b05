"""A new library for each test that requests one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from talktree.library.library import Library


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library", write=True) as opened:
        yield opened
