"""Responses that are delayed until a test releases them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, Request, Route

PARTS = re.compile(r"/assets/[^/]+\.js$")
"""Script files of the page. After loading without preloading, these belong to what is opened."""
AHEAD = "window.requestIdleCallback = () => 0"
"""Script that stops a page from preloading anything."""
WITHOUT_EFFECT = re.compile(r"/(session/plan|uploads|secrets|share/preview)(\?|$)")
PROBE = "/intercepted"
"""An address that is requested only to see whether requests are intercepted."""


class Held:
    """Requests that were not answered yet."""

    def __init__(self) -> None:
        self.routes: list[Route] = []
        self._open = False

    def take(self, route: Route) -> None:
        """Hold a response, or let it through if all are released."""
        if self._open:
            route.continue_()
        else:
            self.routes.append(route)

    def release(self) -> None:
        """Release everything, and all later requests."""
        self._open = True
        while self.routes:
            self.routes.pop().continue_()


@contextmanager
def held(page: Page, pattern: re.Pattern[str], method: str | None = None) -> Iterator[Held]:
    """Hold the responses of some addresses; they are released at the end at the latest."""
    found = Held()

    def asked(route: Route) -> None:
        if method is None or route.request.method == method:
            found.take(route)
        else:
            route.fallback()

    intercept(page, pattern, asked)
    try:
        yield found
    finally:
        found.release()
        page.unroute(pattern, asked)


def intercept(page: Page, pattern: re.Pattern[str], handler: Callable[[Route], None]) -> None:
    """Let a handler answer for some addresses, from the page's next request on.

    Chromium notifies a page that its requests are intercepted without waiting for it; a key that is
    pressed immediately can be faster, and its request then goes straight to the server.
    """
    page.route(pattern, handler)
    page.route(f"**{PROBE}", lambda route: route.fulfill(body=PROBE))
    while page.evaluate("(probe) => fetch(probe).then((answer) => answer.text())", PROBE) != PROBE:
        pass
    page.unroute(f"**{PROBE}")


def load_nothing_ahead(page: Page) -> None:
    """Reload the page without preloading; each part of it is requested when it is opened."""
    page.add_init_script(AHEAD)
    page.reload()


@contextmanager
def delayed(page: Page, pattern: re.Pattern[str], milliseconds: int) -> Iterator[list[str]]:
    """Delay the responses of some addresses; return the requested addresses."""
    found: list[str] = []

    def asked(route: Route) -> None:
        found.append(route.request.url)
        page.wait_for_timeout(milliseconds)
        route.continue_()

    intercept(page, pattern, asked)
    try:
        yield found
    finally:
        page.unroute(pattern, asked)


@contextmanager
def changes(page: Page) -> Iterator[list[str]]:
    """Return the addresses of all changes that the page requests."""
    found: list[str] = []

    def asked(request: Request) -> None:
        is_plan = request.url.endswith("/fixes") and "apply" not in (request.post_data or "")
        if request.method == "POST" and not WITHOUT_EFFECT.search(request.url) and not is_plan:
            found.append(request.url)

    page.on("request", asked)
    try:
        yield found
    finally:
        page.remove_listener("request", asked)
