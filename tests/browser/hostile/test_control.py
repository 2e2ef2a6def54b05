"""The control: where nobody takes care, the same texts do run, and the judge sees them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from playwright.sync_api import Browser

from tests.browser.hostile.control import fired
from tests.views.html.vectors import VECTORS


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(VECTORS[::19], id="share"),
        pytest.param(VECTORS, id="whole", marks=pytest.mark.torture),
    ],
)
def test_without_care_they_run(browser: Browser, texts: Sequence[str]) -> None:
    ran, asked = fired(browser, texts)
    assert len(ran) > len(texts) / 4, f"{len(ran)} of {len(texts)} ran, {asked} asked"
    assert asked > 0
