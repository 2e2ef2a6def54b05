"""The exported page in a real browser, from disk: it folds, prints, and requests nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request

from talktree.export.choice import ExportOptions
from talktree.export.export import export_document
from tests.browser.chromium import chromium, executable
from tests.export.talks import call, document, forked, result, said

ATTACKS = (
    "<img src=x onerror=\"document.title='ran'\">",
    "<svg onload=\"document.title='ran'\">",
    "</style><script>document.title='ran'</script>",
    "[click](javascript:document.title='ran')",
    "![x](https://elsewhere.example/beacon.png)",
    "<link rel=stylesheet href=https://elsewhere.example/x.css>",
    "<meta http-equiv=refresh content='0;url=https://elsewhere.example/'>",
    "<iframe src=https://elsewhere.example/></iframe>",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if executable() is None:
        pytest.skip("NOT RUN: there is no Chromium on this machine")
    with chromium() as found:
        yield found


class Opened:
    """A page whose requests and errors are recorded."""

    def __init__(self, browser: Browser, path: Path, *, script: bool) -> None:
        self.context = browser.new_context(java_script_enabled=script)
        self.page: Page = self.context.new_page()
        self.asked: list[str] = []
        self.said: list[str] = []
        self.page.on("request", self._asked)
        self.page.on("console", self._said)
        self.page.goto(path.as_uri())

    def _asked(self, request: Request) -> None:
        if not request.url.startswith(("data:", "file:")):
            self.asked.append(request.url)

    def _said(self, message: ConsoleMessage) -> None:
        self.said.append(message.text)


def written(tmp_path: Path, *lines: dict[str, object]) -> Path:
    return export_document(document(*lines), ExportOptions()).save(tmp_path / "page.html")[0]


@pytest.mark.parametrize("script", [False, True])
def test_hostile_words_do_nothing(browser: Browser, tmp_path: Path, *, script: bool) -> None:
    lines = []
    parent = None
    for number, attack in enumerate(ATTACKS):
        given = call(f"t{number}", attack, command=attack, file_path=attack)
        lines += [
            said("user", f"u{number}", parent, attack, cwd=attack, gitBranch=attack),
            said("assistant", f"a{number}", f"u{number}", [given]),
            said("user", f"r{number}", f"a{number}", [result(f"t{number}", attack)]),
        ]
        parent = f"r{number}"
    opened = Opened(browser, written(tmp_path, *lines), script=script)
    opened.page.wait_for_timeout(200)
    assert opened.page.title() != "ran"
    assert opened.asked == []
    assert opened.said == []
    assert opened.page.locator("article").count() > 8
    opened.context.close()


def test_it_folds_and_leads_without_script(browser: Browser, tmp_path: Path) -> None:
    opened = Opened(browser, written(tmp_path, *forked()), script=False)
    page = opened.page
    folded = page.locator(".tt-x-side")
    assert not page.get_by_text("Four.").is_visible()
    folded.locator("summary").first.click()
    assert page.get_by_text("Four.").is_visible()
    page.get_by_role("navigation").get_by_role("link", name="Branch of 2 messages").click()
    assert page.url.partition("#")[2].startswith("b-")
    assert page.locator("img").first.evaluate("image => image.naturalWidth") == 1
    opened.context.close()


def test_it_prints_what_matters(browser: Browser, tmp_path: Path) -> None:
    opened = Opened(browser, written(tmp_path, *forked()), script=True)
    page = opened.page
    page.emulate_media(media="print")
    assert page.get_by_text("pear-2").first.is_visible()
    assert page.get_by_text("Four.").is_visible()
    assert not page.get_by_role("navigation").is_visible()
    opened.context.close()


@pytest.mark.parametrize("width", [360, 1280])
def test_it_fits_the_window(browser: Browser, tmp_path: Path, width: int) -> None:
    opened = Opened(browser, written(tmp_path, *forked()), script=True)
    opened.page.set_viewport_size({"width": width, "height": 800})
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert opened.page.evaluate(wider) <= 0
    opened.context.close()
