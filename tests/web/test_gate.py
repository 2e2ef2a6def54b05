"""Only the studio's own page gets an answer: every Host, Origin, site, verb and key."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, MutableMapping
from itertools import product
from typing import Any, NamedTuple

import pytest
from msgspec import Struct

from talktree.web.app import create_app
from talktree.web.routes import entry
from talktree.web.routes.route import Route, RouteCall
from talktree.web.security.keys import Keys
from talktree.web.studio import StudioContext
from tests.web.raw import Asker, Said
from tests.web.running import Running, running

OWN_HOSTS = ("127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}")
FOREIGN_HOSTS = (
    "evil.example", "evil.example:{port}", "127.0.0.1", "localhost", "127.0.0.1:1",
    "127.0.0.1:{port}.evil.example", "localhost.evil.example:{port}", "evil@127.0.0.1:{port}",
    "0.0.0.0:{port}", "127.1:{port}", "127.0.0.1:0{port}", "LOCALHOST:{port}", "", None,
)  # fmt: skip
OWN_ORIGINS = (None, "http://{host}")
FOREIGN_ORIGINS = (
    "null", "", "http://evil.example", "https://{host}", "http://{host}.evil.example",
    "http://{host}/", "http://127.0.0.1:1", "http://localhost", "file://", "HTTP://{host}",
)  # fmt: skip
OWN_SITES = (None, "same-origin", "none")
FOREIGN_SITES = ("same-site", "cross-site", "", "nonsense")
CHANGES = ("POST", "DELETE", "PUT", "PATCH", "OPTIONS")
VERBS = ("GET", "HEAD", *CHANGES)


class Seen(Struct):
    """The answer of a route here."""

    verb: str


class Watched(NamedTuple):
    """A studio that counts its answers."""

    asker: Asker
    port: int
    cookie: str
    keys: Keys
    answers: list[str]

    def ask(
        self, verb: str, host: str | None, path: str = "/api/v1/touch", **sent: str | None
    ) -> Said:
        """Send a request with the right cookie, page key and own header, unless specified
        otherwise."""
        shown = None if host is None else host.format(port=self.port)
        own = {"x_talktree": "1", "x_talktree_key": self.keys.page_key, "cookie": self.cookie}
        headers = {"host": shown, **own, **sent}
        pairs = [
            (name.replace("_", "-"), value.format(host=shown))
            for name, value in headers.items()
            if value is not None
        ]
        return self.asker.ask(verb, path, pairs)


@pytest.fixture(scope="module")
def watched() -> Iterator[Watched]:
    answers: list[str] = []

    def touch(studio: StudioContext, call: RouteCall) -> Seen:
        """Count the calls."""
        answers.append(call.request.method)
        return Seen(call.request.method)

    table = [
        Route("GET", "/touch", touch, "Touch.", gives=Seen),
        Route("POST", "/touch", touch, "Touch.", gives=Seen),
        Route("DELETE", "/touch", touch, "Touch.", gives=Seen),
    ]
    with running([], table=[*entry.ROUTES, *table]) as studio:
        asker = Asker(studio.keys.port)
        cookie = f"{studio.keys.name}={studio.client.cookies[studio.keys.name]}"
        yield Watched(asker, studio.keys.port, cookie, studio.keys, answers)
        asker.close()


def refused(said: Said, status: int, verb: str) -> bool:
    """Whether this is a refusal that discloses and allows nothing."""
    reported = verb == "HEAD" or json.loads(said.body)["error"]["kind"] in {
        "foreign",
        "not-entered",
    }
    allowed = any(name.startswith("access-control-") for name in said.headers)
    return said.status == status and reported and not allowed


def test_a_foreign_host_is_refused_whatever_else_is_sent(watched: Watched) -> None:
    before = len(watched.answers)
    asked = 0
    for verb, host, origin, site in product(
        VERBS, FOREIGN_HOSTS, (*OWN_ORIGINS, "http://evil.example"), (*OWN_SITES, "cross-site")
    ):
        said = watched.ask(verb, host, origin=origin, sec_fetch_site=site)
        asked += 1
        if host is None:
            # HTTP/1.1 itself requires one; the refusal comes from a lower layer and ends the
            # connection.
            assert said.status == 400
        else:
            assert refused(said, 400, verb), (verb, host, origin, site, said)
    assert asked == len(VERBS) * len(FOREIGN_HOSTS) * 3 * 4
    assert len(watched.answers) == before


def test_a_foreign_page_is_refused_on_every_own_host(watched: Watched) -> None:
    before = len(watched.answers)
    for verb, host, origin, site in product(
        VERBS, OWN_HOSTS, OWN_ORIGINS + FOREIGN_ORIGINS, OWN_SITES + FOREIGN_SITES
    ):
        if origin in OWN_ORIGINS and site in OWN_SITES:
            continue
        said = watched.ask(verb, host, origin=origin, sec_fetch_site=site)
        assert refused(said, 403, verb), (verb, host, origin, site, said)
    assert len(watched.answers) == before


def test_a_link_to_the_page_can_be_followed_but_nothing_else(watched: Watched) -> None:
    """A file that links to the studio counts as another site; the page itself is not secret."""
    visit = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}
    host = "127.0.0.1:{port}"
    for verb, document in product(VERBS, ("document", "iframe", "embed", None)):
        said = watched.ask(verb, host, sec_fetch_dest=document, **visit)
        assert refused(said, 403, verb), "the API is not the page"
    for path, document, status in (
        ("/", "document", 200),
        ("/", "iframe", 403),
        ("/", None, 403),
        ("/api/v1/about", "document", 403),
        ("/artifact/x", "document", 403),
    ):
        said = watched.ask("GET", host, path=path, sec_fetch_dest=document, **visit)
        assert said.status in {status, 503 if status == 200 else status}, (path, document, said)


def test_a_page_on_one_own_name_is_foreign_to_the_other(watched: Watched) -> None:
    said = watched.ask("GET", "127.0.0.1:{port}", origin=f"http://localhost:{watched.port}")
    assert refused(said, 403, "GET")


def test_the_own_page_is_answered(watched: Watched) -> None:
    for verb, host, origin, site in product(
        ("GET", "HEAD", "POST", "DELETE"), OWN_HOSTS, OWN_ORIGINS, OWN_SITES
    ):
        reported = origin is not None or site == "same-origin"
        said = watched.ask(verb, host, origin=origin, sec_fetch_site=site)
        if verb in {"GET", "HEAD"} or reported:
            assert said.status == 200, (verb, host, origin, site, said)
            assert watched.answers[-1] == verb
        else:
            assert refused(said, 403, verb), (verb, host, origin, site, said)


@pytest.mark.parametrize("header", [None, "", "0", "true", "1, 1"])
@pytest.mark.parametrize("verb", CHANGES)
def test_a_change_needs_the_pages_own_header(
    watched: Watched, verb: str, header: str | None
) -> None:
    own = "http://{host}"
    said = watched.ask(
        verb, OWN_HOSTS[0], x_talktree=header, origin=own, sec_fetch_site="same-origin"
    )
    assert refused(said, 403, verb)


@pytest.mark.parametrize("cookie", [None, "", "talktree=1", "wrong", "other", "empty", "prefix"])
@pytest.mark.parametrize("verb", ["GET", "HEAD", "POST", "DELETE"])
def test_without_the_cookie_of_this_start_nothing_is_answered(
    watched: Watched, verb: str, cookie: str | None
) -> None:
    name, value = watched.cookie.split("=", 1)
    sent = {
        "wrong": f"{name}={value[:-1]}{'a' if value[-1] != 'a' else 'b'}",
        "other": Keys(watched.port).make_cookie_header().split(";")[0],
        "empty": f"{name}=",
        "prefix": f"{name}={value}x",
    }
    before = len(watched.answers)
    for path in ("/api/v1/touch", "/api/v1/%74ouch", "/api/v1/nothing", "/artifact/1/2/3", "/else"):
        said = watched.ask(
            verb,
            OWN_HOSTS[0],
            path,
            cookie=sent.get(cookie or "", cookie),
            sec_fetch_site="same-origin",
        )
        assert refused(said, 401, verb), (path, said)
    assert len(watched.answers) == before


@pytest.mark.parametrize("key", [None, "", "wrong", "other", "cookie"])
@pytest.mark.parametrize("verb", ["GET", "HEAD", "POST", "DELETE"])
def test_the_cookie_alone_opens_nothing(watched: Watched, verb: str, key: str | None) -> None:
    """Every port of the host receives the cookie, so it must not be enough."""
    sent = {
        "wrong": watched.keys.page_key[:-1],
        "other": Keys(watched.port).page_key,
        "cookie": watched.cookie.split("=", 1)[1],
    }
    before = len(watched.answers)
    for path in ("/api/v1/touch", "/api/v1/nothing", "/artifact/1/2/3", "/img/1/2/3"):
        said = watched.ask(
            verb,
            OWN_HOSTS[0],
            path,
            x_talktree_key=sent.get(key or "", key),
            sec_fetch_site="same-origin",
        )
        assert refused(said, 401, verb), (path, said)
    assert len(watched.answers) == before


@pytest.mark.parametrize("path", ["/api/v1/touch", "/api/v1/touch?a=%20b&c=d", "/api/v1/touch?"])
def test_a_ticket_opens_its_address_for_reading(watched: Watched, path: str) -> None:
    ticket = watched.keys.make_ticket(path.rstrip("?").encode())
    joined = f"{path}{'&' if path[-1] != '?' and '?' in path else ''}"
    address = f"{joined}{'' if '?' in joined else '?'}ticket={ticket}"
    for verb in ("GET", "HEAD"):
        assert watched.ask(verb, OWN_HOSTS[0], address, x_talktree_key=None).status == 200
    for verb in ("POST", "DELETE"):
        said = watched.ask(
            verb, OWN_HOSTS[0], address, x_talktree_key=None, sec_fetch_site="same-origin"
        )
        assert refused(said, 401, verb)
    for other in (f"{address}x", f"{address}&more=1", address.replace("touch", "nothing")):
        said = watched.ask("GET", OWN_HOSTS[0], other, x_talktree_key=None)
        assert refused(said, 401, "GET"), other
    said = watched.ask("GET", OWN_HOSTS[0], address, x_talktree_key=None, cookie=None)
    assert refused(said, 401, "GET"), "a ticket needs the cookie"


def test_two_hosts_or_two_origins_are_refused(watched: Watched) -> None:
    host = f"127.0.0.1:{watched.port}"
    both = [("Host", host), ("Origin", f"http://{host}"), ("Origin", "http://evil.example")]
    assert watched.asker.ask("GET", "/", both).status == 403
    assert watched.asker.ask("GET", "/", [("Host", host), ("Host", "evil.example")]).status == 400


def test_an_address_with_another_host_in_it_leads_nowhere(watched: Watched) -> None:
    said = watched.ask("GET", OWN_HOSTS[0], "http://evil.example/api/v1/touch")
    assert said.status == 404
    assert watched.ask("GET", "evil.example", f"http://127.0.0.1:{watched.port}/").status == 400


def test_a_web_socket_is_never_opened(watched: Watched) -> None:
    upgrade = {"connection": "Upgrade", "upgrade": "websocket", "sec-websocket-version": "13"}
    key = {"sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="}
    for host in (*OWN_HOSTS, "evil.example"):
        said = watched.ask("GET", host, "/api/v1/live", **upgrade, **key)
        assert said.status in {400, 404}


def test_a_server_that_knows_web_sockets_closes_them(seen: Running) -> None:
    reported: list[MutableMapping[str, Any]] = []

    async def send(message: MutableMapping[str, Any]) -> None:
        reported.append(message)

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "websocket.connect"}

    host = f"127.0.0.1:{seen.keys.port}".encode()
    scope = {"type": "websocket", "path": "/", "raw_path": b"/", "headers": [(b"host", host)]}
    app = create_app(seen.host, seen.keys)
    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
    assert [message["type"] for message in reported] == ["websocket.close"]
