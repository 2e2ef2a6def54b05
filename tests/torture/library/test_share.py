"""Imports that are killed at any point lose nothing that was committed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.torture.library.kills import rounds


def test_killed_imports_are_completed(tmp_path: Path) -> None:
    rounds(tmp_path, seed=1, count=3)


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(2, 12))
def test_a_hundred_killed_imports_are_completed(tmp_path: Path, seed: int) -> None:
    assert rounds(tmp_path, seed=seed, count=10) > 0
