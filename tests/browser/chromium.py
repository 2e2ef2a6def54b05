"""A real Chromium without a window, and every address that it requested."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--disable-gpu",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-quic",
)
NO_OTHER_HOST = ("MAP * ~NOTFOUND", "EXCLUDE 127.0.0.1", "EXCLUDE localhost")
"""Rules under which the browser resolves only this machine, whatever its version looks up."""
WIDE, PHONE = (1280, 800), (360, 740)


def executable() -> str | None:
    """Return the path of Chromium; None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a browser for many tests."""
    with sync_playwright() as playwright, launched(playwright) as browser:
        yield browser


@contextmanager
def launched(
    playwright: Playwright, *more: str, hosts: Sequence[str] = NO_OTHER_HOST
) -> Iterator[Browser]:
    """Start another browser with the same driver; a process can have only one driver.

    `hosts` are Chromium's host resolver rules; with none, names are looked up as usual.
    """
    resolver = [f"--host-resolver-rules={', '.join(hosts)}"] if hosts else []
    # Chromium refuses to sandbox pages for the root user.
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    flags = [*FLAGS, *resolver, *more, *sandbox]
    browser = playwright.chromium.launch(executable_path=executable(), args=flags)
    try:
        yield browser
    finally:
        browser.close()


class Watched(NamedTuple):
    """A page, and its unexpected requests and errors."""

    page: Page
    context: BrowserContext
    elsewhere: list[str]
    """Addresses of other origins that the page tried to load."""
    complaints: list[str]
    """Script errors, and what the browser refused."""


@contextmanager
def watched(
    browser: Browser,
    origin: str,
    *,
    size: tuple[int, int] = WIDE,
    dark: bool = False,
    downloads: Path | None = None,
) -> Iterator[Watched]:
    """Open a window with its own empty profile."""
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
