"""Record everything that a page does without being asked, in any way."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Dialog, Page, Request

TELLTALE = (Path(__file__).parent / "canary.js").read_text()
INNER = ("data:", "blob:", "about:")


class Canary:
    """Watches all windows of a browser context."""

    def __init__(self, context: BrowserContext, origin: str) -> None:
        self.origin = origin
        self.ran: Counter[str] = Counter()
        """Calls of the alarm function, with the name of the frame that called it."""
        self.asked: list[str] = []
        """Addresses of other origins that were requested."""
        self.went: list[str] = []
        """Navigations away, opened windows and downloads."""
        context.expose_binding("canary", lambda source, what: self._heard(what))
        context.add_init_script(TELLTALE)
        context.on("request", self._asked)
        context.on("requestfailed", self._refused)
        context.on("page", self.watch)

    def _heard(self, what: Any) -> None:
        self.ran[str(what)] += 1

    def _asked_for(self, dialog: Dialog) -> None:
        self._heard(dialog.type)
        dialog.dismiss()

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((f"{self.origin}/", *INNER)):
            self.asked.append(request.url)

    def _refused(self, request: Request) -> None:
        """Whether the policy refused a request: it is reported like a request, but was never
        sent."""
        if request.failure == "csp" and request.url in self.asked:
            self.asked.remove(request.url)

    def watch(self, page: Page) -> None:
        """Watch a window."""
        if page.opener() is not None:
            self.went.append(f"a window: {page.url}")
        page.on("dialog", self._asked_for)
        page.on("download", lambda file: self.went.append(f"a file: {file.suggested_filename}"))
        page.on("framenavigated", lambda frame: self._gone(frame.url, frame is page.main_frame))

    def _gone(self, address: str, whole: bool) -> None:
        own = address.startswith((f"{self.origin}/", "about:blank"))
        if whole and not own:
            self.went.append(f"to {address}")

    def assert_silent(self) -> None:
        """Assert that nothing ran, nothing was requested elsewhere and no window navigated away."""
        assert dict(self.ran) == {}
        assert self.asked == []
        assert self.went == []
