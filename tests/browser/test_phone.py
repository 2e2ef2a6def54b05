"""On a phone: everything is reachable, and nothing is wider than the screen."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.chromium import PHONE
from tests.browser.conftest import Open
from tests.browser.screen import Screen
from tests.browser.talks import FLAKY, SOURDOUGH
from tests.web.running import Running

WIDER = """() => [...document.querySelectorAll('html, body, main, .conv-scroll, dialog[open]')]
  .filter((box) => box.scrollWidth > box.clientWidth + 1)
  .map((box) => `${box.tagName} ${box.className} ${box.scrollWidth} > ${box.clientWidth}`)"""


def fits(screen: Screen) -> None:
    """Assert that nothing but designated elements scrolls sideways."""
    assert screen.page.evaluate(WIDER) == []


def test_every_pane_is_reached_as_a_sheet(gallery: Running, open_window: Open) -> None:
    screen = open_window(gallery, size=PHONE)
    page = screen.page
    page.get_by_role("heading", name="Overview").wait_for()
    fits(screen)
    screen.button("Library").click()
    library = screen.dialog("Library")
    fits(screen)
    library.get_by_role("option", name=re.compile(FLAKY)).click()
    expect(library).to_be_hidden()
    screen.rows.first.wait_for()
    fits(screen)
    screen.button("Library").click()
    library.get_by_role("tab", name=re.compile("^Tree")).click()
    fits(screen)
    library.get_by_role("treeitem", name=re.compile("^Good. Fix the log")).click()
    expect(library).to_be_hidden()
    expect(screen.current).to_contain_text("Fix the log too")
    screen.choose("More", "Inspector")
    inspector = screen.dialog("Inspector")
    for tab in ("Files", "Todos", "Usage", "Raw", "Problems", "History", "Session"):
        inspector.get_by_role("tab", name=re.compile(f"^{tab}")).click()
        panel = inspector.get_by_role("tabpanel", name=re.compile(f"^{tab}"))
        expect(panel).not_to_be_empty()
        expect(panel.get_by_text("Looking…")).to_have_count(0)
        fits(screen)
    inspector.get_by_role("button", name="Close", exact=True).click()
    expect(inspector).to_be_hidden()
    screen.choose("More", "Help and keys")
    expect(screen.dialog("Help")).to_be_visible()
    fits(screen)
    screen.press("Escape")
    screen.choose("More", "Share")
    expect(screen.dialog(re.compile("^Share"))).to_be_visible()
    fits(screen)
    screen.press("Escape")
    page.get_by_role("button", name=re.compile("^Search all conversations")).click()
    page.get_by_role("combobox").fill("tower")
    expect(page.get_by_role("option").first).to_be_visible()
    fits(screen)
    screen.press("Escape")
    screen.choose("More", "Overview")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    screen.assert_quiet()


def test_no_conversation_is_wider_than_the_screen(gallery: Running, open_window: Open) -> None:
    screen = open_window(gallery, size=PHONE)
    for card in screen.studio.get("/conversations")["cards"]:
        screen.open(card["cid"])
        screen.press("g", "g")
        expect(screen.current).to_be_in_viewport()
        fits(screen)
        screen.press("G")
        expect(screen.current).to_be_in_viewport()
        fits(screen)
    screen.open(screen.titled(SOURDOUGH), "b5")
    for layout in ("Compact", "Reading", "Cards"):
        screen.choose("Layout", layout)
        expect(screen.message("b5")).to_be_in_viewport()
        fits(screen)
    screen.press("t", "o", "F", "/")
    fits(screen)
    screen.assert_quiet()
