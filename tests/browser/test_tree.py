"""Branches in the browser: lines, siblings, the path to the shown message, comparing, problems."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.screen import Screen
from tests.browser.screens.tree import Tree
from tests.browser.talks import BELL, FLAKY, PROMPTS, SOURDOUGH, TOWER, line, named, written
from tests.web.running import running

FORK, OTHER = "7412b293", "Good. Fix the log"


def test_columns_lead_to_every_branch(window: Screen) -> None:
    tree = Tree(window, window.titled(FLAKY))
    expect(tree.lines).to_have_count(4)
    expect(tree.line("Search the repository")).to_have_attribute("aria-level", "2")
    expect(tree.line(OTHER)).not_to_have_accessible_name(re.compile("shown"))
    tree.line(OTHER).click()
    expect(tree.line(OTHER)).to_have_accessible_name(re.compile("shown$"))
    expect(window.current).to_contain_text("Fix the log too")
    expect(tree.line("Good. Leave the log")).not_to_have_accessible_name(re.compile("shown"))
    trunk = tree.lines.first
    expect(trunk).to_have_attribute("aria-expanded", "false")
    tree.box.focus()
    window.press("Home", "ArrowRight")
    expect(trunk).to_have_attribute("aria-expanded", "true")
    tree.line("Claude: A test that only fails").click()
    expect(window.current).to_contain_text("A test that only fails in the evening")
    window.press("Home", "ArrowLeft")
    expect(trunk).to_have_attribute("aria-expanded", "false")
    window.assert_quiet()


def test_no_line_of_the_tree_is_without_a_label(open_window: Open, tmp_path: Path) -> None:
    image = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    contents: list[Any] = [
        "The first words.",
        [{"type": "image", "source": image}],
        "",
        [{"type": "text", "text": " "}],
        [{"type": "tool_result", "tool_use_id": "none", "content": []}],
        [],
    ]
    first = last = named(0, 8)
    lines = [line(first, None, "user", contents[0], 0)]
    for number, content in enumerate(contents[1:], 1):
        # Each is a separate branch, and in one branch they are in a row.
        lines.append(line(named(number, 8), first, "user", content, number))
        lines.append(line(named(number, 9), last, "user", content, 60 + number))
        last = named(number, 9)
    thinking = line(named(7, 9), named(5, 9), "assistant", "", 90)
    thinking["message"]["content"] = [{"type": "thinking", "thinking": "", "signature": "s"}]
    with running([written(tmp_path / "wordless.jsonl", [*lines, thinking])]) as studio:
        screen = open_window(studio)
        tree = Tree(screen, screen.cid("claude-code"))
        count = tree.lines.count()
        assert count >= len(contents)
        while (folded := tree.box.locator("[aria-expanded=false]")).count():
            folded.first.locator(".tree-fold").click()
        expect(tree.box.get_by_role("treeitem", name="Loading")).to_have_count(0)
        assert tree.lines.count() > count
        for each in tree.lines.all():
            expect(each.locator(".tree-label")).to_have_text(re.compile(r"\w"))
            expect(each).not_to_have_accessible_name(re.compile(r"^,|:\s*$"))
        expect(tree.box.get_by_role("treeitem", name="Tool: tool result").first).to_be_visible()
        expect(tree.box.get_by_text("Person")).to_have_count(0)
        screen.assert_quiet()


def test_a_key_leads_to_its_line_however_far_the_tree_was_scrolled(window: Screen) -> None:
    tree = Tree(window, window.titled(TOWER))
    first = window.page.locator("#tree-line-0")
    expect(first).to_have_count(0)
    tree.box.focus()
    window.press("Home")
    expect(first).to_be_in_viewport()
    expect(tree.box).to_have_attribute("aria-activedescendant", "tree-line-0")
    window.press("End")
    expect(first).to_have_count(0)
    window.assert_quiet()


def test_siblings_are_switched_and_the_last_choice_is_remembered(window: Screen) -> None:
    page = window.page
    window.open(window.titled(TOWER), named(3, 2))
    row = window.message(named(3, 2))
    switch = row.get_by_role("group", name="Version 2 of 2")
    switch.get_by_role("button", name="Previous version").click()
    quick = window.message(named(3, 1))
    expect(quick).to_be_in_viewport()
    expect(quick.get_by_role("group", name="Version 1 of 2")).to_be_visible()
    expect(quick.get_by_role("button", name="Previous version")).to_be_disabled()
    crumbs = page.get_by_role("navigation", name="Forks of this branch")
    expect(crumbs.get_by_role("listitem").last).to_contain_text("Step 3 of the tower? Quickly.")
    quick.get_by_role("button", name="Next version").click()
    expect(row).to_be_in_viewport()
    # Another leaf below the same fork comes back.
    window.open(window.titled(TOWER), named(5, 1))
    expect(window.message(named(5, 1))).to_be_in_viewport()
    window.press("g", "g")
    expect(window.message(named(0, 2))).to_be_in_viewport()
    row.get_by_role("button", name="Previous version").click()
    expect(quick).to_be_in_viewport()
    quick.get_by_role("button", name="Next version").click()
    expect(crumbs.get_by_role("listitem").last).to_contain_text("Step 5 of the tower? Quickly.")
    window.assert_quiet()


def test_the_breadcrumb_shows_the_path_and_links_to_it(window: Screen) -> None:
    page = window.page
    window.open(window.titled(FLAKY))
    crumbs = page.get_by_role("navigation", name="Forks of this branch")
    expect(crumbs.get_by_role("listitem")).to_have_count(1)
    crumbs.get_by_role("button", name="Good. Leave the log").click()
    expect(window.current).to_contain_text("Good. Leave the log")
    crumbs.get_by_role("button", name="2/2").click()
    window.menu_item(OTHER).click()
    expect(window.current).to_contain_text("Fix the log too")
    expect(crumbs.get_by_role("button", name="1/2")).to_be_visible()
    crumbs.get_by_role("button", name="2 branches").click()
    window.menu_item("Search the repository").click()
    expect(window.rows.filter(has_text="sub-agent").first).to_be_visible()
    window.open(window.titled(TOWER))
    crumbs.get_by_role("button", name=f"{PROMPTS - 1 - 3} earlier").click()
    expect(window.tab("Tree")).to_have_attribute("aria-selected", "true")
    window.assert_quiet()


def test_a_tree_of_many_branches_has_a_map(window: Screen) -> None:
    tree = Tree(window, window.titled(TOWER))
    expect(tree.line(f"Step {PROMPTS - 1} of the tower?,")).to_be_visible()
    few = tree.lines.count()
    assert few < 2 * PROMPTS - 1
    map = window.page.locator(".tree-map")
    painted = """canvas => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
      return data.some((value) => value > 0)
    }"""
    assert map.locator("canvas").evaluate(painted)
    map.click(position={"x": 10, "y": 5})
    expect(tree.line("Step 0 of the tower?")).to_be_in_viewport()
    box = map.bounding_box()
    assert box is not None
    map.click(position={"x": 10, "y": box["height"] - 5})
    expect(tree.line(f"Step {PROMPTS - 1} of the tower?,")).to_be_in_viewport()
    window.assert_quiet()


def test_two_branches_are_compared(window: Screen) -> None:
    tree = Tree(window, window.titled(FLAKY))
    tree.menu(OTHER, "Compare with what is shown")
    dialog = window.dialog("Compare branches")
    expect(dialog).to_contain_text("are the same, up to")
    differ = dialog.get_by_role("list", name="What differs").get_by_role("listitem")
    expect(differ.first).to_contain_text("changed")
    expect(differ.first).to_contain_text("Good. Leave the log")
    expect(differ.first).to_contain_text("Good. Fix the log")
    dialog.get_by_role("button", name="Swap sides").click()
    expect(differ.first.get_by_role("button").first).to_contain_text("Good. Fix the log")
    dialog.get_by_role("button", name="where they part").click()
    expect(dialog).to_be_hidden()
    expect(window.current).to_contain_text("Fixed in")
    tree.line(OTHER).click(modifiers=["Control"])
    expect(tree.line(OTHER)).to_have_attribute("aria-selected", "true")
    tree.line("Search the repository").click(modifiers=["Control"])
    window.button("Compare").click()
    expect(dialog).to_be_visible()
    window.press("Escape")
    expect(dialog).to_be_hidden()
    window.assert_quiet()


def test_a_branch_is_named(screen: Screen) -> None:
    tree = Tree(screen, screen.titled(SOURDOUGH))
    other = "Bake 4 comes out"
    tree.line(other).last.click(button="right")
    screen.menu_item("Name this branch").click()
    box = screen.page.get_by_role("textbox", name="Name of this branch")
    box.fill("earlier oven")
    box.press("Enter")
    expect(tree.line("earlier oven")).to_be_visible()
    screen.again()
    expect(tree.line("earlier oven")).to_be_visible()
    tree.line("earlier oven").click()
    crumbs = screen.page.get_by_role("navigation", name="Forks of this branch")
    expect(crumbs.get_by_role("button", name="earlier oven")).to_be_visible()
    tree.line("earlier oven").focus()
    screen.press("F2")
    expect(box).to_have_value("earlier oven")
    screen.press("Escape")
    expect(box).to_be_hidden()
    screen.assert_quiet()


def test_messages_without_a_parent_are_drawn_apart_and_lead_to_their_repair(window: Screen) -> None:
    tree = Tree(window, window.titled(BELL))
    lost = tree.line("Who rings it at night?")
    expect(lost).to_have_accessible_name(re.compile("hangs on nothing"))
    lost.click()
    expect(window.current).to_contain_text("place inferred")
    lost.locator("[data-do=repair]").click()
    expect(window.tab("Problems")).to_have_attribute("aria-selected", "true")
    expect(window.page.get_by_role("region", name="Problems")).to_contain_text("TRE101")
    window.assert_quiet()
