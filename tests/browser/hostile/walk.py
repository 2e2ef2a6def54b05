"""Visit every part of the studio, open everything, and check each thing that is shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator

from tests.browser.chromium import Watched
from tests.browser.hostile.canary import Canary
from tests.browser.screen import NO, Screen
from tests.web.running import Running

HERE = Path(__file__).parent
LOOK, TOUR = ((HERE / name).read_text() for name in ("look.js", "tour.js"))
UNFOLD = "for (const each of document.querySelectorAll('details')) each.open = true"
TRIES = 10
TABS = ("Files", "Todos", "Usage", "Raw", "Problems", "History")


class Walk:
    """A walk through the studio that opens everything."""

    def __init__(self, screen: Screen, canary: Canary) -> None:
        self.screen = screen
        self.page = screen.page
        self.canary = canary
        self.marks: dict[str, set[str]] = {}
        """The markers that were seen, by place."""
        self.looked = 0
        self.page.evaluate(LOOK)
        self.page.evaluate(TOUR)

    def look(self, where: str) -> None:
        """Record the markers that are visible now."""
        self._describe(self.page.evaluate("hostile.look()"), where)

    def _describe(self, said: Any, where: str) -> None:
        assert said["faults"] == [], where
        self.marks.setdefault(where, set()).update(said["marks"])
        self.looked += 1

    def go(self, place: str) -> None:
        """Go to an address of the page."""
        self.page.evaluate("place => { location.hash = place }", place)

    def open(self, cid: str) -> None:
        """Open a conversation at its first message."""
        self.go(f"/c/{cid}")
        self.page.locator(".conv-toolbar").wait_for()
        self.screen.rows.first.wait_for()
        first = self.page.locator("article[aria-posinset='1']")
        for _ in range(TRIES):
            # On a busy machine two keys may come too far apart to count as one command.
            self.page.keyboard.press("g")
            self.page.keyboard.press("g")
            self.calm()
            if first.count():
                break
        first.wait_for()

    def rows(self, where: str, marking: bool = True) -> set[str]:
        """Scroll through all messages with everything unfolded."""
        seen = self.page.evaluate("m => hostile.walk('.conv-scroll', 'article', m)", marking)
        self.look(where)
        return set(seen)

    def tour(self, name: str, given: Any = None) -> Any:
        """Make one of the tours through many places; return what was shown."""
        said = self.page.evaluate(f"given => hostile.{name}(given)", given)
        self._describe(said, name)
        return said["shown"]

    def calm(self) -> None:
        """Wait until the page has no open requests and shows their results."""
        self.page.evaluate("hostile.calm()")

    def tab(self, name: str) -> Locator:
        """Open a tab of the inspector and look when it shows something."""
        self.page.get_by_role("tab", name=name).click()
        panel = self.page.locator(".inspector").get_by_role("tabpanel")
        panel.locator(":scope > *").first.wait_for()
        self.calm()
        return panel

    def inspector(self) -> None:
        """Open every tab, with everything that can be opened in it."""
        for name in TABS:
            self.tab(name)
            self.page.evaluate(UNFOLD)
            self.look(name)
        files = self.tab("Files").locator(".inspector-file")
        for number in range(min(files.count(), 3)):
            files.nth(number).click()
            self.page.get_by_role("button", name="All files").first.wait_for()
            self.calm()
            self.look("Files")
            self.page.get_by_role("button", name="All files").first.click()
            files.first.wait_for()

    def raw(self, rows: int) -> None:
        """Open the records of some messages."""
        self.tab("Raw")
        for _ in range(rows):
            self.page.keyboard.press("j")
            self.calm()
            self.look("Raw")

    def tree(self) -> None:
        """Unfold the runs of the tree and compare two of its branches."""
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
        self.calm()
        self.page.evaluate(UNFOLD)
        self.look(where)
        self.page.keyboard.press("Escape")
        dialog.wait_for(state="detached")

    def command(self, text: str) -> None:
        """Run a command from the palette."""
        self.search(f"> {text}")
        self.page.keyboard.press("Enter")

    def search(self, query: str) -> None:
        """Type into the palette."""
        self.page.keyboard.press("Control+k")
        self.page.get_by_role("combobox", name="Search all").fill(query)
        self.calm()


@contextmanager
def walking(
    browser: Browser, studio: Running, *, guarded: bool = False, painted: bool = True
) -> Iterator[Walk]:
    """Walk through a studio; nothing may have happened afterwards.

    The page forbids itself most of what could happen. Unless `guarded` is set, its policy is
    ignored, so that only the renderer protects the browser from the texts. Painting takes most of
    the time of a long walk and does not affect what runs.
    """
    context = browser.new_context(
        viewport={"width": 1500, "height": 2000 if painted else 6000},
        device_scale_factor=1 if painted else 0.1,
        reduced_motion="reduce",
        bypass_csp=not guarded,
    )
    complaints: list[str] = []
    canary = Canary(context, studio.origin)
    page = context.new_page()
    canary.watch(page)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.set_default_timeout(120_000)
    page.goto(studio.keys.build_address(studio.keys.token))
    page.wait_for_function("() => 'talktree.key' in localStorage")
    # Before that nothing handles what is dropped or typed.
    page.get_by_role("heading", name="Overview").wait_for()
    if not painted:
        page.add_style_tag(content=".conv-slot .tt-content { visibility: hidden }")
    try:
        yield Walk(Screen(Watched(page, context, canary.asked, complaints), studio), canary)
        canary.assert_silent()
        assert [each for each in complaints if not each.startswith(NO)] == []
    finally:
        context.close()
