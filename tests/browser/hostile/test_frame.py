"""A running artifact cannot send anything out: every way it can try, and a control that
succeeds."""

# ruff: noqa: E501  (texts that cannot be broken)
from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, expect

from tests.browser.chromium import NO_OTHER_HOST, launched, watched
from tests.browser.hostile.calls import WAYS, pages
from tests.browser.hostile.listener import Listener, listening
from tests.browser.screen import Screen
from tests.web.running import Running, running

LEAKS = (Path(__file__).parent / "leaks.js").read_text()
TRIED = 42
LEAKING = ("MAP *.leak.example 127.0.0.1", *NO_OTHER_HOST)
REFUSING = "--enable-features=ConnectionAllowlists,OverrideConnectionAllowlistOriginTrial"
"""Header that Chromium does not support by default yet."""
HTML, REACT = "text/html", "application/vnd.ant.react"
SPAM = """<script>
const say = (what) => parent.postMessage(what, '*')
for (let n = 0; n < 3000; n++) say({ talktree: 'height', value: n })
const odd = [null, 1, 'ready', [], {}, { talktree: 'go', to: '/' }, { talktree: 'height', value: '9' },
  { talktree: 'height', value: NaN }, { talktree: 'height', value: -1e9 }, { talktree: 'error', text: { a: 1 } },
  { talktree: 'login', token: 'x' }, { type: 'navigate', url: 'https://evil.example' }, new Map([['talktree', 'ready']])]
for (const each of odd) say(each)
say({ talktree: 'height', value: 1e9 })
say({ talktree: 'error', text: '<img src=x onerror=alert(1)><a href="javascript:alert(1)">spam</a>' })
</script>"""
GOING = {
    "location": "<script>location.href = '{to}/location'</script>",
    "refresh": '<meta http-equiv="refresh" content="0;url={to}/refresh">',
    "top": "<script>try {{ top.location.href = '{to}/top' }} catch {{}}</script>",
    "own form": "<form id=f action='{to}/own_form'></form><script>f.submit()</script>",
    "own link": "<a id=l href='{to}/own_link'>x</a><script>l.click()</script>",
    "post": "<form id=f method=post action='{to}/post'><input name=a></form><script>f.submit()</script>",
    "base": "<base href='{to}/'><img src='base'><script>fetch('base')</script>",
}
"""Ways to navigate the frame itself, each in its own frame."""


@pytest.fixture(scope="module")
def named(playwright: Playwright) -> Iterator[Browser]:
    """Start a browser in which unknown host names resolve to this machine, so that requests
    show."""
    with launched(playwright, hosts=LEAKING) as browser:
        yield browser


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    with listening() as found:
        yield found


def _udp(listener: Listener) -> str:
    return f"127.0.0.1:{listener.udp}"


def _attempts(listener: Listener) -> str:
    return f"{LEAKS.strip()}('{listener.origin}', '{_udp(listener)}')"


def _artifacts(listener: Listener) -> dict[str, tuple[str, str]]:
    """Return all of them by title."""
    tried = _attempts(listener)
    drawn = f"import {{ useEffect }} from 'react'\nexport default function App() {{ useEffect(() => {{ {tried} }}, []); return <b>here</b> }}"
    going = {name: (HTML, text.format(to=listener.origin)) for name, text in GOING.items()}
    page = f"<body><b>here</b><script>{tried}</script></body>"
    calls = {name: (HTML, text) for name, text in pages(_udp(listener)).items()}
    own = {"a page": (HTML, page), "a component": (REACT, drawn), "spam": (HTML, SPAM)}
    return {**own, **going, **calls}


def _id(title: str) -> str:
    return title.replace(" ", "-")


