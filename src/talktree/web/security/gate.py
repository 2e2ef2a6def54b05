"""The gate: decides access before routing, for every address and every protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from talktree.errors import TalktreeError
from talktree.web.errors import ForeignHost, ForeignOrigin, NotEntered
from talktree.web.response import error_response
from talktree.web.security.keys import Keys

SAFE = ("GET", "HEAD")
OWN_HEADER = "x-talktree"
"""Other origins cannot send it without a preflight request, and that is refused."""
KEY_HEADER = "x-talktree-key"
"""The key that only the page has."""
TICKET = b"ticket="
"""The parameter, always the last, that replaces the key where the browser cannot send a header."""
LOGIN = "/api/v1/login"
CHALLENGE = "/api/v1/challenge"
"""What a remembered browser signs to log in; a challenge does not grant access."""
REFUSED = 1008
"""The code with which a refused web socket is closed."""


class Gate:
    """Checks where every request comes from before it is answered."""

    def __init__(self, app: ASGIApp, keys: Keys, is_open: Callable[[str], bool]) -> None:
        self.app = app
        self.keys = keys
        self.is_open = is_open
        """Whether an address belongs to the page itself, which needs no login."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it with a reason."""
        match scope["type"]:
            case "http":
                target = _split_ticket(scope)
                refusal = self._find_refusal(scope, target)
                scope = {**scope, "query_string": target.query}
                await (self.app if refusal is None else error_response(refusal))(
                    scope, receive, send
                )
            case "websocket":
                await send({"type": "websocket.close", "code": REFUSED})
            case _:
                await self.app(scope, receive, send)

    def _find_refusal(self, scope: Scope, target: RequestTarget) -> TalktreeError | None:
        headers = Headers(scope=scope)
        return (
            _find_host_refusal(headers, self.keys.hosts)
            or self._find_origin_refusal(scope, headers)
            or _find_change_refusal(scope["method"], headers)
            or self._find_key_refusal(scope, headers, target)
        )

    def _find_origin_refusal(self, scope: Scope, headers: Headers) -> TalktreeError | None:
        if self.is_open(scope["path"]) and _is_visit(scope["method"], headers):
            return None
        return _find_origin_refusal(headers)

    def _find_key_refusal(
        self, scope: Scope, headers: Headers, target: RequestTarget
    ) -> TalktreeError | None:
        path: str = scope["path"]
        if path in {LOGIN, CHALLENGE} or self.is_open(path):
            return None
        if not self.keys.has_cookie(headers.get("cookie")):
            return NotEntered("the studio is locked", hint="open the address that was printed")
        if self.keys.is_page_key(headers.get(KEY_HEADER)):
            return None
        if scope["method"] in SAFE and self.keys.is_ticket(target.ticket, target.signed):
            return None
        return NotEntered(
            "this request does not come from the studio's page",
            hint="open the address that was printed",
        )


class RequestTarget(NamedTuple):
    """The target of a request without its ticket."""

    path: bytes
    query: bytes
    ticket: str

    @property
    def signed(self) -> bytes:
        """The text that the ticket signs."""
        return self.path + b"?" + self.query if self.query else self.path


def _split_ticket(scope: Scope) -> RequestTarget:
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    path = path.partition(b"?")[0]
    query: bytes = scope.get("query_string", b"")
    before, separator, last = query.rpartition(b"&")
    if not last.startswith(TICKET):
        return RequestTarget(path, query, "")
    return RequestTarget(path, before if separator else b"", last[len(TICKET) :].decode("latin-1"))


def _find_host_refusal(headers: Headers, hosts: frozenset[str]) -> TalktreeError | None:
    given = headers.getlist("host")
    if len(given) == 1 and given[0] in hosts:
        return None
    return ForeignHost("this is not the studio's own address", hint="open the one it printed")


def _is_visit(method: str, headers: Headers) -> bool:
    """Whether a link is opened in a window of its own, as from the file that opens the studio.

    The page itself contains no secrets, and its own requests then come from its own origin.
    """
    return (
        method in SAFE
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
        and "origin" not in headers
    )


def _find_origin_refusal(headers: Headers) -> TalktreeError | None:
    own = f"http://{headers['host']}"
    sites = headers.getlist("sec-fetch-site")
    if any(site not in {"same-origin", "none"} for site in sites):
        return ForeignOrigin("another site asked for this")
    if any(origin != own for origin in headers.getlist("origin")):
        return ForeignOrigin("a page of another origin asked for this")
    return None


def _find_change_refusal(method: str, headers: Headers) -> TalktreeError | None:
    if method in SAFE:
        return None
    if "origin" not in headers and headers.get("sec-fetch-site") != "same-origin":
        return ForeignOrigin("a change must say which page asks for it")
    if headers.get(OWN_HEADER) != "1":
        return ForeignOrigin("a change must come from the studio's page")
    return None
