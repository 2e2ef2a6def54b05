"""The page calls no other host: what it requests while everything is opened.

Only requests of the page, its frames and its workers count. Chromium itself also calls its vendor,
and which addresses it calls depends on its version.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Playwright

from tests.browser.chromium import launched
from tests.browser.screen import entered
from tests.web.running import Running

REQUEST = "URL_REQUEST_START_JOB"
OWN = re.compile(r"(?:http|ws)s?://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:/.*)?", re.S)
NOT_A_PAGE = "not an origin"
"""The initiator of Chromium's own requests, and of addresses typed into its address bar."""


def _requests_of_page(log: Path) -> set[str]:
    """Return the addresses the page requested, from the browser's own log of its network.

    A frame without an origin is logged with the initiator `null`.
    """
    recorded = json.loads(log.read_text())
    kind = recorded["constants"]["logEventTypes"][REQUEST]
    begun = [event.get("params", {}) for event in recorded["events"] if event["type"] == kind]
    return {each["url"] for each in begun if each.get("initiator", NOT_A_PAGE) != NOT_A_PAGE}


def test_the_page_calls_no_other_host(
    gallery: Running, playwright: Playwright, tmp_path: Path
) -> None:
    log = tmp_path / "net.json"
    with (
        launched(playwright, f"--log-net-log={log}", hosts=()) as browser,
        entered(browser, gallery) as screen,
    ):
        for card in gallery.get("/conversations", limit=100)["cards"]:
            screen.open(str(card["cid"]))
        screen.assert_quiet()
    requests = _requests_of_page(log)
    assert any(f":{gallery.keys.port}/" in each for each in requests), "the studio itself is seen"
    assert {each for each in requests if not OWN.fullmatch(each)} == set()


def test_a_page_that_calls_other_hosts_is_noticed(
    gallery: Running, playwright: Playwright, tmp_path: Path
) -> None:
    """The control: requests of a page, of a frame without an origin and of a worker are noticed."""
    log = tmp_path / "net.json"
    calls = """
    document.body.innerHTML = `<img src="http://image.example/">
      <iframe sandbox="allow-scripts" srcdoc="<script>fetch('http://frame.example/')</script>">`
    const code = new Blob(["fetch('http://worker.example/').catch(() => postMessage(1))"])
    new Promise(done => { new Worker(URL.createObjectURL(code)).onmessage = done })
    """
    with launched(playwright, f"--log-net-log={log}", hosts=()) as browser:
        page = browser.new_context(bypass_csp=True).new_page()
        page.goto(f"{gallery.origin}/favicon.ico")
        page.evaluate(calls)
        page.wait_for_timeout(200)
    others = {each for each in _requests_of_page(log) if not OWN.fullmatch(each)}
    for name in ("image", "frame", "worker"):
        assert any(f"//{name}.example" in each for each in others), others
