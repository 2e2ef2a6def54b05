"""A conversation that grows while it is read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.screen import Screen
from tests.browser.talks import PROMPTS, line, named, write_long
from tests.web.running import running


class Growing:
    """A file to which somebody writes, and a window on it."""

    def __init__(self, path: Path, screen: Screen) -> None:
        self.path, self.screen = path, screen
        self.last = named(PROMPTS - 1, 3)
        self.number = 0

    def grow(self, text: str) -> None:
        """One more answer at the end."""
        self.number += 1
        id = named(self.number, 7)
        added = line(id, self.last, "assistant", text, 4000 + self.number)
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


def test_what_is_written_appears_and_is_followed_until_the_reader_scrolls_up(
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
    # Who scrolls up reads on in peace.
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
