"""Imports that are killed at any point, or that run concurrently, lose nothing committed."""

from __future__ import annotations

import random
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.torture.library.kills import change_files, importing, make_files, rounds, verify


def test_killed_imports_are_completed(tmp_path: Path) -> None:
    rounds(tmp_path, seed=1, count=3)


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(2, 12))
def test_a_hundred_killed_imports_are_completed(tmp_path: Path, seed: int) -> None:
    rounds(tmp_path, seed=seed, count=10)


def test_concurrent_importers_take_turns(tmp_path: Path) -> None:
    """Each completes, in any order, also while files grow; nothing is stored twice."""
    folder, root = tmp_path / "files", tmp_path / "library"
    make_files(folder, seed=20)
    chance = random.Random(20)
    for number in range(3):
        with ExitStack() as stack:
            at_work = [stack.enter_context(importing(root, folder)) for _ in range(3)]
            change_files(folder, chance)
            assert [process.wait() for process in at_work] == [0, 0, 0]
        verify(root, folder, tmp_path / f"scratch{number}")
