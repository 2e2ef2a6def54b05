"""A workspace and a new session in it, for each test that requests them."""

from __future__ import annotations

from pathlib import Path

import pytest

from talktree.session import Session, Store


@pytest.fixture
def work(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def session(work: Path) -> Session:
    return Store(work / ".sage").create(workspace=work, durability="fast")
