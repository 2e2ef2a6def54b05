"""A message that is expensive to render: the page loads and stays responsive."""

# ruff: noqa: E501  (texts that cannot be broken)
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.screen import Screen, entered
from tests.browser.talks import line, named, written
from tests.web.running import Running, running

MUCH, SOME = 1_000_000, 60_000
WORST = ("[", "*", ">", "`", "<")
HARD = (
    "[", "*", ">", "`", "<", "&", "|", "~", "_", "#", "\\", "![", "](", "[a](", "- ", "> ", "* a\n",
    "**a ", "<b>", "&amp;", "\n", "\t", "$", "^", "a\n===\n", "|a", "|a|\n|-|\n", "1. ", "[^1]", "www.",
    "http://a.", "a@", "```\n", "\u0301", "\u202e", "\x1b[1m", "\U000e0041", "\ud800", "x",
)  # fmt: skip
NESTED = "".join("  " * depth + "- a\n" for depth in range(1400))
"""Nested lists, and the indentation they need."""


@pytest.fixture(scope="module")
def heavy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Start a studio with a conversation of such messages."""
    texts = [
        *(sign * (SOME // len(sign)) for sign in HARD),
        *(sign * MUCH for sign in WORST),
        NESTED,
        "> " * 50_000 + "a",
        "- " * 50_000 + "a",
    ]
    lines = [
        line(named(number, 6), named(number - 1, 6) if number else None, role, text, number)
        for number, text in enumerate(texts)
        for role in (("user", "assistant")[number % 2],)
    ]
    path = written(tmp_path_factory.mktemp("heavy") / "heavy.jsonl", lines)
    with running([Path(path)]) as studio:
        yield studio


@pytest.mark.torture
def test_the_page_stays_usable(browser: Browser, heavy: Running) -> None:
    cid = str(heavy.get("/conversations")["cards"][0]["cid"])
    with entered(browser, heavy) as screen:
        screen.page.set_default_timeout(60_000)
        screen.open(cid)
        screen.press("g", "g")
        screen.page.locator("article[aria-posinset='1']").wait_for()
        for _ in range(len(HARD) + len(WORST) + 2):
            screen.press("j")
        screen.page.locator("article[aria-current='true']").wait_for()
        _one_as_a_whole(screen)
        screen.press("?")
        screen.page.get_by_role("dialog").wait_for()
        screen.assert_quiet()


def _one_as_a_whole(screen: Screen) -> None:
    """Show the omitted part of a message on request."""
    screen.press("g", "g")
    # Messages around it are cut, too: only its own button disappears.
    first = screen.page.locator("article[aria-posinset='1']")
    cut = first.get_by_role("button", name="Show all")
    cut.click()
    cut.wait_for(state="hidden")
