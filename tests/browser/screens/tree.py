"""The tree of a conversation in the left pane."""

from __future__ import annotations

import re

from playwright.sync_api import Locator

from tests.browser.screen import Screen


class Tree:
    """The tree view of one conversation."""

    def __init__(self, screen: Screen, cid: str) -> None:
        self.screen = screen
        self.cid = cid
        screen.open(cid)
        screen.tab("Tree").click()
        self.box = screen.page.get_by_role("tree", name="Branches of the conversation")
        self.box.wait_for()

    @property
    def lines(self) -> Locator:
        """The runs of messages, and the messages of unfolded runs."""
        return self.box.get_by_role("treeitem")

    def line(self, label: str) -> Locator:
        """Return a run or a message by the beginning of its text."""
        return self.box.get_by_role("treeitem", name=re.compile(f"^{re.escape(label)}"))

    def menu(self, label: str, item: str) -> None:
        """Choose an action from the menu of a run."""
        self.line(label).click(button="right")
        self.screen.menu_item(item).click()
