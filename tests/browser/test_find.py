"""Finding words in the open conversation."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.screen import Screen
from tests.browser.talks import FLAKY, TOWER

MARKED = """() => [...(CSS.highlights.get('find-here') ?? [])].map((range) => range.toString())"""


def test_words_are_found_marked_and_walked_through(window: Screen) -> None:
    page, cid = window.page, window.titled(TOWER)
    numbers = window.studio.get(f"/c/{cid}/find", text="step 1")["numbers"]
    assert len(numbers) > 10
    window.open(cid)
    window.press("g", "g", "/")
    bar = page.get_by_role("search", name="Find in this conversation")
    box = bar.get_by_role("searchbox")
    expect(box).to_be_focused()
    box.fill("STEP 1")
    count = bar.get_by_role("status")
    expect(count).to_have_text(f"1 of {len(numbers)}")
    expect(window.current).to_contain_text("Step 1 of the tower?")
    page.wait_for_function(f"() => ({MARKED})().length > 0")
    assert {each.lower() for each in page.evaluate(MARKED)} == {"step 1"}
    window.press("Enter")
    expect(count).to_have_text(f"2 of {len(numbers)}")
    window.press("Shift+Enter", "Shift+Enter")
    expect(count).to_have_text(f"{len(numbers)} of {len(numbers)}")
    expect(window.current).to_contain_text("Step 19")
    expect(window.current).to_be_in_viewport()
    box.fill("no such words")
    expect(count).to_have_text("Nothing found")
    window.press("Escape")
    expect(bar).to_be_hidden()
    assert page.evaluate("CSS.highlights.size") == 0
    window.assert_quiet()


def test_words_inside_of_folded_blocks_are_found_too(window: Screen) -> None:
    window.open(window.titled(FLAKY))
    window.press("/")
    bar = window.page.get_by_role("search", name="Find in this conversation")
    bar.get_by_role("searchbox").fill("def test_sunset")
    expect(window.current).to_contain_text("def test_sunset")
    expect(window.current).to_be_in_viewport()
    bar.get_by_role("button", name="Close (Esc)").click()
    expect(bar).to_be_hidden()
    window.assert_quiet()


def test_a_filtered_message_is_shown_when_it_is_found(window: Screen) -> None:
    window.open(window.titled(FLAKY))
    window.press("F")
    window.button("User").click()
    expect(window.page.get_by_text("pass the filter")).to_be_visible()
    window.press("/")
    bar = window.page.get_by_role("search", name="Find in this conversation")
    bar.get_by_role("searchbox").fill("Reproduced:")
    window.hears("The filter was taken off to show this.")
    expect(window.current).to_contain_text("Reproduced:")
    window.assert_quiet()
