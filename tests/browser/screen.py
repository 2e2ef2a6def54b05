"""What a person sees and does in a window of the studio."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page

from tests.browser.chromium import WIDE, Watched, watched
from tests.web.running import Running

PATIENCE = 15_000
"""Milliseconds after which something counts as not there."""


class Screen:
    """A window that has entered a studio."""

    def __init__(self, seen: Watched, studio: Running) -> None:
        self.page: Page = seen.page
        self.seen = seen
        self.studio = studio

    def cid(self, format: str) -> str:
        """The conversation of a format."""
        cards = self.studio.get("/conversations")["cards"]
        return next(str(card["cid"]) for card in cards if card["format"] == format)

    def open(self, cid: str, message: str | None = None) -> None:
        """Go to a conversation, or to a message of it."""
        place = f"#/c/{cid}" + (f"/m/{message}" if message else "")
        self.page.goto(f"{self.studio.origin}/{place}")
        self.rows.first.wait_for()

    @property
    def rows(self) -> Locator:
        """The messages that are shown."""
        return self.page.locator("article")

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def picture(self, path: Path) -> Path:
        """A picture of what is seen."""
        self.page.screenshot(path=path)
        return path

    def assert_quiet(self) -> None:
        """Nothing was loaded from elsewhere, no script failed."""
        assert self.seen.elsewhere == []
        assert self.seen.complaints == []


@contextmanager
def entered(
    browser: Browser,
    studio: Running,
    *,
    size: tuple[int, int] = WIDE,
    dark: bool = False,
    downloads: Path | None = None,
    at: str = "",
) -> Iterator[Screen]:
    """A window that came in by the printed address."""
    with watched(browser, studio.origin, size=size, dark=dark, downloads=downloads) as seen:
        seen.page.set_default_timeout(PATIENCE)
        seen.page.goto(studio.keys.address(studio.keys.token))
        seen.page.wait_for_function("() => !location.hash.includes('token')")
        screen = Screen(seen, studio)
        if at:
            seen.page.goto(f"{studio.origin}/{at}")
        yield screen
