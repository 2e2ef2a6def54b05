"""What a user sees and does in a window of the studio."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.chromium import WIDE, Watched, watched
from tests.web.running import Running

PATIENCE = 30_000
"""Milliseconds after which an element counts as missing; several browsers may run in parallel."""
NO = "Failed to load resource: the server responded with a status of 4"
expect.set_options(timeout=PATIENCE)


class Screen:
    """A window that has entered a studio."""

    def __init__(self, seen: Watched, studio: Running) -> None:
        self.page: Page = seen.page
        self.seen = seen
        self.studio = studio

    def cid(self, format: str) -> str:
        """Return the id of the conversation in a format."""
        cards = self.studio.get("/conversations")["cards"]
        return next(str(card["cid"]) for card in cards if card["format"] == format)

    def titled(self, words: str) -> str:
        """Return the conversation whose title has these words."""
        cards = self.studio.get("/conversations", text=words)["cards"]
        return next(str(card["cid"]) for card in cards if words in card["title"])

    def open(self, cid: str, message: str | None = None) -> None:
        """Open a conversation or one of its messages."""
        place = f"#/c/{cid}" + (f"/m/{message}" if message else "")
        self.page.goto(f"{self.studio.origin}/{place}")
        # The rows of the previous conversation may still be there, or only the end of this one.
        self.page.locator(
            f'[role=feed][data-cid="{cid}"][aria-busy=false] article'
        ).first.wait_for()

    @property
    def rows(self) -> Locator:
        """The messages that are shown."""
        return self.page.locator("article")

    @property
    def current(self) -> Locator:
        """The selected message."""
        return self.page.locator("article[aria-current=true]")

    def message(self, id: str) -> Locator:
        """Return a shown message by its id."""
        return self.page.locator(f'article[data-id="{id}"]')

    def button(self, name: str | re.Pattern[str]) -> Locator:
        """Return a button by its name."""
        return self.page.get_by_role("button", name=name, exact=True)

    def tab(self, name: str) -> Locator:
        """Return a tab by its first word; a number may follow."""
        return self.page.get_by_role("tab", name=re.compile(f"^{name}"))

    def dialog(self, name: str | re.Pattern[str]) -> Locator:
        """The open dialog."""
        return self.page.get_by_role("dialog", name=name)

    def choose(self, menu: str | re.Pattern[str], item: str | re.Pattern[str]) -> None:
        """Open a menu of the page and choose one of its items."""
        self.button(menu).click()
        self.menu_item(item).click()

    def menu_item(self, name: str | re.Pattern[str]) -> Locator:
        """Return an item of the open menu."""
        return self.page.locator("[role=menuitem], [role=menuitemradio]").filter(has_text=name)

    def again(self) -> None:
        """Reload the page."""
        self.page.reload()

    @property
    def place(self) -> str:
        """The reader's position, as the address names it."""
        return self.page.url.partition("#")[2]

    def hears(self, text: str) -> None:
        """Expect an announcement to assistive technology."""
        expect(self.page.get_by_role("status").filter(has_text=text)).to_have_count(1)

    def clipboard(self) -> str:
        """The content of the clipboard."""
        return str(self.page.evaluate("navigator.clipboard.readText()"))

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def picture(self, path: Path) -> Path:
        """Take a screenshot."""
        self.page.screenshot(path=path)
        return path

    def assert_quiet(self) -> None:
        """Assert that nothing was loaded from elsewhere, no script failed and the browser refused
        nothing.

        The browser also reports error responses of the studio, which are expected: a message that
        is selected may be gone when it is requested.
        """
        assert self.seen.elsewhere == [], self.seen.elsewhere
        unexpected = [each for each in self.seen.complaints if not each.startswith(NO)]
        assert unexpected == [], unexpected


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
    """Open a window at the printed address."""
    with watched(browser, studio.origin, size=size, dark=dark, downloads=downloads) as seen:
        seen.page.set_default_timeout(PATIENCE)
        seen.page.goto(studio.keys.build_address(studio.keys.token))
        # Reloading the page before the login is answered would lose the token.
        seen.page.wait_for_function("() => 'talktree.key' in localStorage")
        screen = Screen(seen, studio)
        if at:
            seen.page.goto(f"{studio.origin}/{at}")
        yield screen
