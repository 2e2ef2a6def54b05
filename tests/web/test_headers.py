"""Every answer has the headers: pages, files, JSON, refusals, errors, and invalid HTTP."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from talktree.web.page import Page
from talktree.web.routes import TABLE
from talktree.web.routes.route import API, Route, RouteCall
from talktree.web.studio import StudioContext
from tests.web.every_route import PARTS, filled
from tests.web.raw import Asker, Said
from tests.web.running import Running, running

EXPECTED = {
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
}
CLOSED = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"


def breaks(studio: StudioContext, call: RouteCall) -> None:
    """Raise an internal error."""
    raise ZeroDivisionError("<b>oh</b>")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Return a studio with a built page, and a route that raises."""
    folder = tmp_path_factory.mktemp("static")
    (folder / "index.html").write_text("<!doctype html><title>page</title>")
    for name in ("assets/app-1a2b.js", "assets/app-1a2b.css", "frame/frame.js", "icon.svg"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("/* it */")
    (folder.parent / "secret").write_text("no")
    table = [*TABLE, Route("GET", "/broken", breaks, "Breaks.")]
    with running([], table=table, page=Page(folder)) as studio:
        yield studio


def ask(
    studio: Running,
    verb: str,
    path: str,
    *,
    entered: bool = True,
    headers: Mapping[str, str] | None = None,
) -> Said:
    asker = Asker(studio.keys.port)
    host = f"127.0.0.1:{studio.keys.port}"
    sent = {"Host": host, "X-Talktree": "1", "Origin": f"http://{host}", **(headers or {})}
    if entered:
        sent["Cookie"] = f"{studio.keys.name}={studio.client.cookies[studio.keys.name]}"
        sent["X-Talktree-Key"] = studio.keys.page_key
    try:
        return asker.ask(verb, path, sent.items())
    finally:
        asker.close()


def is_guarded(said: Said) -> bool:
    """Whether an answer has every header that the browser should enforce."""
    return (
        EXPECTED.items() <= said.headers.items()
        and "=*" not in said.headers["permissions-policy"]
        and "camera=()" in said.headers["permissions-policy"]
        and "content-security-policy" in said.headers
        and "cache-control" in said.headers
        and not any(name.startswith("access-control") for name in said.headers)
        and "server" not in said.headers
    )


@pytest.mark.parametrize("route", TABLE, ids=lambda route: f"{route.method} {route.path}")
def test_every_route_has_them(built: Running, route: Route) -> None:
    path = filled(route, PARTS)
    for entered in (True, False):
        said = ask(built, route.method, path, entered=entered)
        assert is_guarded(said), said
        assert "unsafe" not in said.headers["content-security-policy"] or "/artifact/" in path
        if not entered and route.path not in {"/login", "/challenge"}:
            assert said.status == 401


@pytest.mark.parametrize(
    ("verb", "path", "status"),
    [
        ("GET", "/", 200),
        ("HEAD", "/", 200),
        ("GET", "/index.html", 200),
        ("GET", "/assets/app-1a2b.js", 200),
        ("GET", "/icon.svg", 200),
        ("GET", f"{API}/nothing", 404),
        ("GET", "/nothing", 404),
        ("POST", "/", 404),
        ("POST", f"{API}/about", 405),
        ("OPTIONS", f"{API}/about", 405),
        ("GET", f"{API}/broken", 500),
        ("GET", f"{API}/about?no=such", 200),
        ("GET", f"{API}/jobs/none", 404),
    ],
)
def test_every_kind_of_answer_has_them(built: Running, verb: str, path: str, status: int) -> None:
    said = ask(built, verb, path)
    assert (said.status, is_guarded(said)) == (status, True)


def test_refusals_have_them(built: Running) -> None:
    for headers in ({"Host": "evil.example"}, {"Origin": "null"}, {"X-Talktree": ""}):
        said = ask(built, "POST", f"{API}/login", headers=headers)
        assert said.status in {400, 403}
        assert is_guarded(said)


@pytest.mark.parametrize("sent", [b"\x16\x03\x01\x02\x00\x01\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"])
def test_invalid_http_is_refused_with_them(built: Running, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", built.keys.port), timeout=300) as connection:
        connection.sendall(sent)
        said = b"".join(iter(lambda: connection.recv(1 << 16), b"")).lower()
    assert said.startswith(b"http/1.1 400 ")
    assert all(name.encode() in said for name in EXPECTED)
    assert b'"kind":"usage"' in said


def test_the_page_may_load_only_its_own_and_frame_only_artifacts(built: Running) -> None:
    policy = ask(built, "GET", "/").headers["content-security-policy"]
    directives = dict(part.split(" ", 1) for part in policy.split("; "))
    assert directives == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data: blob:",
        "font-src": "'self'",
        "connect-src": "'self'",
        "frame-src": f"http://127.0.0.1:{built.keys.port}/artifact/",
        "form-action": "'none'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "talktree dompurify",
    }
    name = f"localhost:{built.keys.port}"
    named = ask(built, "GET", "/", headers={"Host": name, "Origin": f"http://{name}"})
    own = f"frame-src http://localhost:{built.keys.port}/artifact/;"
    assert own in named.headers["content-security-policy"]


def test_other_responses_have_a_closed_policy(built: Running) -> None:
    for path in (f"{API}/about", f"{API}/broken", "/icon.svg", "/nothing"):
        assert ask(built, "GET", path).headers["content-security-policy"] == CLOSED


def test_only_named_assets_are_kept_by_the_browser(built: Running) -> None:
    kept = ask(built, "GET", "/assets/app-1a2b.js").headers
    assert kept["cache-control"] == "public, max-age=31536000, immutable"
    assert kept["content-type"].startswith("text/javascript")
    for path in ("/", "/icon.svg", f"{API}/about", "/nothing"):
        assert ask(built, "GET", path).headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    ["/../secret", "/assets/../../secret", "/assets/%2e%2e/%2e%2e/secret", "/..%2fsecret",
     "//secret", "/frame/frame.js", "/assets", "/assets/", "/%00", "/.sources"],
)  # fmt: skip
def test_no_address_leads_out_of_the_page(built: Running, path: str) -> None:
    assert ask(built, "GET", path).status == 404


def test_the_page_and_its_files_need_no_cookie_and_nothing_else_does_not(built: Running) -> None:
    for path in ("/", "/index.html", "/assets/app-1a2b.js", "/icon.svg"):
        assert ask(built, "GET", path, entered=False).status == 200
    for path in ("/frame/frame.js", "/else", "/img/1/2/3", "/artifact/1/2/3", f"{API}/about"):
        assert ask(built, "GET", path, entered=False).status == 401


def test_a_page_that_was_not_built_is_reported(tmp_path: Path) -> None:
    with running([], page=Page(tmp_path)) as studio:
        said = ask(studio, "GET", "/")
        assert (said.status, is_guarded(said)) == (503, True)
        assert b"is not built" in said.body
