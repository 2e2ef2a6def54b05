"""What came of it is told, place by place, in the report of the run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.hostile.canary import Canary

Tell = Callable[[str, int, Canary], None]


@pytest.fixture
def tell(record_property: Callable[[str, object], None]) -> Tell:
    """Notes how many texts were shown in a place, and what they did."""

    def noted(place: str, shown: int, canary: Canary) -> None:
        ran, asked = sum(canary.ran.values()), len(canary.asked)
        record_property(place, f"{shown} texts, {ran} ran, {asked} asked elsewhere")

    return noted
