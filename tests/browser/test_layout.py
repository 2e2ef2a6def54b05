"""Layout of the page: aligned lines, nothing cut off, nothing that jumps."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.browser.chromium import PHONE
from tests.browser.conftest import Open
from tests.browser.holding import intercept
from tests.browser.screen import Screen
from tests.browser.talks import FLAKY, SOURDOUGH, TOWER
from tests.web.running import Running

ENDS = """() => [...document.querySelectorAll('article .conv-body > .conv-fold')]
  .map((line) => Math.round(line.getBoundingClientRect().right))"""
BEYOND = """() => [...document.querySelectorAll('article')].flatMap((card) => {
  const end = card.getBoundingClientRect().right
  const lines = card.querySelectorAll('.conv-fold, .conv-side, .conv-todos, .artifact')
  return [...lines].filter((line) => line.getBoundingClientRect().right > end + 1)
    .map((line) => line.className)
})"""
RUSH = """() => new Promise((done) => {
  const box = document.querySelector('.conv-scroll')
  const seen = { painted: 0, frames: 0 }
  const frame = () => {
    seen.frames += 1
    if (document.querySelector('.conv-feed[data-empty]')) seen.painted += 1
    const fromTop = box.scrollTop < 5000
    box.scrollTop += fromTop ? 4000 : -4000
    if (seen.painted < 3 && seen.frames < 2000) requestAnimationFrame(frame)
    else done(seen)
  }
  requestAnimationFrame(frame)
})"""
FILLED = """() => {
  const box = document.querySelector('.conv-scroll').getBoundingClientRect()
  const at = (share) => document.elementFromPoint(box.x + box.width / 2, box.y + box.height * share)
  return [0.2, 0.5, 0.8].every((share) => at(share)?.closest('.conv-slot:not([data-empty])'))
}"""


def at_the_top(screen: Screen, title: str) -> None:
    screen.open(screen.titled(title))
    screen.press("g", "g")
    expect(screen.current).to_be_in_viewport()


def test_the_lines_of_a_message_end_where_the_others_do(window: Screen) -> None:
    at_the_top(window, FLAKY)
    ends = window.page.evaluate(ENDS)
    assert len(ends) > 2
    assert len(set(ends)) == 1
    window.assert_quiet()


def test_on_a_phone_no_line_leaves_its_message(gallery: Running, open_window: Open) -> None:
    screen = open_window(gallery, size=PHONE)
    for title in (SOURDOUGH, FLAKY):
        at_the_top(screen, title)
        assert screen.page.evaluate(BEYOND) == []
    screen.assert_quiet()


def test_tabs_stay_where_they_are_when_one_is_chosen(window: Screen) -> None:
    at_the_top(window, FLAKY)
    inspector = window.page.get_by_role("complementary", name="Inspector")

    def places() -> list[Any]:
        return [tab.bounding_box() for tab in inspector.get_by_role("tab").all()]

    before = places()
    window.tab("Usage").click()
    expect(window.tab("Usage")).to_have_attribute("aria-selected", "true")
    assert places() == before
    assert len({round(each["y"]) for each in before}) == 1, "they stand in one line"


def test_the_title_of_the_document_says_what_is_shown(window: Screen) -> None:
    page = window.page
    expect(page).to_have_title("Overview · Talktree studio")
    for title in (FLAKY, SOURDOUGH):
        window.open(window.titled(title))
        expect(page).to_have_title(re.compile(f"{title}.* · Talktree studio$"))
    page.goto(f"{window.studio.origin}/#/c/99999")
    expect(page).to_have_title("Not found · Talktree studio")
    page.goto(f"{window.studio.origin}/#/")
    expect(page).to_have_title("Overview · Talktree studio")


MANY_FINDINGS = {"errors": 12_000, "warnings": 345_678, "notes": 0}
TABS_CUT = """(list) => [...list.querySelectorAll('[role=tab]')].filter((tab) => {
  const [own, all] = [tab.getBoundingClientRect(), list.getBoundingClientRect()]
  const isCut = tab.scrollWidth > tab.clientWidth + 1
  return own.left < all.left - 1 || own.right > all.right + 1 || isCut
}).map((tab) => tab.textContent)"""

LINES = """(list) => new Set([...list.querySelectorAll('[role=tab]')].map((tab) =>
  Math.round(tab.getBoundingClientRect().top))).size"""


@pytest.mark.parametrize("width", [1280, 390])
def test_tabs_are_in_one_line_with_large_numbers_on_them(
    gallery: Running, open_window: Open, width: int
) -> None:
    screen = open_window(gallery, size=(width, 800))
    page, cid = screen.page, screen.titled(FLAKY)

    def many(route: Route) -> None:
        reported = route.fetch().json()
        reported |= {"findings": {**(reported["findings"] or {}), **MANY_FINDINGS}}
        reported |= {"branches_total": 123_456, "sidechains_total": 98_765}
        route.fulfill(json=reported)

    intercept(page, re.compile(f"/c/{cid}$"), many)
    screen.open(cid)
    if width < 900:
        screen.choose("More", "Inspector")
    tabs = page.get_by_role("tablist", name="Inspector")
    expect(tabs.get_by_role("tab", name=re.compile("^Problems"))).to_contain_text(
        re.compile("35[78]")
    )
    assert tabs.evaluate(TABS_CUT) == []
    assert tabs.evaluate(LINES) == 1
    if width < 900:
        screen.press("Escape")
        screen.button("Library").click()
    left = page.get_by_role("tablist", name="Left pane")
    expect(left.get_by_role("tab", name=re.compile("^Tree"))).to_contain_text("123")
    assert left.evaluate(TABS_CUT) == []
    assert left.evaluate(LINES) == 1


def test_who_rushes_sees_painted_rows_and_then_the_rows(window: Screen) -> None:
    window.open(window.titled(TOWER))
    expect(window.rows.last).to_be_in_viewport()
    seen = window.page.evaluate(RUSH)
    assert seen["painted"] > 0
    window.page.wait_for_function(FILLED)
    expect(window.page.locator(".conv-feed[data-empty]")).to_have_count(0)
    window.assert_quiet()


def test_missing_pages_are_reported_once_with_a_link(window: Screen) -> None:
    page = window.page
    cid = window.titled(FLAKY)
    window.open(cid, "nowhere")
    window.hears("That message is not here any more.")
    expect(page.locator(".toast")).to_have_count(1)
    page.goto(f"{window.studio.origin}/#/c/99999")
    expect(page.get_by_text("There is no such conversation")).to_be_visible()
    window.button("To the overview").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    expect(page).to_have_url(re.compile("#/?$"))
    window.assert_quiet()


def test_an_address_has_the_tab_and_the_filter_in_it(gallery: Running, open_window: Open) -> None:
    first = open_window(gallery)
    first.open(first.titled(FLAKY))
    first.tab("Usage").click()
    first.press("F")
    first.button("User").click()
    expect(first.page.get_by_text("pass the filter")).to_be_visible()
    assert "tab=usage" in first.place
    assert "show=role" in first.place
    second = open_window(gallery, at=f"#{first.place}")
    for screen in (first, second):
        expect(screen.page.get_by_text("pass the filter")).to_be_visible()
        expect(screen.tab("Usage")).to_have_attribute("aria-selected", "true")
    second.press("G", "k", "k")
    assert "tab=usage" in second.place
    assert "show=role" in second.place
    # The filter applies to this conversation, not to the next one.
    second.press("]")
    expect(second.page).not_to_have_url(re.compile("show="))
    expect(second.page.get_by_text("pass the filter")).to_have_count(0)
    second.assert_quiet()
