"""The control: on an unprotected page the same texts do run, and the canary notices them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser

from tests.browser.hostile.control import fired
from tests.browser.hostile.texts import Numbered, amounts


@pytest.mark.parametrize("texts", amounts(200, 5, 1100))
def test_without_care_they_run(
    browser: Browser, texts: Numbered, record_property: Callable[[str, object], None]
) -> None:
    found = fired(browser, texts)
    acted = found.ran | found.asked
    reported = f"{len(texts)} texts, {len(found.ran)} ran, {len(found.asked)} asked elsewhere"
    record_property("control", f"{reported}, {len(acted)} acted")
    assert len(acted) > len(texts) / 2, reported
    assert found.ran
    assert found.asked
