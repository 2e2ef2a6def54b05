"""A short share of the torture that `make torture` runs at length."""

from __future__ import annotations

import pytest

from tests.damage.lines import ALL
from tests.torture.fuzz import torture

SHARE = 150


@pytest.mark.parametrize("slug", ALL)
def test_mutants_are_read_checked_and_repaired(slug: str) -> None:
    failures = [found for number in range(SHARE) if (found := torture(slug, number))]
    assert not failures, "\n".join(failures[:3])


def test_a_repair_that_stops_too_early_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("talktree.repairs.run.MOST_ROUNDS", 1)
    failures = [found for number in range(1, 30) if (found := torture("studio", number))]
    assert any("a second repair changes something" in each for each in failures)
