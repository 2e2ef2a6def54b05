"""The inspector of a conversation: files, tasks, costs, records, problems, edits."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Open
from tests.browser.screen import Screen
from tests.browser.talks import BELL, FLAKY, LAMP, SOURDOUGH, write_damaged
from tests.web.running import running


def inspector(screen: Screen, tab: str) -> Locator:
    """Return a tab of the inspector."""
    screen.tab(tab).click()
    return screen.page.get_by_role("tabpanel", name=re.compile(f"^{tab}"))


def test_files_are_compared_between_any_two_points(window: Screen) -> None:
    window.open(window.titled(LAMP))
    panel = inspector(window, "Files")
    expect(panel).to_contain_text("1 modified")
    panel.get_by_role("button", name="modified timetable.csv").click()
    diff = panel.get_by_role("region", name="Difference of timetable.csv")
    expect(diff).to_contain_text("winter")
    ends = panel.get_by_role("group", name="Compare")
    ends.get_by_role("combobox", name="from").select_option(index=1)
    lines = panel.locator("[aria-label*=' added, ']")
    expect(lines).to_have_attribute("aria-label", "1 line added, 1 removed")
    ends.get_by_role("combobox", name="to").select_option(index=1)
    expect(lines).to_have_attribute("aria-label", "0 lines added, 0 removed")
    panel.get_by_role("button", name=re.compile("^Change 2:")).click()
    expect(lines).to_have_attribute("aria-label", "1 line added, 1 removed")
    panel.get_by_role("button", name="Side by side").click()
    large = window.dialog(re.compile("^timetable.csv"))
    pressed = large.get_by_role("button", name="Side by side")
    expect(pressed).to_have_attribute("aria-pressed", "true")
    expect(large.locator(".tt-split")).to_be_visible()
    pressed.click()
    expect(large.locator(".tt-split")).to_be_hidden()
    large.get_by_role("button", name="Ignore whitespace").click()
    large.get_by_role("button", name="Wrap long lines").click()
    large.get_by_role("button", name="Next change").click()
    window.press("Escape")
    expect(large).to_be_hidden()
    panel.get_by_role("button", name="All files").click()
    expect(panel.get_by_role("button", name="modified timetable.csv")).to_be_visible()
    window.message("l08").click()
    panel.get_by_role("button", name=re.compile("^This message")).click()
    expect(panel.get_by_role("listitem")).to_have_count(1)
    window.open(window.titled(FLAKY))
    panel.get_by_role("checkbox", name="also 1 file only read").check()
    expect(panel.get_by_role("listitem")).to_have_count(2)
    window.assert_quiet()


def test_tasks_are_reported_for_any_message_and_over_time(window: Screen) -> None:
    window.open(window.titled(SOURDOUGH), "b5")
    panel = inspector(window, "Todos")
    expect(panel.get_by_role("progressbar", name="Now: 3 of 3 tasks done")).to_be_visible()
    expect(panel.get_by_role("progressbar", name="Here: 1 of 3 tasks done")).to_be_visible()
    expect(panel.get_by_role("img", name="done", exact=True)).to_have_count(1)
    chart = panel.get_by_role("slider", name=re.compile("^Tasks over time"))
    chart.focus()
    window.press("Home")
    expect(chart).to_have_attribute("aria-valuetext", re.compile("0 of 3 done"))
    window.press("ArrowRight", "ArrowRight", "Enter")
    expect(window.message("b7")).to_have_attribute("aria-current", "true")
    expect(panel.get_by_role("progressbar", name="Here: 2 of 3 tasks done")).to_be_visible()
    window.open(window.titled(FLAKY))
    window.press("g", "g")
    expect(panel).to_contain_text("There was no list yet.")
    window.assert_quiet()


def test_usage_is_drawn_and_can_be_taken_away(window: Screen, tmp_path: Path) -> None:
    cid = window.titled(FLAKY)
    reported = window.studio.get(f"/c/{cid}/usage")
    window.open(cid)
    panel = inspector(window, "Usage")
    tokens = panel.get_by_role("region", name="Tokens")
    chart = tokens.get_by_role("slider")
    expect(tokens.locator("svg rect").first).to_be_attached()
    tokens.get_by_role("button", name="summed").click()
    expect(tokens.locator("svg path").first).to_be_attached()
    kinds = tokens.get_by_role("group", name="Kinds of tokens shown").get_by_role("button")
    kinds.first.click()
    expect(kinds.first).to_have_attribute("aria-pressed", "false")
    chart.focus()
    window.press("Home", "Enter")
    expect(window.current).to_be_in_viewport()
    expect(panel.get_by_role("region", name="Time to answer")).to_be_visible()
    first = reported["tools"][0]
    row = panel.get_by_role("region", name="Tools").get_by_role("row", name=first["name"]).first
    expect(row).to_contain_text(str(first["count"]))
    with window.page.expect_download() as coming:
        panel.get_by_role("link", name="CSV").click()
    coming.value.save_as(tmp_path / "usage.csv")
    lines = list(csv.reader((tmp_path / "usage.csv").read_text().splitlines()))
    column = lines[0].index("output")
    assert sum(int(line[column] or 0) for line in lines[1:]) == reported["totals"]["output"]
    window.assert_quiet()


def test_the_record_of_a_message_is_shown_as_it_is(window: Screen) -> None:
    window.open(window.titled(SOURDOUGH))
    panel = inspector(window, "Raw")
    expect(panel).to_contain_text("Select a message to see its record")
    window.message("b10").click()
    record = panel.get_by_role("region", name="Record", exact=True)
    expect(record).to_contain_text('"b10"')
    expect(panel).to_contain_text("native.jsonl")
    panel.get_by_role("button", name="Copy the record").click()
    window.hears("Record copied")
    assert '"b10"' in window.clipboard()
    window.press("j")
    expect(record).to_contain_text('"id": "b11"')
    window.assert_quiet()


def test_a_damaged_file_is_repaired_after_the_plan_was_seen(
    open_window: Open, tmp_path: Path
) -> None:
    path = write_damaged(tmp_path / "damaged.jsonl")
    before = path.read_bytes()
    with running([path]) as studio:
        screen = open_window(studio)
        screen.open(screen.titled(BELL))
        panel = inspector(screen, "Problems")
        expect(panel).to_contain_text("2 errors")
        expect(panel).to_contain_text("its parent")
        panel.get_by_role("button", name="Go there").first.click()
        expect(screen.current).to_contain_text("Who rings it at night?")
        panel.get_by_role("button", name="Repair 2 problems…").click()
        plan = screen.dialog("Repair what is safe")
        expect(plan.get_by_role("listitem").filter(has_text="TRE101")).to_be_visible()
        expect(plan).to_contain_text("A copy of the old one is kept.")
        plan.get_by_role("button", name="Cancel").click()
        assert path.read_bytes() == before
        panel.get_by_role("button", name="Repair 2 problems…").click()
        plan.get_by_role("button", name="Repair", exact=True).click()
        expect(plan.get_by_role("status")).to_contain_text("2 changes made")
        plan.get_by_role("button", name="Close").last.click()
        expect(panel).to_contain_text("Nothing is wrong")
        assert path.read_bytes() != before
        assert any(each.read_bytes() == before for each in tmp_path.glob("*.backup"))
        screen.assert_quiet()


def test_the_history_leads_back_to_any_point(screen: Screen) -> None:
    screen.open(screen.titled(SOURDOUGH), "b10")
    panel = inspector(screen, "History")
    expect(panel).to_contain_text("No edits yet")
    edits = panel.get_by_role("listitem")
    for number in range(2):
        screen.message("b10").get_by_role("button", name="Actions of this message").click()
        screen.menu_item(re.compile("^Clone$")).click()
        expect(edits).to_have_count(number + 2)
        # The page goes to the clone once it is made, and its address follows.
        expect(screen.page).not_to_have_url(re.compile("/m/b10"))
        screen.open(screen.titled(SOURDOUGH), "b10")
        expect(screen.current).to_have_attribute("data-id", "b10")
    expect(panel).to_contain_text("Not saved yet")
    panel.get_by_role("button", name="Undo all").click()
    expect(panel.get_by_text("undone")).to_have_count(2)
    panel.get_by_role("button", name="Redo to here").last.click()
    expect(panel.get_by_text("undone")).to_have_count(1)
    expect(edits.nth(1)).to_have_attribute("aria-current", "step")
    screen.assert_quiet()


def test_the_raw_tab_turns_through_the_records_of_a_row(window: Screen) -> None:
    window.open(window.titled(FLAKY), "17fc695a-07a0-4a6e-8822-e8f36c031199")
    panel = inspector(window, "Raw")
    turning = panel.get_by_role("group", name="Records of the row")
    expect(turning).to_contain_text(re.compile("record 1 of [2-9]"))
    expect(turning.get_by_role("button", name="Record before")).to_be_disabled()
    expect(panel).to_contain_text("tool_use")
    turning.get_by_role("button", name="Record behind").click()
    expect(turning).to_contain_text("record 2 of")
    expect(panel).to_contain_text("tool_result")
    window.press("k")
    expect(panel).not_to_contain_text("tool_result")
    window.assert_quiet()
