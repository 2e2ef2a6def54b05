"""A real browser for tests: Chromium without a window; what it complains about is kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from talktree.web.built import is_built

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

    from tests.web.running import Running

LONGEST = 15_000
SWITCHES = (
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


class Looking(NamedTuple):
    """A tab that has entered a studio."""

    page: Page
    complaints: list[str]
    """Errors of scripts, of the policy and of requests."""
    asked: list[str]
    """Every address it asked for."""

    def go(self, place: str) -> None:
        """Go to a place of the page: `/c/1`."""
        self.page.evaluate("place => { location.hash = place }", place)


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser, if there is one and the page is built."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("chromium is not installed")
    if not is_built():
        pytest.skip("the page is not built: make frontend")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=program, args=list(SWITCHES))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def looking(
    browser: Browser, studio: Running, *, width: int = 1280, height: int = 800, **more: Any
) -> Iterator[Looking]:
    """A tab of its own, opened with the address that a start prints."""
    viewport: Any = {"width": width, "height": height}
    context = browser.new_context(viewport=viewport, **more)
    page = context.new_page()
    page.set_default_timeout(LONGEST)
    complaints: list[str] = []
    asked: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        if message.type == "error":
            complaints.append(message.text)

    page.on("console", heard)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(studio.keys.address(studio.keys.token))
    page.locator(".bar-title").wait_for()
    try:
        yield Looking(page, complaints, asked)
    finally:
        context.close()
