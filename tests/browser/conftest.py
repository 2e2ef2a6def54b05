"""One Chromium for these tests, and a separate studio for each test that changes things."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

from tests.browser.chromium import WIDE, executable, launched
from tests.browser.screen import Screen, entered
from tests.browser.talks import write_damaged, write_long
from tests.web.running import Running, running

DEMO = Path(__file__).parent.parent.parent / "demo"
Open = Callable[..., Screen]
"""Opens a window on a studio: `open(studio, size=PHONE, dark=True)`."""


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """Start the driver; it is stopped after the last test here, as nothing asynchronous runs beside
    it."""
    if executable() is None:
        pytest.skip("NOT RUN: there is no Chromium on this machine")
    with sync_playwright() as found:
        yield found


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """The browser."""
    with launched(playwright) as found:
        yield found


@pytest.fixture(scope="package")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Start a studio that tests only read: the demo, a long conversation with branches, a damaged
    one."""
    folder = tmp_path_factory.mktemp("gallery")
    shutil.copytree(DEMO, folder / "demo")
    write_long(folder / "long.jsonl")
    write_damaged(folder / "damaged.jsonl")
    with running([folder]) as found:
        yield found


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """Return the bundled conversations, which tests may change."""
    folder = tmp_path / "demo"
    shutil.copytree(DEMO, folder)
    return folder


@pytest.fixture
def studio(demo: Path) -> Iterator[Running]:
    """Start a studio of them."""
    with running([demo]) as found:
        yield found


@pytest.fixture
def open_window(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Return a function that opens windows in a studio; they are closed after the test."""
    with ExitStack() as windows:

        def opened(
            studio: Running, *, size: tuple[int, int] = WIDE, dark: bool = False, at: str = ""
        ) -> Screen:
            window = entered(browser, studio, size=size, dark=dark, downloads=tmp_path, at=at)
            return windows.enter_context(window)

        yield opened


@pytest.fixture
def window(gallery: Running, open_window: Open) -> Screen:
    """Open one window on the studio that tests only read."""
    return open_window(gallery)


@pytest.fixture
def screen(studio: Running, open_window: Open) -> Screen:
    """Open one window on the demo."""
    return open_window(studio)
