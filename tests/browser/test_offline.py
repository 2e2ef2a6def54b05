"""The browser calls nobody either: what it looks up and connects to while everything is opened."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Playwright

from tests.browser.chromium import launched
from tests.browser.screen import entered
from tests.web.running import Running

LOOKED_UP = ("HOST_RESOLVER_MANAGER_REQUEST", "HOST_RESOLVER_MANAGER_JOB", "TCP_CONNECT_ATTEMPT")
OWN = re.compile(r"(?:https?://)?(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?/?")
BROWSERS_OWN = re.compile(r"https://[\w.-]+\.(?:google|googleapis|gvt1|gstatic)\.com(?::\d+)?")
"""What Chromium asks its maker by itself, whatever page it shows."""


def _reached(log: Path) -> set[str]:
    """Every name and address in the browser's own log of its network."""
    told = json.loads(log.read_text())
    kinds = {told["constants"]["logEventTypes"][name] for name in LOOKED_UP}
    given = (each.get("params", {}) for each in told["events"] if each["type"] in kinds)
    return {str(found) for each in given if (found := each.get("host") or each.get("address"))}


def test_the_browser_calls_nobody(gallery: Running, playwright: Playwright, tmp_path: Path) -> None:
    log = tmp_path / "net.json"
    with (
        launched(playwright, f"--log-net-log={log}") as browser,
        entered(browser, gallery) as screen,
    ):
        for card in gallery.get("/conversations", limit=100)["cards"]:
            screen.open(str(card["cid"]))
        screen.assert_quiet()
    reached = _reached(log)
    assert any(OWN.fullmatch(each) for each in reached), "the studio itself is seen"
    others = {each for each in reached if not OWN.fullmatch(each)}
    assert {each for each in others if not BROWSERS_OWN.fullmatch(each)} == set()
