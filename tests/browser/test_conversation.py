"""A conversation in the browser: every format's demo, every kind of content in a message."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Open
from tests.browser.screen import Screen
from tests.browser.talks import (
    FLAKY,
    GARDEN,
    LAMP,
    PROMPTS,
    SOURDOUGH,
    TOWER,
    line,
    named,
    written,
)
from tests.web.running import Running, running

IN_VIEW = """() => [...document.querySelectorAll('.conv-scroll article')].filter((row) => {
  const box = row.getBoundingClientRect()
  return box.top < innerHeight && box.bottom > 150
}).map((row) => row.dataset.id)"""
READ, GREP, FAILED, EDIT = 3, 4, 6, 8
"""Rows of Claude Code's demo."""


def ids(screen: Screen, cid: str) -> list[str]:
    """Return the messages of the current branch, in order."""
    return [str(row["id"]) for row in screen.studio.get(f"/c/{cid}/rows", limit=100)["rows"]]


def fold(row: Locator, name: str) -> Locator:
    """Return a line of a message that can be unfolded."""
    return row.get_by_role("button", name=re.compile(f"^{name}"))


def test_every_message_of_every_format_is_shown_with_its_speaker(window: Screen) -> None:
    seen = set()
    for card in window.studio.get("/conversations")["cards"]:
        if card["path"].endswith(("long.jsonl", "damaged.jsonl")):
            continue
        seen.add(card["format"])
        window.open(card["cid"])
        rows = window.studio.get(f"/c/{card['cid']}/rows", limit=100)["rows"]
        many = "row" if len(rows) == 1 else "rows"
        expect(window.page.get_by_text(f"{len(rows)} {many}", exact=True)).to_be_visible()
        window.press("g", "g")
        for row in rows:
            shown = window.message(row["id"])
            expect(shown).to_have_attribute("aria-current", "true")
            expect(shown).to_be_in_viewport()
            if row["kind"] != "divider":
                speaker = row["speaker"]
                expect(shown).to_have_accessible_name(re.compile(f"^{speaker}"))
                quiet = shown.locator(".conv-hush-title").count()
                if not quiet:
                    expect(shown.locator(".conv-role")).to_have_text(speaker)
            window.press("j")
    assert len(seen) == 9
    window.assert_quiet()


def test_markdown_is_formatted_and_code_can_be_copied(window: Screen) -> None:
    cid = window.titled("the parts list")
    answer = ids(window, cid)[6]
    window.open(cid, answer)
    row = window.message(answer)
    row.hover()
    code = row.locator("pre").first
    expect(code).to_contain_text('if not row["')
    row.get_by_role("button", name="Copy").first.click()
    expect(row.get_by_role("button", name="Copied")).to_be_visible()
    assert 'if not row["' in window.clipboard()
    assert "Copy" not in window.clipboard()
    window.open(window.titled(LAMP), "l10")
    expect(window.message("l10").get_by_role("table")).to_contain_text("season")
    window.open(window.titled(TOWER), named(1, 3))
    expect(window.message(named(1, 3)).locator("strong")).to_have_text("1")
    window.assert_quiet()


def test_tool_calls_unfold_and_show_how_they_ended(window: Screen) -> None:
    cid = window.titled(FLAKY)
    rows = ids(window, cid)
    window.open(cid, rows[READ])
    read = window.message(rows[READ])
    expect(fold(read, "Read")).to_have_attribute("aria-expanded", "false")
    expect(read.get_by_role("img", name="Succeeded")).to_be_visible()
    expect(read).not_to_contain_text("def test_sunset")
    fold(read, "Read").click()
    expect(read).to_contain_text("def test_sunset")
    fold(read, "Read").click()
    expect(read).not_to_contain_text("def test_sunset")
    window.open(cid, rows[FAILED])
    failed = window.message(rows[FAILED])
    expect(fold(failed, "Bash")).to_have_attribute("aria-expanded", "true")
    expect(failed.get_by_role("img", name="Failed")).to_be_visible()
    window.open(cid, rows[EDIT])
    edit = window.message(rows[EDIT])
    expect(edit.locator(".tt-add").first).to_be_visible()
    expect(edit.locator(".tt-del").first).to_be_visible()
    edit.get_by_role("button", name="1 file").click()
    expect(window.tab("Files")).to_have_attribute("aria-selected", "true")
    window.open(window.titled(GARDEN), "g13")
    expect(window.message("g13").get_by_role("img", name="No result yet")).to_be_visible()
    window.open(window.titled(LAMP), "l02")
    both = window.message("l02").get_by_role("group", name=re.compile("^2 tool calls · bash"))
    expect(both).to_have_accessible_name(re.compile("1 failed"))
    window.assert_quiet()


