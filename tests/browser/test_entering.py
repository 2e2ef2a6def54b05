"""Coming in by the printed address, and a window of any size."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from talktree.web.entry_file import EntryFile
from tests.browser.conftest import Open
from tests.browser.screen import Screen
from tests.web.running import Running

WIDTHS = (360, 768, 1280, 2560)


def test_the_token_leaves_the_address(window: Screen) -> None:
    assert "token" not in window.page.url
    window.again()
    window.page.locator(".card").first.wait_for()
    window.assert_quiet()


def test_the_file_that_a_browser_is_started_with_leads_in(
    browser: Browser, gallery: Running
) -> None:
    token = gallery.keys.once()
    file = EntryFile(gallery.keys.address(token))
    gallery.keys.when_used(token, file.remove)
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.url} {request.headers}"))
    page.goto(file.url)
    page.locator(".card").first.wait_for()
    assert not file.path.exists()
    assert (page.evaluate("document.referrer"), "token" in page.url) == ("", False)
    # The fragment stays in the browser; Playwright tells of it with the first address.
    assert [each for each in asked if token in each and "/#token=" not in each] == []
    page.go_back()
    assert token not in page.url
    page.close()


def test_without_a_token_it_says_what_to_do(browser: Browser, gallery: Running) -> None:
    page = browser.new_page()
    page.goto(gallery.origin)
    page.get_by_label("Or paste it here").fill(f"{gallery.origin}/#token={'x' * 43}")
    page.keyboard.press("Enter")
    page.get_by_text("of another start").wait_for()
    page.get_by_label("Or paste it here").fill(gallery.keys.address(gallery.keys.token))
    page.keyboard.press("Enter")
    page.locator(".card").first.wait_for()
    page.close()


def test_a_new_token_in_an_open_tab_is_taken_too(window: Screen) -> None:
    cid = window.cid("claude-code")
    window.open(cid)
    window.page.context.clear_cookies()
    with window.page.expect_response("**/login") as entered:
        window.page.goto(window.studio.keys.address(window.studio.keys.token))
    assert entered.value.status == 200
    window.page.wait_for_url(f"**/#/c/{cid}**")
    window.again()
    window.page.locator(".card").first.wait_for()


def test_a_browser_without_the_key_asks_for_the_token(window: Screen) -> None:
    # The key is stored when the login is answered.
    window.page.locator(".card").first.wait_for()
    window.page.evaluate("localStorage.removeItem('talktree.key')")
    window.page.reload()
    window.page.get_by_label("Or paste it here").fill(
        window.studio.keys.address(window.studio.keys.token)
    )
    window.page.get_by_role("button", name="Enter").click()
    window.page.locator(".card").first.wait_for()


def test_panes_fold_widen_and_are_remembered(window: Screen) -> None:
    window.open(window.cid("claude-code"))
    line = window.page.get_by_role("separator", name="Width of the library")
    line.focus()
    before = int(line.get_attribute("aria-valuenow") or 0)
    window.press("ArrowRight")
    assert int(line.get_attribute("aria-valuenow") or 0) == before + 16
    window.press("Control+.")
    inspector = window.page.locator("aside").and_(window.page.get_by_label("Inspector", exact=True))
    inspector.wait_for(state="detached")
    window.again()
    line.wait_for()
    assert int(line.get_attribute("aria-valuenow") or 0) == before + 16
    assert window.page.locator("aside").count() == 1
    window.assert_quiet()


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_window(gallery: Running, open_window: Open, width: int) -> None:
    screen = open_window(gallery, size=(width, 800))
    screen.page.get_by_role("heading", name="Overview").wait_for()
    wide = "document.documentElement.scrollWidth"
    assert screen.page.evaluate(wide) <= width
    screen.open(screen.cid("claude-code"))
    assert screen.page.evaluate(wide) <= width
    screen.assert_quiet()
