"""The palette: full-text search, conversations by title, and commands."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.browser.screen import Screen


def ask(screen: Screen, text: str) -> Locator:
    """Type into the palette and return its results."""
    box = screen.dialog("Search and commands")
    if not box.is_visible():
        screen.press("Control+k")
    box.get_by_role("combobox").fill(text)
    return box.get_by_role("option")


def test_words_are_found_marked_and_opened_at_their_message(window: Screen) -> None:
    offered = ask(window, "solstice")
    said = window.page.get_by_role("group", name="Said").get_by_role("option")
    expect(said.first.locator("mark").first).to_have_text(re.compile("solstice", re.IGNORECASE))
    expect(window.dialog("Search and commands").get_by_role("status")).to_contain_text("place")
    for _ in range(offered.count() - said.count()):
        window.press("ArrowDown")
    expect(said.first).to_have_attribute("aria-selected", "true")
    window.press("Enter")
    expect(window.dialog("Search and commands")).to_be_hidden()
    expect(window.current).to_contain_text("solstice")
    expect(window.current).to_be_in_viewport()
    window.assert_quiet()


def test_fields_narrow_what_is_found(window: Screen) -> None:
    reported = window.studio.get("/search", query="tool:Bash role:assistant pytest")
    assert reported["total"] > 0
    ask(window, "tool:Bash role:assistant pytest")
    said = window.page.get_by_role("group", name="Said").get_by_role("option")
    expect(said).to_have_count(len(reported["hits"]))
    ask(window, "")
    window.button("role:user").click()
    box = window.dialog("Search and commands").get_by_role("combobox")
    expect(box).to_have_value("role:")
    expect(box).to_be_focused()
    ask(window, "before:whenever")
    expect(window.page.get_by_role("alert")).to_be_visible()
    ask(window, "zzznothing")
    expect(window.page.get_by_text("Nothing found.")).to_be_visible()
    window.assert_quiet()


def test_titles_and_commands_are_found_too(window: Screen) -> None:
    window.open(window.titled("Sourdough"))
    ask(window, "harbour").first.wait_for()
    conversations = window.page.get_by_role("group", name="Conversations").get_by_role("option")
    conversations.filter(has_text="Names for the harbour").click()
    title = window.page.get_by_role("heading", name="Names for the harbour", level=1)
    expect(title).to_be_visible()
    expect(ask(window, "> layout compact")).to_contain_text(["Layout: compact"])
    window.press("Enter")
    window.button("Layout").click()
    expect(window.menu_item("Compact")).to_have_attribute("aria-checked", "true")
    window.press("Escape")
    window.button(re.compile("^Search all conversations")).click()
    ask(window, "> show the tree").first.click()
    expect(window.page.get_by_role("tree", name="Branches of the conversation")).to_be_visible()
    window.press("Control+k")
    window.press("Escape")
    expect(window.dialog("Search and commands")).to_be_hidden()
    window.assert_quiet()