def test_thinking_todos_compactions_and_commands_are_distinguished(window: Screen) -> None:
    cid = window.titled(FLAKY)
    rows = ids(window, cid)
    window.open(cid, rows[1])
    thinking = fold(window.message(rows[1]), "Thinking")
    expect(thinking).to_have_attribute("aria-expanded", "false")
    window.button("Show thinking").click()
    expect(thinking).to_have_attribute("aria-expanded", "true")
    expect(window.message(rows[1])).to_contain_text("between local time and UTC")
    window.open(cid, rows[13])
    tasks = window.message(rows[13])
    expect(tasks.get_by_role("listitem")).to_have_count(3)
    expect(tasks).to_contain_text("Run the tests 200 times")
    window.open(cid, rows[15])
    divider = window.page.get_by_role("article", name="Conversation compacted")
    expect(divider).to_be_in_viewport()
    window.open(cid, rows[17])
    expect(window.message(rows[17])).to_contain_text("/compact")
    window.open(window.titled(SOURDOUGH), "b14")
    expect(window.message("b14")).to_contain_text("aborted")
    window.assert_quiet()


def test_a_sub_agent_is_entered_and_left_again(window: Screen) -> None:
    page = window.page
    for title, call in ((FLAKY, None), (SOURDOUGH, "b2"), (LAMP, "l04")):
        cid = window.titled(title)
        call = call or ids(window, cid)[9]
        window.open(cid, call)
        row = window.message(call)
        row.get_by_role("button", name=re.compile(r"\d messages?$")).click()
        back = page.get_by_role("button", name=re.compile("^Back from"))
        expect(back).to_be_visible()
        expect(window.current).to_contain_text("sub-agent")
        back.click()
        expect(back).to_be_hidden()
        expect(row).to_be_in_viewport()
        expect(row).to_have_attribute("aria-current", "true")
    window.assert_quiet()


def test_images_are_shown_and_enlarged(window: Screen) -> None:
    cid = window.titled(FLAKY)
    for place, id in ((cid, ids(window, cid)[19]), (window.titled(SOURDOUGH), "b1")):
        window.open(place, id)
        row = window.message(id)
        image = row.get_by_role("img").last
        wide = "image => image.complete && image.naturalWidth > 0"
        window.page.wait_for_function(wide, arg=image.element_handle())
        row.get_by_role("button", name=re.compile("^Enlarge")).click()
        dialog = window.page.get_by_role("dialog")
        expect(dialog.get_by_role("img").last).to_be_visible()
        window.press("Escape")
        expect(dialog).to_be_hidden()
    window.assert_quiet()


def test_omitted_content_is_shown_on_demand(window: Screen) -> None:
    window.open(window.titled(TOWER))
    row = window.message(named(PROMPTS - 1, 3))
    row.get_by_role("button", name=re.compile("^Show all")).click()
    expect(row).to_contain_text("The very end of the tower.")
    expect(row.get_by_role("button", name=re.compile("^Show all"))).to_be_hidden()
    window.assert_quiet()


def test_a_link_to_a_message_leads_there_from_anywhere(window: Screen) -> None:
    cid = window.titled(TOWER)
    aside = named(7, 1)
    window.open(cid, aside)
    expect(window.message(aside)).to_be_in_viewport()
    expect(window.message(aside)).to_have_attribute("aria-current", "true")
    window.press("y")
    window.hears("Link copied")
    link = window.clipboard()
    window.open(window.cid("muse"))
    window.page.goto(link)
    expect(window.message(aside)).to_be_in_viewport()
    window.again()
    expect(window.message(aside)).to_be_in_viewport()
    window.message(aside).get_by_role("button", name="Actions of this message").click()
    window.menu_item("Copy link").click()
    window.hears("Link copied")
    assert window.clipboard() == link
    window.page.goto(f"{window.studio.origin}/#/c/{cid}/m/no-such-message")
    window.hears("That message is not here any more.")
    window.assert_quiet()


