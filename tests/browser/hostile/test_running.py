"""Every hostile text as a running artifact: a page may run in its frame, and sends nothing out."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.hostile.canary import Canary
from tests.browser.hostile.conftest import RecordPlace
from tests.browser.hostile.talks import write_artifacts
from tests.browser.hostile.texts import Numbered, amounts
from tests.browser.hostile.walk import LOOK, TOUR
from tests.web.running import Running, running

KINDS = {"page": "text/html", "drawing": "image/svg+xml", "text": "text/markdown"}
TOGETHER = 60


def _with_ticket(studio: Running, path: str) -> str:
    return f"{path}?ticket={studio.keys.make_ticket(path.encode())}"


@pytest.mark.parametrize("texts", amounts(60, 6, 1100))
def test_artifacts_that_run(
    browser: Browser, tmp_path: Path, texts: Numbered, record_place: RecordPlace
) -> None:
    path = write_artifacts(tmp_path / "made.jsonl", texts, list(KINDS.values()))
    with running([path]) as studio:
        context = browser.new_context(viewport={"width": 1500, "height": 1000})
        canary = Canary(context, studio.origin)
        page = context.new_page()
        canary.watch(page)
        page.set_default_timeout(120_000)
        page.goto(studio.keys.build_address(studio.keys.token))
        page.wait_for_function("() => 'talktree.key' in localStorage")
        page.evaluate(LOOK)
        page.evaluate(TOUR)
        cid = studio.get("/conversations")["cards"][0]["cid"]
        frames = [
            (f"{kind} {number}", _with_ticket(studio, f"/artifact/{cid}/n{number}/{part}"))
            for number in texts
            for part, kind in enumerate(KINDS)
            if kind == "page" or number % 2 == part - 1
        ]
        shown = 0
        for start in range(0, len(frames), TOGETHER):
            together = frames[start : start + TOGETHER]
            shown += page.evaluate("given => hostile.run(given)", together)["shown"]
        own = [each for each in canary.ran if each.startswith("page ")]
        assert own, "pages do run in their frames"
        for each in own:
            del canary.ran[each]
        assert shown == len(frames)
        page.wait_for_timeout(200)
        record_place("artifact that runs", len(texts), canary)
        canary.assert_silent()
        context.close()
