"""A page of another site, in a browser that has entered the studio, gets nothing out of it.

Other ports of this machine are the same site to the browser, so their servers receive the cookie;
host names that are made to resolve here have the same address. Both are tried.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from msgspec import Struct
from playwright.sync_api import Page, Playwright

from talktree.web.routes import entry
from talktree.web.routes.route import API, Route, RouteCall
from talktree.web.studio import StudioContext
from tests.browser.chromium import NO_OTHER_HOST, launched
from tests.web.running import LONGEST, OWN, Running, running

REBOUND = "rebound.example"
ATTEMPTS = (Path(__file__).parent / "foreign.js").read_text()
TRIED = 20
ENTER = """async ([path, token]) => {
  const headers = { 'X-Talktree': '1', 'Content-Type': 'application/json' }
  const answer = await fetch(path, { method: 'POST', body: JSON.stringify({ token }), headers })
  localStorage.setItem('talktree.key', (await answer.json()).key)
  return answer.status
}"""
ASK = """async (path) => {
  const answer = await fetch(path)
  return [answer.status, await answer.text()]
}"""


class Said(Struct):
    """What the studio would answer."""

    secret: str = "the conversation"


class Visited(NamedTuple):
    """A browser that has entered, on a page of its own, and what the studio was made to do."""

    page: Page
    studio: Running
    answers: list[str]


class Elsewhere(NamedTuple):
    """Another program's web server on this machine, and the cookies that it received."""

    port: int
    cookies: list[str]


@contextmanager
def _elsewhere() -> Iterator[Elsewhere]:
    cookies: list[str] = []

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            cookies.extend(self.headers.get_all("Cookie", []))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><body>Hello</body>")

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield Elsewhere(server.server_address[1], cookies)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def visited(playwright: Playwright) -> Iterator[Visited]:
    answers: list[str] = []

    def touch(studio: StudioContext, call: RouteCall) -> Said:
        """Count the calls."""
        answers.append(f"{call.request.method} {dict(call.request.headers)}")
        return Said()

    table = [
        *entry.ROUTES,
        Route("GET", "/touch", touch, "Touch.", gives=Said),
        Route("POST", "/touch", touch, "Touch.", gives=Said),
        Route("DELETE", "/touch", touch, "Touch.", gives=Said),
    ]
    rebound = ("MAP *.example 127.0.0.1", *NO_OTHER_HOST)
    with running([], table=table) as studio, launched(playwright, hosts=rebound) as browser:
        context = browser.new_context()
        page = context.new_page()
        page.goto(studio.origin)
        entered = page.evaluate(ENTER, [f"{API}/login", studio.keys.token])
        assert entered == 200
        yield Visited(page, studio, answers)


def test_the_studios_own_page_is_answered(visited: Visited) -> None:
    """The control: what the foreign pages try does work from the studio's own page."""
    said = visited.page.evaluate(ATTEMPTS, f"{visited.studio.origin}{API}/touch")
    assert len(visited.answers) == 3
    assert any("the conversation" in each for each in said["got"])


def test_another_port_of_this_machine_gets_nothing(visited: Visited) -> None:
    with _elsewhere() as elsewhere:
        for host in ("127.0.0.1", "localhost"):
            visited.page.goto(f"http://{host}:{elsewhere.port}/")
            said = visited.page.evaluate(ATTEMPTS, f"{visited.studio.origin}{API}/touch")
            assert (said["tried"], said["got"]) == (TRIED, [])
    assert visited.answers == []


def test_credentials_sent_to_another_port_do_not_open_the_studio(visited: Visited) -> None:
    """A local server may replay, outside of the browser, everything that the browser sent to it."""
    with _elsewhere() as elsewhere:
        visited.page.goto(f"http://127.0.0.1:{elsewhere.port}/")
    assert any(visited.studio.keys.name in each for each in elsewhere.cookies), "the control"
    headers = {**OWN, "Cookie": "; ".join(elsewhere.cookies)}
    paths = [f"{API}/touch", f"{API}/touch?ticket=", "/img/1/a/0", "/artifact/1/a/0"]
    for path in paths:
        answer = httpx.get(f"{visited.studio.origin}{path}", headers=headers, timeout=LONGEST)
        assert answer.status_code == 401, path
        answer = httpx.post(f"{visited.studio.origin}{path}", headers=headers, timeout=LONGEST)
        assert answer.status_code == 401, path
    assert visited.answers == []


def test_another_site_gets_nothing(visited: Visited) -> None:
    with _elsewhere() as elsewhere:
        visited.page.goto(f"http://evil.example:{elsewhere.port}/")
        said = visited.page.evaluate(ATTEMPTS, f"{visited.studio.origin}{API}/touch")
        assert said["got"] == []
        assert visited.page.evaluate("document.cookie") == ""
    assert visited.answers == []


def test_a_name_that_leads_here_by_a_trick_gets_nothing(visited: Visited) -> None:
    address = f"http://{REBOUND}:{visited.studio.keys.port}"
    answer = visited.page.goto(f"{address}/")
    assert answer is not None
    assert answer.status == 400
    said = visited.page.evaluate(ASK, f"{API}/touch")
    assert said[0] == 400
    assert "conversation" not in said[1]
    assert visited.answers == []


def test_a_link_from_another_site_does_not_open_the_studio(visited: Visited) -> None:
    with _elsewhere() as elsewhere:
        visited.page.goto(f"http://evil.example:{elsewhere.port}/")
        visited.page.set_content(f'<a href="{visited.studio.origin}{API}/touch">go</a>')
        with visited.page.expect_navigation() as went:
            visited.page.click("a")
        assert went.value is not None
        assert went.value.status in {401, 403}
    assert visited.answers == []
