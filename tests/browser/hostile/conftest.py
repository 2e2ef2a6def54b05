"""Report for each place what the hostile texts did."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.hostile.canary import Canary

RecordPlace = Callable[[str, int, Canary], None]


@pytest.fixture
def record_place(record_property: Callable[[str, object], None]) -> RecordPlace:
    """Return a function that records the number of texts shown in a place, and what they did."""

    def noted(place: str, shown: int, canary: Canary) -> None:
        ran, asked = sum(canary.ran.values()), len(canary.asked)
        record_property(place, f"{shown} texts, {ran} ran, {asked} asked elsewhere")

    return noted
