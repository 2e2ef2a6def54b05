"""A conversation that grows while it is read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.holding import held
from tests.browser.screen import Screen
from tests.browser.talks import PROMPTS, SOURDOUGH, line, named, write_long
from tests.web.running import Running, running, until

TOP = "(row) => row.getBoundingClientRect().top"


class Growing:
    """A file that grows, and a window on it."""

    def __init__(self, path: Path, screen: Screen) -> None:
        self.path, self.screen = path, screen
        self.last = named(PROMPTS - 1, 3)
        self.number = 0

    def grow(self, text: str, parent: str | None = None) -> None:
        """Append an answer, at the end or to another message."""
        self.number += 1
        id = named(self.number, 7)
        added = line(id, parent or self.last, "assistant", text, 4000 + self.number)
        with self.path.open("a") as file:
            file.write(json.dumps(added) + "\n")
        self.last = id


@pytest.fixture
def growing(open_window: Open, tmp_path: Path) -> Iterator[Growing]:
    path = write_long(tmp_path / "long.jsonl")
    with running([path]) as studio:
        screen = open_window(studio)
        screen.open(screen.cid("claude-code"))
        expect(screen.page.get_by_role("status").filter(has_text="watching")).to_be_visible()
        yield Growing(path, screen)


def test_new_messages_appear_and_are_followed_until_the_reader_scrolls_up(
    growing: Growing,
) -> None:
    screen, page = growing.screen, growing.screen.page
    screen.press("f")
    follow = page.get_by_role("button", name="Following what comes")
    expect(follow).to_have_attribute("aria-pressed", "true")
    growing.grow("A door opens.")
    expect(screen.rows.filter(has_text="A door opens.")).to_be_in_viewport()
    expect(page.get_by_role("status").filter(has_text="growing")).to_be_visible()
    growing.grow("A light goes on.\n\n" + "It is bright. " * 400 + "It goes out.")
    expect(screen.page.get_by_text("It goes out.")).to_be_in_viewport()
    # A reader who has scrolled up is not moved.
    page.get_by_role("feed", name="Messages").hover()
    page.mouse.wheel(0, -600)
    expect(page.get_by_role("button", name="Follow what comes")).to_have_attribute(
        "aria-pressed", "false"
    )
    growing.grow("Somebody sings.")
    pill = page.get_by_role("button", name="1 new message")
    expect(pill).to_be_visible()
    expect(screen.rows.filter(has_text="Somebody sings.")).not_to_be_in_viewport()
    growing.grow("Somebody else, too.")
    page.get_by_role("button", name="2 new messages").click()
    expect(screen.rows.filter(has_text="Somebody else, too.")).to_be_in_viewport()
    expect(follow).to_be_visible()
    growing.grow("Then all is quiet.")
    expect(screen.rows.filter(has_text="Then all is quiet.")).to_be_in_viewport()
    expect(page.get_by_role("contentinfo")).to_contain_text("184 messages")
    screen.assert_quiet()


def test_messages_written_before_the_page_listens_appear(growing: Growing) -> None:
    screen = growing.screen
    with held(screen.page, re.compile("/live")) as listening:
        screen.again()
        expect(screen.page.get_by_role("contentinfo")).to_contain_text("179 messages")
        while not listening.routes:
            screen.page.wait_for_timeout(20)
        growing.grow("A door opens.")
        cid = screen.cid("claude-code")
        until(lambda: screen.studio.get(f"/c/{cid}")["messages"] == 180)
        listening.release()
        expect(screen.page.get_by_role("contentinfo")).to_contain_text("180 messages")
        expect(screen.rows.filter(has_text="A door opens.")).to_have_count(1)
    screen.assert_quiet()


def test_a_reader_stays_on_a_branch_when_another_one_grows(growing: Growing) -> None:
    screen, page = growing.screen, growing.screen.page
    screen.press("G", "k", "k")
    reading = screen.message(named(PROMPTS - 2, 3))
    expect(reading).to_have_attribute("aria-current", "true")
    top = reading.evaluate(TOP)
    growing.grow("Somebody asks again.", named(3, 3))
    screen.hears("1 new message on another branch")
    expect(screen.message(named(PROMPTS - 1, 2))).to_be_in_viewport()
    expect(reading).to_have_attribute("aria-current", "true")
    assert abs(reading.evaluate(TOP) - top) <= 2
    growing.grow("And again.")
    screen.hears("2 new messages on another branch")
    expect(reading).to_be_in_viewport()
    screen.button("Show").click()
    expect(screen.rows.filter(has_text="And again.")).to_be_in_viewport()
    expect(screen.rows.filter(has_text="Somebody asks again.")).to_be_visible()
    expect(page.get_by_text("on another branch")).to_have_count(0)
    # From here on it is the current branch, and new messages are shown.
    growing.grow("A third time.")
    expect(screen.rows.filter(has_text="A third time.")).to_be_attached()
    screen.assert_quiet()


def test_a_branch_that_is_shown_by_name_goes_on_when_it_becomes_the_current_one(
    growing: Growing,
) -> None:
    screen, page = growing.screen, growing.screen.page
    other = named(PROMPTS - 1, 1)
    screen.open(screen.cid("claude-code"), other)
    expect(page).to_have_url(re.compile("leaf="))
    growing.grow("It is answered here.", other)
    expect(screen.rows.filter(has_text="It is answered here.")).to_be_visible()
    expect(screen.message(other)).to_be_in_viewport()
    expect(page.get_by_text("on another branch")).to_have_count(0)
    screen.assert_quiet()


def test_a_branch_that_another_window_makes_is_announced(
    studio: Running, open_window: Open
) -> None:
    first, second = open_window(studio), open_window(studio)
    for screen in (first, second):
        screen.open(screen.titled(SOURDOUGH), "b14")
        expect(screen.page.get_by_role("status").filter(has_text="watching")).to_be_visible()
    second.press("g", "g")
    expect(second.message("b1")).to_have_attribute("aria-current", "true")
    second.press("r")
    second.page.get_by_role("textbox", name="Text").fill("Said in the other window.")
    second.press("Control+Enter")
    said = "Said in the other window."
    expect(second.rows.filter(has_text=said)).to_be_visible()
    first.hears("1 new message on another branch")
    expect(first.current).to_have_attribute("data-id", "b14")
    expect(first.rows.filter(has_text=said)).to_have_count(0)
    expect(first.button("Save to its own file")).to_be_enabled()
    first.button("Show").click()
    expect(first.rows.filter(has_text=said)).to_be_visible()
    # After undoing back to there the branch is gone, so the previous one is shown.
    second.press("u")
    expect(first.rows.filter(has_text=said)).to_have_count(0)
    first.press("G")
    expect(first.message("b14")).to_be_in_viewport()
    first.assert_quiet()
    second.assert_quiet()
