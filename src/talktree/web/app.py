"""The application: the gate and the headers around the route table and the built page."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

import anyio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send

from talktree.errors import NotFound
from talktree.web.errors import ReadOnly, WrongMethod
from talktree.web.host import StudioHost
from talktree.web.page import Page
from talktree.web.request import parse_request, split_path
from talktree.web.response import error_response, make_response
from talktree.web.routes import TABLE
from talktree.web.routes.route import Route, RouteCall
from talktree.web.security.gate import Gate
from talktree.web.security.headers import Headers
from talktree.web.security.keys import Keys
from talktree.web.studio import StudioContext

AT_ONCE = 8
"""Maximum number of concurrent requests; others wait."""


def create_app(
    host: StudioHost,
    keys: Keys,
    *,
    table: Sequence[Route] = TABLE,
    page: Page | None = None,
    ending: threading.Event | None = None,
) -> ASGIApp:
    """Return the studio as an ASGI application for the port that its keys belong to.

    Streams end when `ending` is set; nothing else ends them.
    """
    limit = anyio.CapacityLimiter(AT_ONCE)
    lines = [_Line(route, host, limit) for route in table]
    page = page or Page()
    starlette = Starlette(routes=lines)
    starlette.router.redirect_slashes = False
    starlette.router.default = _Rest(page)
    starlette.state.keys = keys
    starlette.state.host = host
    starlette.state.ending = ending
    return Headers(Gate(starlette, keys, page.has_file))


class _Line(BaseRoute):
    """A row of the route table, as a Starlette endpoint."""

    def __init__(self, route: Route, host: StudioHost, limit: anyio.CapacityLimiter) -> None:
        self.route = route
        self.host = host
        self.limit = limit
        self.parts = route.address.removeprefix("/").split("/")

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http":
            return Match.NONE, {}
        given = split_path(scope.get("raw_path") or scope["path"].encode())
        if len(given) != len(self.parts):
            return Match.NONE, {}
        found: dict[str, str] = {}
        for part, value in zip(self.parts, given, strict=True):
            if part.startswith("{"):
                found[part[1:-1]] = value
            elif part != value:
                return Match.NONE, {}
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        match = Match.FULL if method == self.route.method else Match.PARTIAL
        return match, {"path_params": found}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        response = await answer_safely(lambda: self._answer(request))
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Any:  # noqa: ANN401 - whatever a route gives
        # A HEAD is a GET without its body; the gate requires less of it than of a change.
        method = "GET" if request.method == "HEAD" else request.method
        if method != self.route.method:
            raise WrongMethod(f"{request.method} is not possible here")
        if self.route.effects and self.host.served.read_only:
            raise ReadOnly("this studio is read-only", hint="start it without --read-only")
        studio = self.host.studio if self.route.when_locked else self.host.require()
        call = await parse_request(self.route, request.path_params, request)
        try:
            return await self._answer_with(cast(StudioContext, studio), call)
        except Exception:
            if self.host.studio is not studio and not self.route.when_locked:
                self.host.require()  # raises if the library was locked meanwhile
            raise

    async def _answer_with(self, studio: StudioContext, call: RouteCall) -> Any:  # noqa: ANN401
        if inspect.iscoroutinefunction(self.route.answer):
            return await self.route.answer(studio, call)
        return await anyio.to_thread.run_sync(self.route.answer, studio, call, limiter=self.limit)


class _Rest:
    """Everything that is not in the route table: the page's files, or nothing."""

    def __init__(self, page: Page) -> None:
        self.page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the file, or with 404."""
        response = await answer_safely(lambda: self._answer(Request(scope, receive)))
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        found = (
            self.page.get_file(request.scope["path"]) if request.method in {"GET", "HEAD"} else None
        )
        if found is None:
            raise NotFound("there is nothing at this address")
        return found


async def answer_safely(answer: Callable[[], Awaitable[Any]]) -> Response:
    """Return the answer, or an error as one; internal errors are also reported."""
    try:
        return make_response(await answer())
    except Exception as error:
        return error_response(error)
