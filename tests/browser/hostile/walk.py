"""Goes everywhere in the studio, opens everything, and looks at each thing that is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Locator

from tests.browser.hostile.canary import Canary
from tests.browser.screen import Screen

LOOK = (Path(__file__).parent / "look.js").read_text()
UNFOLD = "for (const each of document.querySelectorAll('details')) each.open = true"
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

    def inspector(self) -> None:
        """Every tab, with what can be opened in it."""
        for name in TABS:
            self.tab(name)
            self.page.evaluate(UNFOLD)
            self.look(name)
        files = self.tab("Files").locator(".inspector-file")
        for number in range(min(files.count(), 3)):
            files.nth(number).click()
            self.page.get_by_role("button", name="All files").first.wait_for()
            self.page.wait_for_load_state("networkidle")
            self.look("Files")
            self.page.get_by_role("button", name="All files").first.click()
            files.first.wait_for()

    def raw(self, rows: int) -> None:
        """The records of some messages."""
        self.tab("Raw")
        for _ in range(rows):
            self.page.keyboard.press("j")
            self.page.wait_for_load_state("networkidle")
            self.look("Raw")

    def tree(self) -> None:
        """The tree with its runs unfolded, and two of its branches compared."""
        self.page.get_by_role("tab", name="Tree").click()
        tree = self.page.get_by_role("tree")
        tree.wait_for()
        self.page.evaluate("hostile.walk('.tree-scroll', '[role=treeitem]')")
        self.look("Tree")
        self.page.evaluate("document.querySelector('.tree-scroll').scrollTop = 0")
        lines = tree.locator("[role=treeitem]:not(.tree-inside)")
        for number in (0, 1):
            lines.nth(number).click(modifiers=["Control"])
        self.page.get_by_role("button", name="Compare", exact=True).click()
        self.dialog("Compare")

    def dialog(self, where: str) -> None:
        """Look at the dialog that opens, and close it."""
        dialog = self.page.get_by_role("dialog")
        dialog.wait_for()
        self.page.wait_for_load_state("networkidle")
        self.page.evaluate(UNFOLD)
        self.look(where)
        self.page.keyboard.press("Escape")
        dialog.wait_for(state="detached")

    def command(self, text: str) -> None:
        """A command by the palette."""
        self.search(f"> {text}")
        self.page.keyboard.press("Enter")

    def search(self, query: str) -> None:
        """Type into the palette."""
        self.page.keyboard.press("Control+k")
        self.page.get_by_role("combobox", name="Search all").fill(query)
        self.page.wait_for_load_state("networkidle")
