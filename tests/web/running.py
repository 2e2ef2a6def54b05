"""A real studio on a real socket, for tests: paths are imported, and a client has logged in."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from talktree.library.temporary import UnsavedFile
from talktree.web.app import create_app
from talktree.web.host import StudioHost
from talktree.web.launch import serve
from talktree.web.page import Page
from talktree.web.routes import TABLE
from talktree.web.routes.route import API, Route
from talktree.web.security.keys import Keys
from talktree.web.server import Server, bind_port
from talktree.web.studio import StudioContext

LONGEST = 300.0
OWN = {"X-Talktree": "1", "Sec-Fetch-Site": "same-origin"}


class Running(NamedTuple):
    """A running studio, and a client with full access."""

    host: StudioHost
    keys: Keys
    client: httpx.Client

    @property
    def studio(self) -> StudioContext:
        """The current studio."""
        return self.host.require()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.keys.port}"

    def get(self, path: str, /, **query: Any) -> Any:
        """Return the API's answer."""
        return _json(self.client.get(API + path, params=query))

    def post(self, path: str, body: Any = None) -> Any:
        """Return the API's answer to a change."""
        return _json(self.client.post(API + path, json=body))

    def ended(self, job: str) -> Any:
        """Return a job when it has ended."""
        return until(
            lambda: found if (found := self.get(f"/jobs/{job}"))["state"] != "running" else None
        )


def until(look: Any) -> Any:
    """Return the result of `look` as soon as it has one."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError("it did not come to this")


def _json(answer: httpx.Response) -> Any:
    assert answer.status_code < 300, answer.text
    return answer.json() if answer.content else None


def _ignore(unsaved: list[UnsavedFile]) -> None:
    """Do nothing: tests inspect what is left themselves."""


@contextmanager
def running(
    paths: Sequence[Path],
    *,
    read_only: bool = False,
    port: int = 0,
    table: Sequence[Route] = TABLE,
    page: Page | None = None,
) -> Iterator[Running]:
    """Run a studio of some paths, which are imported before any request."""
    ending = threading.Event()
    with ExitStack() as ends:
        socket = ends.enter_context(bind_port(port))
        served = ends.enter_context(serve(paths, read_only=read_only, unsaved=_ignore))
        host = StudioHost(served)
        ends.callback(host.close)
        keys = Keys(socket.getsockname()[1])
        app = create_app(host, keys, table=table, page=page, ending=ending)
        server = Server(app, ending)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]})
        thread.start()
        ends.callback(thread.join)
        ends.callback(server.stop)
        until(lambda: host.studio is None or host.studio.jobs.find_running("import") is None)
        base = f"http://127.0.0.1:{keys.port}"
        # The server may close an idle connection just when it is used again.
        limits = httpx.Limits(max_keepalive_connections=0)
        client = ends.enter_context(
            httpx.Client(base_url=base, headers=OWN, timeout=LONGEST, limits=limits)
        )
        entered = client.post(f"{API}/login", json={"token": keys.token})
        assert entered.status_code == 200, entered.text
        client.headers["X-Talktree-Key"] = entered.json()["key"]
        yield Running(host, keys, client)
