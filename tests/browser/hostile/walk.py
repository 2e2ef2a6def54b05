"""Goes everywhere in the studio, opens everything, and looks at each thing that is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Locator

from tests.browser.hostile.canary import Canary
from tests.browser.screen import Screen

LOOK = (Path(__file__).parent / "look.js").read_text()
TABS = ("Files", "Todos", "Usage", "Raw", "Problems", "History")


class Walk:
    """A person who leaves nothing out."""

    def __init__(self, screen: Screen, canary: Canary) -> None:
        self.screen = screen
        self.page = screen.page
        self.canary = canary
        self.marks: dict[str, set[str]] = {}
        """The markers that were seen, by where."""
        self.looked = 0
        self.page.evaluate(LOOK)

    def look(self, where: str) -> None:
        """Look at all that is there now."""
        self._told(self.page.evaluate("hostile.look()"), where)

    def _told(self, said: Any, where: str) -> None:
        assert said["faults"] == [], where
        self.marks.setdefault(where, set()).update(said["marks"])
        self.looked += 1

    def go(self, place: str) -> None:
        """Go to a place of the page."""
        self.page.evaluate("place => { location.hash = place }", place)

    def open(self, cid: str) -> None:
        """Go to a conversation, from its first message on."""
        self.go(f"/c/{cid}")
        self.page.locator(".conv-toolbar").wait_for()
        self.screen.rows.first.wait_for()
        self.page.keyboard.press("g")
        self.page.keyboard.press("g")
        self.page.locator("article[aria-posinset='1']").wait_for()

    def rows(self, where: str) -> set[str]:
        """Through all messages with everything unfolded."""
        seen = self.page.evaluate("hostile.walk('.conv-scroll', 'article')")
        self.look(where)
        return set(seen)

    def tab(self, name: str) -> Locator:
        """A tab of the inspector, looked at when it shows something."""
        self.page.get_by_role("tab", name=name).click()
        panel = self.page.locator(".inspector").get_by_role("tabpanel")
        panel.locator(":scope > *").first.wait_for()
        self.page.wait_for_load_state("networkidle")
        return panel
