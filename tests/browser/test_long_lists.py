"""Lists longer than the window, for users of screen readers and of touch screens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.axe import all_findings, bring
from tests.browser.conftest import Open
from tests.browser.screen import Screen
from tests.browser.talks import line, named, written
from tests.web.running import Running, running

CARDS, PROMPTS = 300, 130
LONG = "Room 0 of the castle"
DANGLING = """() => [...document.querySelectorAll('[aria-activedescendant]')]
  .map((each) => each.getAttribute('aria-activedescendant'))
  .filter((id) => document.getElementById(id) === null)"""
SMALL = """() => [...document.querySelectorAll('button, a[href], input, select, [role=option]')]
  .filter((each) => each.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
  .filter((each) => !each.closest('.layout-skip, [inert]'))
  .map((each) => [each, each.getBoundingClientRect()])
  .filter(([each, box]) => {
    // Of lines and marks many are on a screen; boxes to tick have a label.
    const dense = each.matches('.tree-fold, .conv-fold-line, .conv-badge, input[type=checkbox]')
    const tall = dense ? 24 : 44
    // Tabs share the width that there is.
    const wide = dense || each.matches('[role=tab]') ? 24 : 44
    return box.width > 1 && (box.width < wide || box.height < tall)
  })
  .map(([each, box]) => `${each.className} ${each.textContent} ${box.width}×${box.height}`)"""


def write_castle(path: Path) -> None:
    """Write four messages per prompt, each prompt in two versions, and a file written with each."""
    lines: list[dict[str, Any]] = []
    last: str | None = None
    for number in range(PROMPTS):
        ask = f"Room {number} of the castle"
        if number:
            lines.append(line(named(number, 1), last, "user", f"{ask}, quickly", 10 * number))
        lines.append(line(named(number, 2), last, "user", ask, 10 * number + 1))
        call = line(named(number, 3), named(number, 2), "assistant", "", 10 * number + 2)
        wall = {"file_path": f"/home/ada/castle/hall{number % 7}/room{number}.py", "content": "x\n"}
        call["message"]["content"] = [
            {"type": "tool_use", "id": f"toolu_{number}", "name": "Write", "input": wall}
        ]
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": "written"}
        lines += [
            call,
            line(named(number, 4), named(number, 3), "user", [result], 10 * number + 3),
            line(named(number, 5), named(number, 4), "assistant", "It is built.", 10 * number + 4),
        ]
        last = named(number, 5)
    written(path, lines)


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("crowd")
    write_castle(folder / "castle.jsonl")
    for number in range(CARDS):
        one = line(named(number, 6), None, "user", f"Stone {number} of the wall", number)
        one["sessionId"] = named(number, 7)
        written(folder / f"{named(number, 7)}.jsonl", [one])
    with running([folder]) as found:
        yield found


def scrolled(screen: Screen, where: str, share: float) -> None:
    """Scroll a list, and wait until it shows its content."""
    box = screen.page.locator(where)
    box.evaluate("(box, share) => { box.scrollTop = share * box.scrollHeight }", share)
    screen.page.wait_for_function(
        "(where) => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>"
        " done(!document.querySelector(`${where} .card-blank, ${where} [data-empty]`)))))",
        arg=where,
    )


def beside(screen: Screen, side: str) -> None:
    """Show a pane that is a sheet on a phone."""
    if (screen.page.viewport_size or {"width": 0})["width"] >= 900:
        return
    if side == "left":
        screen.button("Library").click()
    else:
        screen.choose("More", "Inspector")


def library(share: float) -> Callable[[Screen], None]:
    def shown(screen: Screen) -> None:
        beside(screen, "left")
        screen.tab("Library").click()
        listbox = screen.page.get_by_role("listbox", name="Conversations")
        listbox.focus()
        screen.press("Home")
        scrolled(screen, ".library-list", share)

    return shown


def conversation(share: float) -> Callable[[Screen], None]:
    def shown(screen: Screen) -> None:
        screen.press("g", "g")
        expect(screen.current).to_be_in_viewport()
        scrolled(screen, ".conv-scroll", share)

    return shown


def tree(screen: Screen) -> None:
    beside(screen, "left")
    screen.tab("Tree").click()
    screen.page.get_by_role("tree").focus()
    screen.press("Home")
    scrolled(screen, ".tree-scroll", 0.5)


def files(screen: Screen) -> None:
    beside(screen, "right")
    screen.tab("Files").click()
    expect(screen.page.get_by_role("tabpanel").filter(has_text="room129.py")).to_be_visible()


def palette(screen: Screen) -> None:
    screen.press("Control+k")
    screen.page.get_by_role("combobox", name=re.compile("^Search all")).fill("wall")
    expect(screen.page.get_by_role("option").nth(20)).to_be_attached()
    screen.press("ArrowUp", "PageDown", "PageDown", "PageDown")


LEFT, RIGHT = "aside[aria-label=Library]", "aside[aria-label=Inspector]"
SCENES: dict[str, tuple[str, Callable[[Screen], None]]] = {
    "the end of the conversation": ("body", conversation(1)),
    "the middle of the conversation": ("main", conversation(0.5)),
    "the middle of the library": (LEFT, library(0.5)),
    "the end of the library": (LEFT, library(1)),
    "the tree": (LEFT, tree),
    "files": (RIGHT, files),
    "the palette": ("dialog[open]", palette),
}
"""The views to check, and the part of the page that shows each."""


@pytest.mark.parametrize("width", [1280, 390])
def test_long_lists_shut_no_one_out(crowd: Running, open_window: Open, width: int) -> None:
    screen = open_window(crowd, size=(width, 740))
    bring(screen.seen.context)
    screen.again()
    screen.open(screen.titled(LONG))
    found: dict[str, list[str]] = {}
    for name, (where, show) in SCENES.items():
        show(screen)
        sheet = screen.page.locator("dialog[open]").count()
        found[name] = all_findings(screen.page, "dialog[open]" if sheet else where)
        found[name] += screen.page.evaluate(DANGLING)
        if width < 900:
            found[name] += screen.page.evaluate(SMALL)
        while screen.page.get_by_role("dialog").count():
            screen.press("Escape")
    assert {name: each for name, each in found.items() if each} == {}
    screen.assert_quiet()
