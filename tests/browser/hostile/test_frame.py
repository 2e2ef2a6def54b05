"""A running artifact can tell nobody anything: everything it can try, and where it would work."""

# ruff: noqa: E501  (texts that cannot be broken)
from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, expect

from tests.browser.chromium import launched, watched
from tests.browser.hostile.listener import Listener, listening
from tests.browser.screen import Screen
from tests.web.running import Running, running

LEAKS = (Path(__file__).parent / "leaks.js").read_text()
TRIED = 42
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
"""What takes the frame itself elsewhere, each in a frame of its own."""


@pytest.fixture(scope="module")
def named(playwright: Playwright) -> Iterator[Browser]:
    """A browser in which names of nobody lead to this machine, so that asking for them shows."""
    with launched(playwright, "--host-resolver-rules=MAP *.leak.example 127.0.0.1") as browser:
        yield browser


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    with listening() as found:
        yield found


def _attempts(listener: Listener) -> str:
    return f"{LEAKS.strip()}('{listener.origin}', '127.0.0.1:{listener.udp}')"


def _artifacts(listener: Listener) -> dict[str, tuple[str, str]]:
    """All of them by their titles."""
    tried = _attempts(listener)
    drawn = f"import {{ useEffect }} from 'react'\nexport default function App() {{ useEffect(() => {{ {tried} }}, []); return <b>here</b> }}"
    going = {name: (HTML, text.format(to=listener.origin)) for name, text in GOING.items()}
    page = f"<body><b>here</b><script>{tried}</script></body>"
    return {"a page": (HTML, page), "a component": (REACT, drawn), **going, "spam": (HTML, SPAM)}


@pytest.fixture(scope="module")
def studio(listener: Listener, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A conversation of artifacts that want out."""
    lines: list[object] = [{"talktree": {"version": 1}}]
    for number, (title, (kind, content)) in enumerate(_artifacts(listener).items()):
        part = {
            "part": "artifact",
            "id": title,
            "media_type": kind,
            "title": title,
            "content": content,
        }
        parent = f"a{number - 1}" if number else None
        lines.append(
            {
                "message": {
                    "id": f"a{number}",
                    "parent": parent,
                    "role": "assistant",
                    "parts": [part],
                }
            }
        )
    path = tmp_path_factory.mktemp("frame") / "artifacts.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    with running([path]) as found:
        yield found


@pytest.fixture
def screen(named: Browser, studio: Running) -> Iterator[Screen]:
    with watched(named, studio.origin, size=(1280, 1600)) as seen:
        seen.page.set_default_timeout(30_000)
        seen.page.goto(studio.keys.address(studio.keys.token))
        seen.page.wait_for_function("() => !location.hash.includes('token')")
        screen = Screen(seen, studio)
        screen.open(str(studio.get("/conversations")["cards"][0]["cid"]))
        yield screen


def _run(screen: Screen, title: str) -> None:
    number = next(
        n for n, each in enumerate((*("a page", "a component"), *GOING, "spam")) if each == title
    )
    screen.page.evaluate(
        "id => { location.hash = location.hash.replace(/\\/m\\/.*/, '') + '/m/' + id }",
        f"a{number}",
    )
    box = screen.page.get_by_role("region", name=title, exact=True)
    box.get_by_role("button", name="Run").click()


@pytest.mark.parametrize("title", ["a page", "a component"])
def test_nothing_gets_out(screen: Screen, listener: Listener, title: str) -> None:
    before = screen.page.url
    listener.came.clear()
    _run(screen, title)
    expect(screen.page.get_by_text(f"tried {TRIED}, reached: nothing")).to_be_visible()
    assert listener.heard() == set()
    assert len(screen.seen.context.pages) == 1
    assert screen.page.url.split("/m/")[0] == before.split("/m/")[0]


@pytest.mark.parametrize("title", GOING)
def test_the_frame_goes_nowhere(screen: Screen, listener: Listener, title: str) -> None:
    listener.came.clear()
    _run(screen, title)
    screen.page.wait_for_load_state("networkidle")
    # What was refused never comes, so there is nothing to wait for but some time.
    screen.page.wait_for_timeout(500)
    assert listener.heard() == set()
    assert screen.page.url.startswith(screen.studio.origin)


def test_the_page_hears_only_the_few_things_it_knows(screen: Screen) -> None:
    _run(screen, "spam")
    told = screen.page.get_by_role("status").filter(has_text="spam")
    expect(told).to_have_text(' <img src=x onerror=alert(1)><a href="javascript:alert(1)">spam</a>')
    height = screen.page.locator("iframe").evaluate("frame => frame.getBoundingClientRect().height")
    assert 32 <= height <= 1210
    screen.assert_quiet()


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
