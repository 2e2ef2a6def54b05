"""Every address of the studio, requested by an attacker: none acts or discloses anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from talktree.web.routes import TABLE
from talktree.web.routes.route import Route
from tests.web.every_route import PARTS, filled
from tests.web.raw import Asker, Said
from tests.web.running import Running, running
from tests.web.test_effects import digests

OPEN = {"/login", "/challenge"}
"""Routes that can be requested before there is a cookie."""
METHODS = ("GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS", "TRACE")


class Attack(NamedTuple):
    """An attacker's change to a valid request, and the allowed answers."""

    name: str
    headers: dict[str, str | None]
    status: int
    opens: bool = False
    """Whether the login is still answered."""


class Target(NamedTuple):
    """A studio with content, and a cookie and a key of a previous one on its port."""

    studio: Running
    old_cookie: str
    old_key: str
    old_token: str


@pytest.fixture(scope="module")
def target(demo: Path) -> Iterator[Target]:
    with running([demo / "muse.json"]) as old:
        port, token = old.keys.port, old.keys.token
        cookie, key = old.keys.make_cookie_header().split(";")[0], old.keys.page_key
    with running([demo / "muse.json"], port=port) as studio:
        yield Target(studio, cookie, key, token)


def attacks(target: Target) -> list[Attack]:
    return [
        Attack("another site", {"origin": "http://evil.example"}, 403),
        Attack("another port", {"origin": "http://127.0.0.1:1"}, 403),
        Attack("no origin known", {"origin": "null"}, 403),
        Attack("cross-site", {"sec-fetch-site": "cross-site"}, 403),
        Attack("same-site", {"sec-fetch-site": "same-site"}, 403),
        Attack("a name that leads here", {"host": f"evil.example:{target.studio.keys.port}"}, 400),
        Attack("no cookie", {"cookie": None}, 401, opens=True),
        Attack("the cookie of an older studio", {"cookie": target.old_cookie}, 401, opens=True),
        Attack("no key", {"x-talktree-key": None}, 401, opens=True),
        Attack("the key of an older studio", {"x-talktree-key": target.old_key}, 401, opens=True),
    ]


def ask(asker: Asker, target: Target, method: str, path: str, **changed: str | None) -> Said:
    keys = target.studio.keys
    own = {
        "host": f"127.0.0.1:{keys.port}",
        "origin": target.studio.origin,
        "sec-fetch-site": "same-origin",
        "cookie": keys.make_cookie_header().split(";")[0],
        "x-talktree": "1",
        "x-talktree-key": keys.page_key,
        "content-type": "application/json",
    }
    sent = {**own, **changed}
    pairs = [(name, value) for name, value in sent.items() if value is not None]
    return asker.ask(method, path, pairs, b"{}" if method in {"POST", "DELETE"} else b"")


@pytest.fixture
def asker(target: Target) -> Iterator[Asker]:
    made = Asker(target.studio.keys.port)
    yield made
    made.close()


@pytest.mark.parametrize("route", TABLE, ids=lambda route: f"{route.method} {route.path}")
def test_nothing_is_answered_to_anyone_else(target: Target, asker: Asker, route: Route) -> None:
    path = filled(route, {**PARTS, "id": target.studio.get("/c/1/rows")["rows"][0]["id"]})
    for attack in attacks(target):
        if attack.opens and route.path in OPEN:
            continue
        said = ask(asker, target, route.method, path, **attack.headers)
        assert said.status == attack.status, (attack.name, said)
        assert b'"error"' in said.body
        assert not any(name.startswith("access-control-") for name in said.headers)
        assert "set-cookie" not in said.headers
    if route.method != "GET":
        said = ask(asker, target, route.method, path, **{"x-talktree": None})
        assert said.status == 403, "a form of another page cannot send this header"
        said = ask(asker, target, route.method, path, **{"origin": None, "sec-fetch-site": None})
        assert said.status == 403, "a program that names no page changes nothing"


def test_no_other_method_does_anything(target: Target, asker: Asker) -> None:
    known: dict[str, set[str]] = {}
    for route in TABLE:
        known.setdefault(filled(route, PARTS), set()).add(route.method)
    for path, methods in known.items():
        for method in METHODS:
            if method in methods or (method == "HEAD" and "GET" in methods):
                continue
            assert ask(asker, target, method, path).status == 405, (method, path)


def test_a_link_of_a_studio_that_ended_opens_nothing(target: Target) -> None:
    answer = target.studio.client.post("/api/v1/login", json={"token": target.old_token})
    assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)


def test_a_read_only_studio_refuses_every_change_before_it_reads_it(
    demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    with running([demo / "muse.json"], read_only=True) as studio:
        before = digests(tmp_path)
        refused = 0
        for route in TABLE:
            if route.effects:
                for body in (b"", b"{}", b"[" * 1000, b"\xff"):
                    answer = studio.client.request(route.method, filled(route, PARTS), content=body)
                    assert answer.json()["error"]["kind"] == "read-only", (route, answer.text)
                    refused += 1
        assert refused > 40
        assert digests(tmp_path) == before
