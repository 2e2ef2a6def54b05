"""Appearance: accessibility, dark mode, reduced motion, and print."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.axe import bring, grave_findings
from tests.browser.conftest import Open
from tests.browser.screen import Screen
from tests.browser.talks import BELL, FLAKY, LAMP, SOURDOUGH
from tests.web.running import Running

Scene = tuple[str, str, Callable[[Screen], None]]


def overview(screen: Screen) -> None:
    screen.page.get_by_role("region", name="Tools").wait_for()


def conversation(title: str) -> Callable[[Screen], None]:
    def shown(screen: Screen) -> None:
        screen.open(screen.titled(title))
        screen.press("g", "g")
        expect(screen.current).to_be_in_viewport()

    return shown


def tree(screen: Screen) -> None:
    conversation(FLAKY)(screen)
    screen.tab("Tree").click()
    expect(screen.page.get_by_role("treeitem")).to_have_count(4)


def inspected(title: str, tab: str, words: str) -> Callable[[Screen], None]:
    def shown(screen: Screen) -> None:
        conversation(title)(screen)
        screen.tab(tab).click()
        panel = screen.page.get_by_role("tabpanel", name=re.compile(f"^{tab}"))
        expect(panel).to_contain_text(words)

    return shown


def pressed(*keys: str, dialog: str | re.Pattern[str]) -> Callable[[Screen], None]:
    def shown(screen: Screen) -> None:
        conversation(SOURDOUGH)(screen)
        screen.press(*keys)
        expect(screen.dialog(dialog)).to_be_visible()
        expect(screen.dialog(dialog).locator("[aria-busy=true]")).to_have_count(0)

    return shown


def filtered(screen: Screen) -> None:
    conversation(LAMP)(screen)
    screen.press("F", "/")
    expect(screen.page.get_by_role("search", name="Find in this conversation")).to_be_visible()


def message_menu(screen: Screen) -> None:
    conversation(SOURDOUGH)(screen)
    screen.press("m")
    expect(screen.page.get_by_role("menu")).to_be_visible()


def differing(screen: Screen) -> None:
    inspected(LAMP, "Files", "1 modified")(screen)
    screen.page.get_by_role("button", name="modified timetable.csv").click()
    expect(screen.page.get_by_role("region", name=re.compile("^Difference of"))).to_be_visible()


def comparing(screen: Screen) -> None:
    tree(screen)
    screen.page.get_by_role("treeitem", name=re.compile("^Good. Fix")).click(button="right")
    screen.menu_item("Compare with what is shown").click()
    expect(screen.dialog("Compare branches")).to_contain_text("are the same")


PAGE, INSPECTOR, DIALOG = "body", "aside[aria-label=Inspector]", "dialog[open]"
SCENES: tuple[Scene, ...] = (
    ("the overview", PAGE, overview),
    ("Claude Code", "main", conversation(FLAKY)),
    ("native", PAGE, conversation(SOURDOUGH)),
    ("the tree", "aside[aria-label=Library]", tree),
    ("comparing", DIALOG, comparing),
    ("files", INSPECTOR, inspected(LAMP, "Files", "1 modified")),
    ("a difference", INSPECTOR, differing),
    ("tasks", INSPECTOR, inspected(SOURDOUGH, "Todos", "Now")),
    ("usage", INSPECTOR, inspected(FLAKY, "Usage", "Time to answer")),
    ("a record", INSPECTOR, inspected(SOURDOUGH, "Raw", "native.jsonl")),
    ("problems", INSPECTOR, inspected(BELL, "Problems", "2 errors")),
    ("the history", INSPECTOR, inspected(SOURDOUGH, "History", "No edits yet")),
    ("filter and find", "main", filtered),
    ("the menu of a message", "[role=menu]", message_menu),
    ("the palette", DIALOG, pressed("Control+k", dialog="Search and commands")),
    ("the help", DIALOG, pressed("?", dialog="Help")),
    ("sharing", DIALOG, pressed("e", dialog=re.compile("^Share"))),
)
"""The views to check, and the part of the page that shows each."""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_one_is_shut_out(gallery: Running, open_window: Open, *, dark: bool) -> None:
    screen = open_window(gallery, dark=dark)
    bring(screen.seen.context)
    screen.again()
    assert screen.page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") is dark
    found = {}
    for name, where, show in SCENES:
        show(screen)
        found[name] = grave_findings(screen.page, where)
        screen.press("Escape")
        expect(screen.page.get_by_role("dialog")).to_have_count(0)
    assert {name: each for name, each in found.items() if each} == {}
    screen.assert_quiet()


def background(screen: Screen) -> str:
    return str(screen.page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_the_theme_is_switched_and_remembered(window: Screen) -> None:
    page = window.page
    system = background(window)
    window.button("Theme: as the system").click()
    expect(window.button("Theme: light")).to_be_visible()
    assert background(window) == system
    window.button("Theme: light").click()
    expect(window.button("Theme: dark")).to_be_visible()
    dark = background(window)
    assert dark != system
    window.again()
    expect(window.button("Theme: dark")).to_be_visible()
    assert background(window) == dark
    window.button("Theme: dark").click()
    expect(window.button("Theme: as the system")).to_be_visible()
    assert background(window) == system
    page.emulate_media(color_scheme="dark")
    expect(page.locator("body")).to_have_css("background-color", dark)
    window.assert_quiet()


def test_nothing_moves_where_people_ask_for_no_motion(window: Screen) -> None:
    moving = """() => [...document.querySelectorAll('*')].filter((element) => {
      const { transitionDuration, animationDuration, animationName } = getComputedStyle(element)
      const lasts = (times) => times.split(',').some((time) => parseFloat(time) > 0.001)
      return lasts(transitionDuration) || (animationName !== 'none' && lasts(animationDuration))
    }).map((element) => element.className)"""
    conversation(FLAKY)(window)
    assert window.page.evaluate(moving) == []
    window.page.emulate_media(reduced_motion="no-preference")
    assert window.page.evaluate(moving) != []
    window.assert_quiet()


def test_on_paper_there_is_the_conversation(window: Screen) -> None:
    conversation(SOURDOUGH)(window)
    window.page.emulate_media(media="print")
    expect(window.message("b1")).to_be_visible()
    expect(window.page.get_by_role("complementary")).to_have_count(0)
    expect(window.page.get_by_role("banner")).to_be_hidden()
    expect(window.page.get_by_role("toolbar", name="View")).to_be_hidden()
    expect(window.rows).to_have_count(10)
    window.assert_quiet()
