"""The pictures in the README: taken here, and stored where UPDATE_PICTURES is set."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.browser.chromium import PHONE
from tests.browser.conftest import Open
from tests.browser.screen import Screen
from tests.web.running import Running

PICTURES = Path(__file__).parent.parent.parent / "docs" / "pictures"
ROOM = (1440, 900)
SHOWN = "Edit"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder for pictures."""
    return PICTURES if os.environ.get("UPDATE_PICTURES") else tmp_path


def _worked_on(screen: Screen) -> None:
    """Show a conversation with its tree on the left and a difference on the right."""
    screen.open(screen.cid("claude-code"))
    screen.page.get_by_role("tab", name="Tree").click()
    screen.page.get_by_role("tree").wait_for()
    screen.press("g", "g")
    screen.page.get_by_role("tab", name="Files").click()
    screen.page.get_by_text("sun.py").last.click()
    screen.page.locator(".tt-diff").last.wait_for()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_picture_of_a_conversation(
    studio: Running, open_window: Open, folder: Path, *, dark: bool
) -> None:
    screen = open_window(studio, size=ROOM, dark=dark)
    _worked_on(screen)
    taken = screen.picture(folder / f"studio-{'dark' if dark else 'light'}.png")
    assert taken.stat().st_size > 20_000
    screen.assert_quiet()


def test_a_picture_of_the_overview(studio: Running, open_window: Open, folder: Path) -> None:
    screen = open_window(studio, size=ROOM)
    screen.page.get_by_role("heading", name="Overview").wait_for()
    assert screen.picture(folder / "studio-overview.png").stat().st_size > 20_000
    screen.assert_quiet()


def test_a_picture_on_a_phone(studio: Running, open_window: Open, folder: Path) -> None:
    screen = open_window(studio, size=PHONE)
    screen.open(screen.cid("claude-code"))
    assert screen.picture(folder / "studio-phone.png").stat().st_size > 10_000
    screen.assert_quiet()
