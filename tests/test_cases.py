"""Drawn cases can be repeated, and other seeds run what one leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import TURNS, rotate
from tests.slow import SLOW

HOME = Path(__file__).parent.parent


@pytest.mark.parametrize("length", [0, 1, 39, 40, 41, 399, 1500, 5000])
def test_consecutive_seeds_cover_the_whole_list(length: int) -> None:
    items = list(range(length))
    for first in (0, 20_700, 1 << 30):
        shares = [rotate(items, 40, first + turn) for turn in range(TURNS)]
        assert {item for share in shares for item in share} == set(items)
        assert all(len(set(share)) == len(share) >= min(40, length) for share in shares)


def test_a_share_can_be_repeated() -> None:
    assert rotate(range(1000), 40, 7) == rotate(range(1000), 40, 7)


@pytest.mark.parametrize("name", SLOW)
def test_tests_listed_as_slow_exist(name: str) -> None:
    path, _, function = name.partition("::")
    assert (HOME / path).exists()
    assert f"def {function.partition('[')[0]}" in (HOME / path).read_text() if function else True
