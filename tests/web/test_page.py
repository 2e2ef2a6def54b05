"""The page itself, in a real browser: entering, panes, filters, palette, importing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.web.browser import Looking, chromium, looking
from tests.web.running import Running, running

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WIDTHS = (360, 768, 1280, 2560)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def tab(browser: Browser, seen: Running) -> Iterator[Looking]:
    with looking(browser, seen) as made:
        yield made
        assert made.complaints == []
        assert [each for each in made.asked if not _own(each, seen)] == []


def _own(address: str, studio: Running) -> bool:
    return address.startswith((f"{studio.origin}/", "data:", "blob:"))


def test_the_token_leaves_the_address(tab: Looking) -> None:
    assert "token" not in tab.page.url
    tab.page.reload()
    tab.page.locator(".card").first.wait_for()


def test_without_a_token_it_says_what_to_do(browser: Browser, seen: Running) -> None:
    page = browser.new_page()
    page.goto(seen.origin)
    page.get_by_label("Or paste it here").fill(f"{seen.origin}/#token={'x' * 43}")
    page.keyboard.press("Enter")
    page.get_by_text("of another start").wait_for()
    page.get_by_label("Or paste it here").fill(seen.keys.address(seen.keys.token))
    page.keyboard.press("Enter")
    page.locator(".card").first.wait_for()
    page.close()


def test_a_new_token_in_an_open_tab_is_taken_too(browser: Browser, seen: Running) -> None:
    with looking(browser, seen) as tab:
        tab.go("/c/1")
        tab.page.locator(".card-open").wait_for()
        tab.page.context.clear_cookies()
        with tab.page.expect_response("**/login") as entered:
            tab.page.goto(seen.keys.address(seen.keys.token))
        assert entered.value.status == 204
        tab.page.wait_for_url("**/#/c/1**")
        tab.page.reload()
        tab.page.locator(".card").first.wait_for()


def test_conversations_are_walked_by_key_and_address(tab: Looking) -> None:
    tab.page.locator(".card").first.wait_for()
    tab.page.keyboard.press("]")
    tab.page.wait_for_url("**/#/c/**")
    first = tab.page.url
    tab.page.keyboard.press("]")
    tab.page.wait_for_function("first => location.href !== first", arg=first)
    tab.page.go_back()
    tab.page.wait_for_url(first)
    selected = tab.page.locator(".card-open")
    selected.wait_for()
    assert selected.get_attribute("aria-posinset") == "1"


def test_filters_live_in_the_address(tab: Looking) -> None:
    options = tab.page.locator(".card")
    options.first.wait_for()
    everything = options.first.get_attribute("aria-setsize")
    tab.page.get_by_label("Title, project or path").fill("lamp")
    tab.page.locator(f".card:not([aria-setsize='{everything}'])").first.wait_for()
    assert "text=lamp" in tab.page.url
    tab.page.reload()
    assert tab.page.get_by_label("Title, project or path").input_value() == "lamp"
    tab.page.get_by_role("button", name="Clear filters").click()
    tab.page.locator(f".card[aria-setsize='{everything}']").first.wait_for()


def test_panes_fold_widen_and_are_remembered(tab: Looking) -> None:
    tab.go("/c/1")
    line = tab.page.get_by_role("separator", name="Width of the library")
    line.focus()
    before = int(line.get_attribute("aria-valuenow") or 0)
    tab.page.keyboard.press("ArrowRight")
    assert int(line.get_attribute("aria-valuenow") or 0) == before + 16
    tab.page.keyboard.press("Control+.")
    tab.page.get_by_label("Inspector", exact=True).and_(tab.page.locator("aside")).wait_for(
        state="detached"
    )
    tab.page.reload()
    line.wait_for()
    assert int(line.get_attribute("aria-valuenow") or 0) == before + 16
    assert tab.page.locator("aside").count() == 1


def test_the_theme_is_remembered(tab: Looking) -> None:
    shown = "() => getComputedStyle(document.body).backgroundColor"
    light = tab.page.evaluate(shown)
    for _ in range(2):
        tab.page.get_by_role("button", name="Theme").first.click()
    dark = tab.page.evaluate(shown)
    assert dark != light
    tab.page.reload()
    tab.page.locator(".bar-title").wait_for()
    assert tab.page.evaluate(shown) == dark


def test_the_palette_finds_what_was_said(tab: Looking) -> None:
    tab.page.keyboard.press("Control+k")
    box = tab.page.get_by_role("combobox", name="Search all conversations")
    box.fill("sunset")
    hit = tab.page.locator(".palette-hit mark").first
    hit.wait_for()
    tab.page.locator(".palette-hit").first.click()
    tab.page.wait_for_url("**/#/c/**")
    tab.page.keyboard.press("Control+k")
    box.fill("> zzzz")
    tab.page.get_by_text("Nothing found.").wait_for()
    tab.page.keyboard.press("Escape")
    box.wait_for(state="detached")


def test_help_lists_the_keys(tab: Looking) -> None:
    tab.page.keyboard.press("?")
    dialog = tab.page.get_by_role("dialog", name="Help")
    assert dialog.get_by_text("Next conversation").is_visible()
    tab.page.keyboard.press("j")
    tab.page.keyboard.press("Escape")
    dialog.wait_for(state="detached")


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_window(browser: Browser, seen: Running, width: int) -> None:
    with looking(browser, seen, width=width) as tab:
        tab.page.locator(".overview-totals").wait_for()
        for place in ("/", "/c/1"):
            tab.go(place)
            tab.page.locator(".bar-title").wait_for()
            assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
        assert tab.complaints == []


def test_a_small_window_has_sheets(browser: Browser, seen: Running) -> None:
    with looking(browser, seen, width=360, height=700) as tab:
        assert tab.page.locator("aside").count() == 0
        tab.page.get_by_role("button", name="Library").locator("visible=true").click()
        sheet = tab.page.get_by_role("dialog", name="Library")
        sheet.locator(".card").first.click()
        sheet.wait_for(state="detached")
        assert "#/c/" in tab.page.url


def test_a_file_is_looked_over_and_kept(browser: Browser, demo: Path, tmp_path: Path) -> None:
    source = next(path for path in sorted(demo.rglob("*.jsonl")) if path.stat().st_size > 1000)
    (tmp_path / "given").mkdir()
    with running([tmp_path / "given"]) as studio, looking(browser, studio) as tab:
        with tab.page.expect_file_chooser() as chooser:
            tab.page.get_by_role("button", name="Choose files").first.click()
        junk = tmp_path / "junk.txt"
        junk.write_text("no conversation")
        chooser.value.set_files([source, junk])
        tab.page.get_by_text("no known conversation format").wait_for()
        keep_as = tab.page.get_by_role("dialog").get_by_role("combobox")
        keep_as.select_option(index=1)
        tab.page.get_by_role("region", name="What is kept").wait_for()
        keep_as.select_option(index=0)
        tab.page.get_by_role("button", name="Keep it").click()
        tab.page.get_by_role("button", name="Open", exact=True).click()
        tab.page.locator(".card-open").wait_for()
        assert studio.get("/conversations")["total"] == 1
