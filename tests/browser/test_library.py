"""The library in the browser: the list, filters, sorting and totals."""

from __future__ import annotations

import csv
import gzip
import re
import shlex
from pathlib import Path

from playwright.sync_api import Locator, expect

from talktree.cli.main import run
from tests.browser.conftest import DEMO, Open
from tests.browser.screen import Screen
from tests.web.running import running


def cards(screen: Screen) -> Locator:
    """Return the conversations of the list."""
    return screen.page.get_by_role("listbox", name="Conversations").get_by_role("option")


def titles(screen: Screen, **query: str) -> list[str]:
    """Return the titles that the list should show, in order."""
    return [str(card["title"]) for card in screen.studio.get("/conversations", **query)["cards"]]


def shows(screen: Screen, wanted: list[str]) -> None:
    """Expect the list to show exactly these."""
    expect(cards(screen)).to_contain_text(wanted)
    how_many = f"{len(wanted)} conversation{'' if len(wanted) == 1 else 's'}"
    expect(screen.page.get_by_role("status").filter(has_text=how_many)).to_be_visible()


def test_the_list_is_narrowed_sorted_and_says_so_in_the_address(window: Screen) -> None:
    page = window.page
    shows(window, titles(window))
    page.get_by_role("combobox", name="Order", exact=True).select_option("Title")
    shows(window, titles(window, sort="title"))
    page.get_by_role("combobox", name="Order", exact=True).select_option("Longest")
    shows(window, titles(window, sort="messages"))
    page.get_by_role("combobox", name="Format", exact=True).select_option("muse")
    shows(window, titles(window, sort="messages", format="muse"))
    page.get_by_role("searchbox", name="Title, project or path").fill("harbour")
    shows(window, ["Names for the harbour"])
    assert "format=muse" in window.place
    assert "text=harbour" in window.place
    window.again()
    shows(window, ["Names for the harbour"])
    page.get_by_role("searchbox", name="Title, project or path").fill("no such thing")
    expect(page.get_by_text("Nothing matches")).to_be_visible()
    window.button("Clear filters").click()
    shows(window, titles(window, sort="messages"))
    page.get_by_role("combobox", name="Project", exact=True).select_option("/home/noor/bakery")
    shows(window, titles(window, sort="messages", project="/home/noor/bakery"))
    window.assert_quiet()


def test_a_conversation_is_opened_and_shown_in_the_status(window: Screen) -> None:
    page = window.page
    status = page.get_by_role("contentinfo", name="Status")
    about = window.studio.get("/about")["library"]
    expect(status).to_contain_text(f"{about['conversations']} conversations")
    cards(window).filter(has_text="Sourdough for Saturday").click()
    expect(page.get_by_role("heading", name="Sourdough for Saturday", level=1)).to_be_visible()
    expect(status).to_contain_text("19 messages")
    expect(status).to_contain_text("2 branches")
    expect(status).to_contain_text("watching")
    chosen = cards(window).filter(has_text="Sourdough for Saturday")
    expect(chosen).to_have_attribute("aria-selected", "true")
    cards(window).filter(has_text="Is the bell still there?").click()
    expect(status).to_contain_text("2 problems")
    page.go_back()
    expect(status).to_contain_text("19 messages")
    page.get_by_role("link", name="Overview").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    window.assert_quiet()


def test_the_overview_adds_up_and_leads_on(window: Screen, tmp_path: Path) -> None:
    page = window.page
    reported = window.studio.get("/statistics")
    totals = page.locator("dl").filter(has_text="conversations")
    expect(totals).to_contain_text(f"{reported['messages']:,}")
    tools = page.get_by_role("region", name="Tools")
    expect(tools.get_by_role("listitem").first).to_contain_text(reported["tools"][0]["name"])
    window.button("30 days").click()
    expect(window.button("30 days")).to_have_attribute("aria-pressed", "true")
    expect(totals).not_to_contain_text(f"{reported['messages']:,}")
    window.button("All time").click()
    expect(totals).to_contain_text(f"{reported['messages']:,}")
    with page.expect_download() as coming:
        window.choose("Download the numbers", "As CSV")
    coming.value.save_as(tmp_path / "numbers.csv")
    reported_lines = list(csv.reader((tmp_path / "numbers.csv").read_text().splitlines()))
    assert any(reported["tools"][0]["name"] in line for line in reported_lines)
    page.get_by_role("region", name="Projects").get_by_role("button", name="bakery").click()
    shows(window, titles(window, project="/home/noor/bakery"))
    window.assert_quiet()


def test_panes_fold_and_their_widths_are_remembered(window: Screen) -> None:
    page = window.page
    window.open(window.titled("Sourdough"))
    library = page.get_by_role("complementary", name="Library")
    inspector = page.get_by_role("complementary", name="Inspector")
    separator = page.get_by_role("separator", name="Width of the library")
    separator.focus()
    before = int(separator.get_attribute("aria-valuenow") or 0)
    window.press("ArrowRight", "ArrowRight")
    expect(separator).to_have_attribute("aria-valuenow", str(before + 32))
    window.button("Inspector").click()
    expect(inspector).to_be_hidden()
    window.again()
    expect(separator).to_have_attribute("aria-valuenow", str(before + 32))
    expect(inspector).to_be_hidden()
    window.press("Control+b")
    expect(library).to_be_hidden()
    window.press("Control+.")
    expect(inspector).to_be_visible()
    window.assert_quiet()


def test_an_empty_studio_says_how_to_begin(open_window: Open, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with running([empty]) as studio:
        screen = open_window(studio)
        expect(screen.page.get_by_text("Nothing is here yet")).to_be_visible()
        expect(screen.page.get_by_text("No conversations yet")).to_be_visible()
        expect(screen.button("Choose files").first).to_be_enabled()
        expect(screen.page.get_by_role("contentinfo")).to_contain_text(
            re.compile("^0 conversations")
        )
        screen.assert_quiet()


def test_a_file_that_was_not_imported_is_shown_with_the_reason(
    tmp_path: Path, open_window: Open
) -> None:
    folder = tmp_path / "it's here"
    folder.mkdir()
    whole = gzip.compress((DEMO / "claude-code.jsonl").read_bytes())
    (folder / "cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    (folder / "notes.txt").write_text("Buy apples.")
    with running([folder]) as studio:
        window = open_window(studio)
        window.page.get_by_role("link", name="2 files not imported, or only in part").click()
        listed = window.page.get_by_role("list", name="2 files not imported, or only in part")
        expect(listed.get_by_role("listitem")).to_have_count(2)
        cut = listed.get_by_role("listitem").filter(has_text="cut.jsonl.gz")
        assert "read in part: " in cut.inner_text()
        cut.get_by_role("button", name="Copy repair command").click()
        cut.get_by_role("button", name="Copied").wait_for()
        command = shlex.split(window.clipboard())
        path = str(folder / "cut.jsonl.gz")
        assert command == ["talktree", "repair", path, "-o", str(folder / "cut.repaired.jsonl.gz")]
        assert run(command[1:]) == 0
        window.assert_quiet()