def test_layouts_are_chosen_and_remembered(window: Screen) -> None:
    cid = window.titled(SOURDOUGH)
    window.open(cid, "b5")
    heights = {}
    for layout in ("Cards", "Compact", "Reading"):
        window.choose("Layout", layout)
        expect(window.message("b5")).to_be_in_viewport()
        box = window.message("b5").bounding_box()
        assert box is not None
        heights[layout] = box["height"]
    assert heights["Compact"] < heights["Cards"]
    window.again()
    window.button("Layout").click()
    expect(window.menu_item("Reading")).to_have_attribute("aria-checked", "true")
    window.press("Escape")
    window.assert_quiet()


def test_rows_are_narrowed_by_role_tool_and_state(window: Screen) -> None:
    page, cid = window.page, window.titled(FLAKY)
    window.open(cid)
    window.button("Filter").click()
    bar = page.get_by_role("group", name="Filter the rows")

    def passing(show: str) -> None:
        rows = window.studio.get(f"/c/{cid}/rows", show=show, limit=100)
        assert 0 < rows["total"] < 21
        many = "row" if rows["total"] == 1 else "rows"
        expect(page.get_by_text(f"{rows['total']} {many} pass the filter")).to_be_visible()
        window.press("g", "g")
        expect(window.message(rows["rows"][0]["id"])).to_have_attribute("aria-posinset", "1")

    bar.get_by_role("button", name="User").click()
    passing("role:user")
    bar.get_by_role("button", name="Assistant").click()
    passing("role:assistant,role:user")
    bar.get_by_role("button", name="User").click()
    tool = bar.get_by_role("combobox", name="Filter by tool")
    tool.fill("Bash")
    # A known name is accepted as soon as it is typed.
    tool.press("Enter")
    passing("role:assistant,tool:Bash")
    bar.get_by_role("button", name="Failed").click()
    passing("flag:failed,role:assistant,tool:Bash")
    bar.get_by_role("button", name="Deleted").click()
    bar.get_by_role("button", name="Failed").click()
    expect(page.get_by_text("No message passes the filter")).to_be_visible()
    bar.get_by_role("button", name="Clear").click()
    expect(page.get_by_text("21 rows", exact=True)).to_be_visible()
    window.assert_quiet()


def test_records_without_content_take_no_room(tmp_path: Path, open_window: Open) -> None:
    ids = [named(each) for each in range(1, 5)]
    asked = line(ids[0], None, "user", "Mend it", 1)
    # Bookkeeping in the chain, an answer, and an event without text.
    progress = {**line(ids[1], ids[0], "user", "", 2), "type": "progress", "entrypoint": "cli"}
    answer = line(ids[2], ids[1], "assistant", "Done.", 3)
    ended = {**line(ids[3], ids[2], "user", "", 4), "type": "system", "subtype": "turn_duration"}
    for each in (progress, ended):
        del each["message"]
    written(tmp_path / "quiet.jsonl", [asked, progress, answer, {**ended, "durationMs": 4200}])
    with running([tmp_path / "quiet.jsonl"]) as studio:
        screen = open_window(studio)
        screen.open(screen.cid("claude-code"))
        expect(screen.rows).to_have_count(3)
        record = screen.page.get_by_role("region", name="Record", exact=True)
        thin = screen.message(ids[3])
        expect(thin).to_have_accessible_name("System, turn duration")
        box = thin.bounding_box()
        assert box is not None
        assert box["height"] < 26
        expect(screen.page.get_by_text("4200")).to_have_count(0)
        thin.click()
        screen.tab("Raw").click()
        expect(record).to_contain_text("4200")
        # A link to a message without a row leads to the row it belongs to.
        screen.open(screen.cid("claude-code"), ids[1])
        expect(screen.message(ids[0])).to_have_attribute("aria-current", "true")


def test_text_from_right_to_left_begins_at_the_right(open_window: Open, tmp_path: Path) -> None:
    said = "مرحبا بالعالم\n\n- واحد\n- اثنان\n\nAnd a line in English.\n\n> اقتباس"
    lines = [
        line(named(0, 8), None, "user", "שלום עולם, מה שלומך?", 0),
        line(named(1, 8), named(0, 8), "assistant", said, 1),
    ]
    with running([written(tmp_path / "right.jsonl", lines)]) as studio:
        screen = open_window(studio)
        screen.open(screen.cid("claude-code"))
        answer = screen.message(named(1, 8))
        for tag in ("p >> nth=0", "ul", "blockquote"):
            expect(answer.locator(tag)).to_have_css("direction", "rtl")
        expect(answer.locator("p >> nth=1")).to_have_css("direction", "ltr")
        expect(screen.message(named(0, 8)).locator("p")).to_have_css("direction", "rtl")
        page = screen.page
        expect(page.get_by_role("heading", level=1)).to_have_css("direction", "rtl")
        expect(page.locator(".card-title")).to_have_css("direction", "rtl")
        screen.press("G", "r")
        box = page.get_by_role("textbox", name="Text")
        box.fill("שלום")
        expect(box).to_have_css("direction", "rtl")
        box.fill("Hello")
        expect(box).to_have_css("direction", "ltr")
        screen.press("Escape")
        screen.assert_quiet()