@pytest.fixture(scope="module")
def studio(listener: Listener, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Start a studio with artifacts that try to get out."""
    lines: list[object] = [{"talktree": {"version": 1}}]
    parent = None
    for title, (kind, content) in _artifacts(listener).items():
        part = {"part": "artifact", "media_type": kind, "title": title, "content": content}
        message = {"id": _id(title), "parent": parent, "role": "assistant", "parts": [part]}
        lines.append({"message": message})
        parent = _id(title)
    path = tmp_path_factory.mktemp("frame") / "artifacts.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    with running([path]) as found:
        yield found


@contextmanager
def _entered(browser: Browser, studio: Running) -> Iterator[Screen]:
    with watched(browser, studio.origin, size=(1280, 1600)) as seen:
        seen.page.set_default_timeout(30_000)
        seen.page.goto(studio.keys.build_address(studio.keys.token))
        seen.page.wait_for_function("() => 'talktree.key' in localStorage")
        screen = Screen(seen, studio)
        screen.open(str(studio.get("/conversations")["cards"][0]["cid"]))
        yield screen


@pytest.fixture
def screen(named: Browser, studio: Running) -> Iterator[Screen]:
    with _entered(named, studio) as screen:
        yield screen


def _run(screen: Screen, title: str) -> None:
    screen.page.evaluate(
        "id => { location.hash = location.hash.replace(/\\/m\\/.*/, '') + '/m/' + id }", _id(title)
    )
    box = screen.page.get_by_role("region", name=title, exact=True)
    box.get_by_role("button", name="Run").click()
    box.locator("iframe").wait_for()


def _has_tried(screen: Screen) -> None:
    """Wait until it has made all of its attempts."""
    reported = screen.page.get_by_text(f"tried {TRIED}, reached: nothing")
    expect(reported).to_be_visible(timeout=90_000)


@pytest.mark.parametrize("title", ["a page", "a component"])
def test_nothing_gets_out(screen: Screen, listener: Listener, title: str) -> None:
    before = screen.page.url
    listener.came.clear()
    _run(screen, title)
    _has_tried(screen)
    assert listener.heard() == set()
    assert len(screen.seen.context.pages) == 1
    assert screen.page.url.split("/m/")[0] == before.split("/m/")[0]


@pytest.mark.parametrize("title", GOING)
def test_the_frame_goes_nowhere(screen: Screen, listener: Listener, title: str) -> None:
    listener.came.clear()
    _run(screen, title)
    # What was refused never arrives, so wait for a fixed time.
    screen.page.locator("iframe").wait_for()
    screen.page.wait_for_timeout(1000)
    assert listener.heard() == set()
    assert screen.page.url.startswith(screen.studio.origin)


@pytest.mark.parametrize("title", WAYS)
def test_no_one_is_called(screen: Screen, listener: Listener, title: str) -> None:
    listener.came.clear()
    _run(screen, title)
    # It reports that it is loaded, and then calls if it can.
    screen.page.locator("iframe[aria-busy=false]").wait_for()
    screen.page.wait_for_timeout(500)
    assert "stun" not in listener.heard()


def _refuses(browser: Browser, listener: Listener) -> bool:
    """Whether the browser refuses connections when a page asks it to."""
    listener.pages["/walled"] = b"<!doctype html>"
    listener.headers["/walled"] = {"Connection-Allowlist": "()"}
    with watched(browser, listener.origin) as seen:
        seen.page.goto(f"{listener.origin}/walled")
        return bool(seen.page.evaluate("fetch('/out').then(() => false, () => true)"))


def test_no_connections_where_they_can_be_refused(
    playwright: Playwright, studio: Running, listener: Listener
) -> None:
    """Not even those that other browsers open before they ask whether a frame may navigate."""
    with launched(playwright, REFUSING, hosts=LEAKING) as browser:
        if not _refuses(browser, listener):
            pytest.skip("this Chromium does not heed Connection-Allowlist")
        with _entered(browser, studio) as screen:
            listener.came.clear()
            _run(screen, "a page")
            _has_tried(screen)
            for title in GOING:
                _run(screen, title)
            screen.page.wait_for_timeout(500)
            assert listener.came == []


def test_the_page_hears_only_the_few_things_it_knows(screen: Screen) -> None:
    _run(screen, "spam")
    reported = screen.page.get_by_role("status").filter(has_text="spam")
    expect(reported).to_have_text(
        ' <img src=x onerror=alert(1)><a href="javascript:alert(1)">spam</a>'
    )
    height = screen.page.locator("iframe").evaluate("frame => frame.getBoundingClientRect().height")
    assert 32 <= height <= 1210
    screen.assert_quiet()


@pytest.mark.parametrize("title", WAYS)
def test_without_the_walls_all_of_them_call(named: Browser, listener: Listener, title: str) -> None:
    path = f"/calls/{_id(title)}"
    frame = f"<iframe sandbox=allow-scripts src='{path}/inner'></iframe>"
    inner = pages(_udp(listener))[title]
    listener.pages.update({path: frame.encode(), f"{path}/inner": inner.encode()})
    listener.came.clear()
    with watched(named, listener.origin) as seen:
        seen.page.goto(f"{listener.origin}{path}")
        for _ in range(1000):
            if "stun" in listener.heard():
                break
            seen.page.wait_for_timeout(50)
    assert "stun" in listener.heard()


def test_without_the_walls_everything_would_get_out(named: Browser, listener: Listener) -> None:
    """The control: the same page in a frame of a page without a policy."""
    page = f"<!doctype html><body><b>here</b><script>{_attempts(listener)}</script></body>"
    around = "<!doctype html><body><script>addEventListener('message', (e) => { document.title = e.data.text })</script><iframe src='/inner'></iframe>"
    listener.pages.update({"/inner": page.encode(), "/outer": around.encode()})
    listener.came.clear()
    with watched(named, listener.origin) as seen:
        seen.page.goto(f"{listener.origin}/outer")
        seen.page.wait_for_function(f"() => document.title.startsWith('tried {TRIED}')")
        reached = seen.page.title()
    assert len(listener.heard()) > 25, listener.heard()
    assert "parent" in reached


@pytest.mark.parametrize("title", GOING)
def test_without_the_walls_a_frame_goes_where_it_likes(
    named: Browser, listener: Listener, title: str
) -> None:
    path = f"/going/{title.replace(' ', '_')}"
    inner = GOING[title].format(to=listener.origin)
    listener.pages.update(
        {path: f"<iframe src='{path}/inner'></iframe>".encode(), f"{path}/inner": inner.encode()}
    )
    listener.came.clear()
    with (
        watched(named, listener.origin) as seen,
        seen.page.expect_request(
            lambda request: (
                request.url.split("?")[0] == f"{listener.origin}/{title.replace(' ', '_')}"
            )
        ),
    ):
        seen.page.goto(f"{listener.origin}{path}")
