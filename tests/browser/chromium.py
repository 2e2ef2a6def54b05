"""A real Chromium without a window, and everything that it was asked to load."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
)
WIDE, PHONE = (1280, 800), (360, 740)


def executable() -> str | None:
    """Where Chromium is; None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser for many tests."""
    with sync_playwright() as playwright, launched(playwright) as browser:
        yield browser


@contextmanager
def launched(playwright: Playwright, *more: str) -> Iterator[Browser]:
    """One more browser of the same driver, of which a process can have only one."""
    # Chromium refuses to put a sandbox around the pages of the system's own user.
    flags = [*FLAGS, *more, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    browser = playwright.chromium.launch(executable_path=executable(), args=flags)
    try:
        yield browser
    finally:
        browser.close()


class Watched(NamedTuple):
    """A page, and what it did that nobody asked for."""

    page: Page
    context: BrowserContext
    elsewhere: list[str]
    """Addresses of other origins that it tried to load."""
    complaints: list[str]
    """Errors of scripts, and what the browser refused."""


@contextmanager
def watched(
    browser: Browser,
    origin: str,
    *,
    size: tuple[int, int] = WIDE,
    dark: bool = False,
    downloads: Path | None = None,
) -> Iterator[Watched]:
    """A window of its own, with no memory of others."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        accept_downloads=downloads is not None,
        locale="en-GB",
        timezone_id="UTC",
    )
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=origin)
    elsewhere: list[str] = []
    complaints: list[str] = []

    def asked(address: str) -> None:
        if not address.startswith((f"{origin}/", "data:", "blob:", "about:")):
            elsewhere.append(address)

    context.on("request", lambda request: asked(request.url))
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda said: complaints.append(said.text) if said.type == "error" else None,
    )
    try:
        yield Watched(page, context, elsewhere, complaints)
    finally:
        context.close()