def test_a_conversation_opens_where_the_reader_was_last(
    gallery: Running, open_window: Open
) -> None:
    screen = open_window(gallery)
    page, tower, other = screen.page, screen.titled(TOWER), screen.titled(SOURDOUGH)
    screen.open(tower, named(20, 3))
    screen.press("j", "j")
    expect(screen.current).to_have_attribute("data-id", named(21, 3))
    screen.open(other)
    screen.open(tower)
    expect(screen.current).to_have_attribute("data-id", named(21, 3))
    expect(screen.current).to_be_in_viewport()
    # Another branch, also after the page was reloaded.
    screen.open(tower, named(7, 1))
    expect(page).to_have_url(re.compile("leaf="))
    screen.open(other)
    screen.again()
    screen.open(tower)
    expect(screen.current).to_have_attribute("data-id", named(7, 1))
    expect(page).to_have_url(re.compile("leaf="))
    # What an address names takes precedence.
    screen.open(other)
    screen.open(tower, named(40, 2))
    expect(screen.current).to_have_attribute("data-id", named(40, 2))
    # State that is remembered of another file is ignored.
    fresh = open_window(gallery)
    kept = [[tower, {"path": "elsewhere", "leaf": None, "id": named(3, 3), "selected": True}]]
    fresh.page.add_init_script(f"localStorage['talktree.places'] = {json.dumps(json.dumps(kept))}")
    fresh.page.goto(f"{gallery.origin}/#/")
    fresh.again()
    fresh.open(tower)
    expect(fresh.message(named(PROMPTS - 1, 3))).to_be_in_viewport()
    expect(fresh.current).to_have_count(0)
    screen.assert_quiet()
    fresh.assert_quiet()


def test_a_conversation_that_was_only_scrolled_opens_there_and_points_at_nothing(
    gallery: Running, open_window: Open
) -> None:
    screen = open_window(gallery)
    tower = screen.titled(TOWER)
    screen.open(tower)
    expect(screen.message(named(PROMPTS - 1, 3))).to_be_in_viewport()
    box = screen.page.locator(".conv-scroll")
    box.evaluate("(box) => { box.scrollTop = box.scrollHeight / 3 }")
    first = screen.rows.filter(has_text=re.compile("Step")).first
    first.wait_for()
    expect(screen.message(named(PROMPTS - 1, 3))).not_to_be_in_viewport()
    screen.page.wait_for_function(
        "(cid) => (localStorage['talktree.places'] ?? '').includes(`[\"${cid}\"`)", arg=tower
    )
    seen = screen.page.evaluate(IN_VIEW)
    screen.open(screen.titled(SOURDOUGH))
    screen.open(tower)
    screen.page.wait_for_function(
        f"(seen) => ({IN_VIEW})().some((id) => seen.includes(id))", arg=seen
    )
    expect(screen.current).to_have_count(0)
    screen.assert_quiet()


def test_an_address_whose_branch_or_message_is_gone_shows_the_current_branch(
    window: Screen,
) -> None:
    cid = window.titled(SOURDOUGH)
    first, *_, last = ids(window, cid)
    for place, words, selected in (
        ("?leaf=gone", "That branch is not here any more", None),
        (f"/m/{first}?leaf=gone", "That branch is not here any more", first),
        (f"/m/gone?leaf={last}", "That message is not here any more", None),
    ):
        window.page.goto("about:blank")
        window.page.goto(f"{window.studio.origin}/#/c/{cid}{place}")
        window.hears(words)
        expect(window.message(selected or last)).to_be_visible()
        if selected:
            expect(window.current).to_have_attribute("data-id", selected)
        assert "leaf=gone" not in window.place
    window.assert_quiet()
