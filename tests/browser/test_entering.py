"""Logging in by the printed address, and windows of any size."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page

from talktree.web.entry_file import EntryFile
from talktree.web.routes.route import API
from talktree.web.security.browsers import forget_browsers, read_remembered_browsers
from tests.browser.conftest import Open
from tests.browser.screen import Screen
from tests.web.running import LONGEST, OWN, Running, running

WIDTHS = (360, 768, 1280, 2560)


def test_the_token_leaves_the_address(window: Screen) -> None:
    assert "token" not in window.page.url
    window.again()
    window.page.locator(".card").first.wait_for()
    window.assert_quiet()


def test_the_file_that_a_browser_is_started_with_leads_in(
    browser: Browser, gallery: Running
) -> None:
    token = gallery.keys.make_one_time_token()
    file = EntryFile(gallery.keys.build_address(token))
    gallery.keys.call_when_used(token, file.remove, is_valid=file.exists)
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.url} {request.headers}"))
    page.goto(file.url)
    page.locator(".card").first.wait_for()
    assert not file.path.exists()
    assert (page.evaluate("document.referrer"), "token" in page.url) == ("", False)
    # The fragment stays in the browser; Playwright reports it with the first address.
    assert [each for each in asked if token in each and "/#token=" not in each] == []
    page.go_back()
    assert token not in page.url
    page.close()


def test_without_a_token_it_says_what_to_do(browser: Browser, gallery: Running) -> None:
    page = browser.new_page()
    page.goto(gallery.origin)
    page.get_by_label("Or paste it here").fill(f"{gallery.origin}/#token={'x' * 43}")
    page.keyboard.press("Enter")
    page.get_by_text("of another start").wait_for()
    page.get_by_label("Or paste it here").fill(gallery.keys.build_address(gallery.keys.token))
    page.keyboard.press("Enter")
    page.locator(".card").first.wait_for()
    page.close()


def test_a_new_token_in_an_open_tab_is_taken_too(window: Screen) -> None:
    cid = window.cid("claude-code")
    window.open(cid)
    window.page.context.clear_cookies()
    with window.page.expect_response("**/login") as entered:
        window.page.goto(window.studio.keys.build_address(window.studio.keys.token))
    assert entered.value.status == 200
    window.page.wait_for_url(f"**/#/c/{cid}**")
    window.again()
    window.page.locator(".card").first.wait_for()


def test_a_browser_without_the_key_asks_for_the_token(window: Screen) -> None:
    # The key is stored when the login is answered.
    window.page.locator(".card").first.wait_for()
    window.page.evaluate("localStorage.removeItem('talktree.key')")
    window.page.reload()
    window.page.get_by_label("Or paste it here").fill(
        window.studio.keys.build_address(window.studio.keys.token)
    )
    window.page.get_by_role("button", name="Enter").click()
    window.page.locator(".card").first.wait_for()


def _remember(page: Page) -> None:
    page.locator(".card").first.wait_for()
    page.keyboard.press("?")
    page.get_by_role("button", name="Remember this browser").click()
    page.get_by_role("button", name="Forget this browser").wait_for()


def test_a_remembered_browser_enters_without_a_link(
    browser: Browser, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    context = browser.new_context()
    with running([demo]) as first:
        page = context.new_page()
        page.goto(first.keys.build_address(first.keys.token))
        _remember(page)
        port = first.keys.port
    context.clear_cookies()
    with running([demo], port=port) as again:
        page.goto(again.origin)
        page.locator(".card").first.wait_for()
        kept = page.evaluate(READ_KEY)
        assert kept == [False, "private", "refused"], "no page can read the key out"
        assert again.keys.page_key not in page.evaluate("JSON.stringify(document.cookie)")
    with running([demo]) as elsewhere:
        other = context.new_page()
        other.goto(elsewhere.origin)
        other.get_by_label("Or paste it here").wait_for()
    assert forget_browsers() == 1
    with running([demo], port=port) as last:
        page.goto(last.origin)
        page.get_by_label("Or paste it here").wait_for()
        asked = [0]
        page.on("request", lambda request: asked.append(request.url.endswith("/challenge")))
        page.wait_for_timeout(300)
        assert sum(asked) == 0, "it does not ask again and again"
    context.close()


def test_another_server_on_the_port_cannot_use_the_key(
    browser: Browser, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the key sign challenges of a studio that runs on another port, and gets nothing."""
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    context = browser.new_context()
    with running([demo]) as first:
        page = context.new_page()
        page.goto(first.keys.build_address(first.keys.token))
        _remember(page)
        port = first.keys.port
    (known,) = read_remembered_browsers()
    with running([demo]) as studio, foreign_server(port) as origin:
        page.goto(f"{origin}/")
        client = httpx.Client(base_url=f"{studio.origin}{API}", headers=OWN, timeout=LONGEST)
        for signed_for in (origin, studio.origin):
            nonce = client.post("/challenge", json={}).json()["nonce"]
            text = f"talktree remembered browser 1\n{signed_for}\n{known.id}\n{nonce}"
            proof = page.evaluate(SIGN, text)
            assert proof
            body = {"browser": known.id, "nonce": nonce, "proof": proof}
            assert client.post("/login", json=body).status_code == 401
        client.close()
    context.close()


@contextmanager
def foreign_server(port: int) -> Iterator[str]:
    """Run a foreign program on the port that the studio had."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><body>Hello</body>")

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


KEY = """new Promise((done) => {
  const asked = indexedDB.open('talktree', 1)
  asked.onsuccess = () => {
    const got = asked.result.transaction('browser').objectStore('browser').get(0)
    got.onsuccess = () => { asked.result.close(); done(got.result.key) }
  }
})"""
READ_KEY = f"""async () => {{
  const key = await {KEY}
  const out = await crypto.subtle.exportKey('jwk', key).then(() => 'read', () => 'refused')
  return [key.extractable, key.type, out]
}}"""
SIGN = f"""async (text) => {{
  const key = await {KEY}
  const how = {{ name: 'ECDSA', hash: 'SHA-256' }}
  const made = new Uint8Array(await crypto.subtle.sign(how, key, new TextEncoder().encode(text)))
  const text64 = btoa(String.fromCharCode(...made))
  return text64.replace(/[+]/g, '-').replace(/[/]/g, '_').replace(/=/g, '')
}}"""


def test_panes_fold_widen_and_are_remembered(window: Screen) -> None:
    window.open(window.cid("claude-code"))
    line = window.page.get_by_role("separator", name="Width of the library")
    line.focus()
    before = int(line.get_attribute("aria-valuenow") or 0)
    window.press("ArrowRight")
    assert int(line.get_attribute("aria-valuenow") or 0) == before + 16
    window.press("Control+.")
    inspector = window.page.locator("aside").and_(window.page.get_by_label("Inspector", exact=True))
    inspector.wait_for(state="detached")
    window.again()
    line.wait_for()
    assert int(line.get_attribute("aria-valuenow") or 0) == before + 16
    assert window.page.locator("aside").count() == 1
    window.assert_quiet()


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_window(gallery: Running, open_window: Open, width: int) -> None:
    screen = open_window(gallery, size=(width, 800))
    screen.page.get_by_role("heading", name="Overview").wait_for()
    wide = "document.documentElement.scrollWidth"
    assert screen.page.evaluate(wide) <= width
    screen.open(screen.cid("claude-code"))
    assert screen.page.evaluate(wide) <= width
    screen.assert_quiet()
